// If all directions can be held, nothing is lost, and online PCA equals batch PCA.
#include <gtest/gtest.h>

#include "roipca/online_pca.hpp"
#include "support/dense_oracle.hpp"
#include "support/models.hpp"
#include "support/rows.hpp"

namespace roipca {
namespace {

using namespace support;

template <typename T>
class LowRank : public ::testing::Test {
 protected:
  static constexpr Index kRows = 60;
  static constexpr Index kRank = 4;
  const RowMatrix<T> rows_ = low_rank_rows(kRows, 15, kRank, 1).cast<T>();
  // 60 updates, each a rotation of 5 columns in T; for double far below the 1e-10 that is promised.
  static constexpr double kTolerance = kRows * 5 * 4 * kEpsilon<T>;

  DensePca oracle(Index rows) const { return dense_pca(rows_.topRows(rows).template cast<double>()); }
};
TYPED_TEST_SUITE(LowRank, Scalars);

TYPED_TEST(LowRank, EigenpairsAreThoseOfBatchPcaAfterEveryRow) {
  for (const Way& method : kLosslessMethods) {
    OnlinePca<TypeParam> pca(options_for(method, this->kRank));
    for (Index n = 1; n <= this->kRows; ++n) {
      pca.update(this->rows_.row(n - 1).transpose());
      if (n == 1) continue;
      ASSERT_LT(relative_difference(modelled_scatter(pca.model()), this->oracle(n).scatter), this->kTolerance)
          << name(method) << " after " << n;
    }
  }
}

TYPED_TEST(LowRank, EigenpairsAreThoseOfBatchPcaWithoutOversampling) {
  for (const Way& method : kLosslessMethods) {
    Options options = options_for(method, this->kRank);
    options.oversampling = 0;
    OnlinePca<TypeParam> pca(options);
    for (Index n = 1; n <= this->kRows; ++n) {
      pca.update(this->rows_.row(n - 1).transpose());
      if (n == 1) continue;
      ASSERT_LT(relative_difference(modelled_scatter(pca.model()), this->oracle(n).scatter), this->kTolerance)
          << name(method) << " after " << n;
    }
  }
}

TYPED_TEST(LowRank, EigenvaluesAreThoseOfBatchPca) {
  const auto oracle = this->oracle(this->kRows);
  for (const Way& method : kLosslessMethods) {
    const auto model =
        OnlinePca<TypeParam>(options_for(method, this->kRank)).partial_fit(this->rows_).model();
    const Vector<double> error =
        as_eigen(model.eigenvalues).head(this->kRank) - oracle.values.head(this->kRank);
    EXPECT_LT(error.cwiseAbs().maxCoeff(), this->kTolerance * oracle.values[0]) << name(method);
  }
}

TYPED_TEST(LowRank, EveryMethodFindsThePlane) {
  const Matrix<double> plane = this->oracle(this->kRows).vectors.leftCols(this->kRank);
  for (const Way& method : kAllMethods) {
    const auto model =
        OnlinePca<TypeParam>(options_for(method, this->kRank)).partial_fit(this->rows_).model();
    EXPECT_LT(subspace_angle(plane, reported_basis(model)), this->kTolerance) << name(method);
  }
}

TYPED_TEST(LowRank, FroipcaKeepsTheTrace) {
  const auto oracle = this->oracle(this->kRows);
  for (const Tau tau : {Tau::kZero, Tau::kOptimal}) {
    Options options = options_for(Method::kFroipca, this->kRank);
    options.tau = tau;
    const auto model = OnlinePca<TypeParam>(options).partial_fit(this->rows_).model();
    EXPECT_NEAR(as_eigen(model.eigenvalues).sum(), oracle.values.sum(),
                this->kTolerance * oracle.values.sum());
  }
}

// tau* uses more terms than a few components have columns.
TYPED_TEST(LowRank, FroipcaWithTauOptimalFindsThePlaneOfFewComponents) {
  for (Index rank = 1; rank <= 4; ++rank) {
    const RowMatrix<TypeParam> rows = low_rank_rows(60, 15, rank, 7).cast<TypeParam>();
    Options options = options_for(Method::kFroipca, rank);
    options.tau = Tau::kOptimal;
    const auto model = OnlinePca<TypeParam>(options).partial_fit(rows).model();
    const Matrix<double> plane = dense_pca(rows.template cast<double>()).vectors.leftCols(rank);
    EXPECT_LT(subspace_angle(plane, reported_basis(model)), this->kTolerance) << rank;
  }
}

// Rounding must not be reported as variance: whitened scores and T^2 would be rounding divided by rounding.
TYPED_TEST(LowRank, FewRowsHaveNoVarianceBeyondTheirNumber) {
  for (const Index rows : {1, 2, 5, 9}) {
    for (const Way& method : {Way{Method::kExact}, Way{Method::kRoipca}}) {
      const auto model = OnlinePca<TypeParam>(options_for(method, 10))
                             .partial_fit(to_rows(normal_rows(rows, 30, 3).cast<TypeParam>()))
                             .model();
      EXPECT_EQ((as_eigen(model.eigenvalues).array() > 0.0).count(), rows - 1) << name(method) << " " << rows;
    }
  }
}

class Noisy : public ::testing::Test {
 protected:
  const RowMatrix<double> rows_ = decaying_rows(1500, 60, 0.85, 1);
  const Matrix<double> truth_ = dense_pca(rows_).vectors.leftCols(5);

  double angle(Options options) const {
    return subspace_angle(truth_, reported_basis(OnlinePca<double>(options).partial_fit(rows_).model()));
  }
};

TEST_F(Noisy, TheDefaultOversamplingIsAtLeastTenTimesCloserToBatchPcaThanNone) {
  for (const Method method : {Method::kRoipca, Method::kIpca, Method::kFrequentDirections}) {
    Options none = options_for(method, 5);
    none.oversampling = 0;
    EXPECT_LT(10 * angle(options_for(method, 5)), angle(none)) << name(method);
  }
}

TEST_F(Noisy, HoldingEveryDirectionIsExact) {
  for (const Method method : {Method::kRoipca, Method::kIpca, Method::kFrequentDirections}) {
    Options all = options_for(method, 5);
    all.oversampling = 55;
    // 1500 rotations of 60 columns, over the gap: the fifth variance is 1.4 times the sixth.
    EXPECT_LT(angle(all), 1500 * kEpsilon<double>) << name(method);
  }
}

TEST_F(Noisy, MoreOversamplingThanFeaturesIsAllOfThem) {
  Options options = options_for(Method::kRoipca, 5);
  options.oversampling = 1000;
  EXPECT_EQ(OnlinePca<double>(options).partial_fit(rows_).model().basis.rows(), 60);
}

TEST_F(Noisy, ExactIsBatchPca) { EXPECT_LT(angle(options_for(Method::kExact, 5)), 1500 * kEpsilon<double>); }

}  // namespace
}  // namespace roipca
