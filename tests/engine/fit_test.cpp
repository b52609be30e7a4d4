// `fit` discards earlier rows, starts from a batch and streams the rest.
#include <gtest/gtest.h>

#include "roipca/batch_pca.hpp"
#include "roipca/online_pca.hpp"
#include "support/dense_oracle.hpp"
#include "support/models.hpp"
#include "support/rows.hpp"

namespace roipca {
namespace {

using namespace support;

template <typename T>
class Fit : public ::testing::Test {
 protected:
  const RowMatrix<T> rows_ = decaying_rows(700, 12, 0.8, 1).cast<T>();
};
TYPED_TEST_SUITE(Fit, Scalars);

TYPED_TEST(Fit, UpToFiveHundredRowsTheReportedEigenpairsAreThoseOfBatchPca) {
  for (const Index n : {2, 30, 500}) {
    const RowMatrix<TypeParam> rows = this->rows_.topRows(n);
    const auto oracle = dense_pca(rows.template cast<double>());
    for (const Way& method : kAllMethods) {
      const auto model = OnlinePca<TypeParam>(options_for(method, 3)).fit(rows).model();
      const Index rank = std::min<Index>(3, n - 1);
      // The basis is in T. Neighbouring variances differ by a third, so that gaps cost a small factor.
      const double tolerance = 32 * kEpsilon<TypeParam>;
      EXPECT_LT((as_eigen(model.eigenvalues).head(rank) - oracle.values.head(rank)).cwiseAbs().maxCoeff(),
                tolerance * oracle.values[0])
          << name(method) << " of " << n;
      EXPECT_LT(subspace_angle(oracle.vectors.leftCols(rank), reported_basis(model).leftCols(rank)),
                tolerance)
          << name(method) << " of " << n;
    }
  }
}

TYPED_TEST(Fit, ByBlocksItIsPartialFit) {
  for (const Way& method : kAllMethods) {
    if (!starts_from_nothing(method)) continue;
    const Options options = options_for(method, 3);
    EXPECT_EQ(first_difference(OnlinePca<TypeParam>(options).fit(this->rows_).model(),
                               OnlinePca<TypeParam>(options).partial_fit(this->rows_).model()),
              "")
        << name(method);
  }
}

TYPED_TEST(Fit, BeyondFiveHundredRowsItContinuesFromTheirBatchModel) {
  for (const Way& method : kAllMethods) {
    if (starts_from_nothing(method)) continue;
    const Options options = options_for(method, 3);
    OnlinePca<TypeParam> by_hand(batch_pca<TypeParam>(this->rows_.topRows(500), options));
    by_hand.partial_fit(this->rows_.bottomRows(200));
    const auto model = OnlinePca<TypeParam>(options).fit(this->rows_).model();
    EXPECT_EQ(first_difference(model, by_hand.model()), "") << name(method);
  }
}

TYPED_TEST(Fit, ItForgetsWhatCameBefore) {
  for (const Way& method : kAllMethods) {
    OnlinePca<TypeParam> pca(options_for(method, 3));
    pca.partial_fit(to_rows(RowMatrix<TypeParam>::Identity(20, 20)));
    const auto model = pca.fit(this->rows_).model();
    EXPECT_EQ(first_difference(model, OnlinePca<TypeParam>(options_for(method, 3)).fit(this->rows_).model()),
              "")
        << name(method);
  }
}

TYPED_TEST(Fit, RowsCanBeAddedAfterwards) {
  const auto oracle = dense_pca(this->rows_.template cast<double>());
  OnlinePca<TypeParam> pca(options_for(Method::kExact, 3));
  pca.fit(this->rows_.topRows(100)).partial_fit(this->rows_.bottomRows(600));
  EXPECT_LT(relative_difference(modelled_scatter(pca.model()), oracle.scatter), 700 * kEpsilon<TypeParam>);
}

TYPED_TEST(Fit, OneRowIsEnough) {
  for (const Way& method : kAllMethods) {
    const auto model = OnlinePca<TypeParam>(options_for(method, 3)).fit(this->rows_.topRows(1)).model();
    EXPECT_EQ(as_eigen(model.eigenvalues).maxCoeff(), 0.0) << name(method);
    EXPECT_LT(orthonormality_error(as_columns(model.basis)), 16 * kEpsilon<TypeParam>) << name(method);
  }
}

TYPED_TEST(Fit, WeightsReachTheBatchAndTheStream) {
  const Vector<double> weights = uniform_numbers(700, 2);
  const auto oracle = dense_pca(this->rows_.template cast<double>(), weights);
  const auto model = OnlinePca<TypeParam>(options_for(Method::kExact, 3)).fit(this->rows_, weights).model();
  EXPECT_LT(relative_difference(modelled_scatter(model), oracle.scatter), 700 * kEpsilon<TypeParam>);
}

TYPED_TEST(Fit, FirstRowsOfWeightZeroAreLeftOut) {
  RowMatrix<TypeParam> rows(1200, 12);
  rows << RowMatrix<TypeParam>::Constant(500, 12, TypeParam{3}), this->rows_;
  Vector<double> weights = Vector<double>::Ones(1200);
  weights.head(500).setZero();
  for (const Way& method : kAllMethods) {
    const Options options = options_for(method, 3);
    const auto model = OnlinePca<TypeParam>(options).fit(rows, weights).model();
    const auto without = OnlinePca<TypeParam>(options).fit(this->rows_).model();
    // The batch is decomposed with rows of zeros above it, which changes the rounding but not the eigenpairs.
    // 200 more rows start from those.
    EXPECT_LT(relative_difference(modelled_scatter(model), modelled_scatter(without)),
              200 * kEpsilon<TypeParam>)
        << name(method);
  }
}

TYPED_TEST(Fit, ForgettingEqualsThatOfAStream) {
  Options options = options_for(Method::kExact, 3);
  options.forgetting = 0.99;
  const auto fitted = OnlinePca<TypeParam>(options).fit(this->rows_).model();
  const auto streamed = OnlinePca<TypeParam>(options).partial_fit(this->rows_).model();
  EXPECT_LT(relative_difference(modelled_scatter(fitted), modelled_scatter(streamed)),
            700 * kEpsilon<TypeParam>);
  EXPECT_NEAR(fitted.weight, streamed.weight, 700 * kEpsilon<double> * streamed.weight);
}

}  // namespace
}  // namespace roipca
