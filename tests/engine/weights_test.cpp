// A whole weight is a number of repeated rows; forgetting is a weight that decreases with age.
#include <gtest/gtest.h>

#include <cmath>

#include "roipca/batch_pca.hpp"
#include "roipca/errors.hpp"
#include "roipca/online_pca.hpp"
#include "support/models.hpp"
#include "support/rows.hpp"

namespace roipca {
namespace {

using namespace support;

template <typename T>
class Weighted : public ::testing::Test {
 protected:
  static constexpr Index kRows = 80;
  const RowMatrix<T> rows_ = low_rank_rows(kRows, 14, 3, 1).cast<T>();
  const Vector<double> counts_ = (uniform_numbers(kRows, 2) * 4.0).array().floor();  // 0, 1, 2 or 3
  // Up to 240 updates of 4 columns.
  static constexpr double kTolerance = 240 * 4 * kEpsilon<T>;

  RowMatrix<T> repeated() const {
    RowMatrix<T> rows(static_cast<Index>(counts_.sum()), rows_.cols());
    Index to = 0;
    for (Index i = 0; i < kRows; ++i) {
      for (int copy = 0; copy < static_cast<int>(counts_[i]); ++copy) rows.row(to++) = rows_.row(i);
    }
    return rows;
  }
};
TYPED_TEST_SUITE(Weighted, Scalars);

TYPED_TEST(Weighted, WholeWeightsEqualRepeatedRows) {
  for (const Way& method : kLosslessMethods) {
    const Options options = options_for(method, 3);
    const auto weighted = OnlinePca<TypeParam>(options).partial_fit(this->rows_, this->counts_).model();
    const auto repeated = OnlinePca<TypeParam>(options).partial_fit(this->repeated()).model();
    EXPECT_LT(relative_difference(modelled_scatter(weighted), modelled_scatter(repeated)), this->kTolerance)
        << name(method);
    EXPECT_LT(relative_difference(as_eigen(weighted.scatter), as_eigen(repeated.scatter)), this->kTolerance)
        << name(method);
  }
}

TYPED_TEST(Weighted, WholeWeightsGiveTheMeanOfRepeatedRows) {
  const Options options = options_for(Method::kRoipca, 3);
  const auto weighted = OnlinePca<TypeParam>(options).partial_fit(this->rows_, this->counts_).model();
  const auto repeated = OnlinePca<TypeParam>(options).partial_fit(this->repeated()).model();
  // The mean is kept in double whatever T is.
  EXPECT_LT(relative_difference(as_eigen(weighted.mean), as_eigen(repeated.mean)), 16 * kEpsilon<double>);
}

TYPED_TEST(Weighted, WholeWeightsInABatchEqualRepeatedRows) {
  const Options options = options_for(Method::kRoipca, 3);
  const auto weighted = batch_pca<TypeParam>(this->rows_, options, this->counts_);
  const auto repeated = batch_pca<TypeParam>(this->repeated(), options);
  EXPECT_LT(relative_difference(modelled_scatter(weighted), modelled_scatter(repeated)), this->kTolerance);
}

TYPED_TEST(Weighted, ARowOfWeightZeroIsLeftOutToTheLastBit) {
  const RowMatrix<TypeParam> rows = decaying_rows(80, 14, 0.8, 3).cast<TypeParam>();
  RowMatrix<TypeParam> kept(80, 14);
  Index count = 0;
  for (Index i = 0; i < 80; ++i) {
    if (this->counts_[i] > 0.0) kept.row(count++) = rows.row(i);
  }
  const Vector<double> ones = (this->counts_.array() > 0.0).template cast<double>();
  for (const Way& method : kAllMethods) {
    Options options = options_for(method, 3);
    options.forgetting = 0.99;
    const auto weighted = OnlinePca<TypeParam>(options).partial_fit(rows, ones).model();
    const auto without = OnlinePca<TypeParam>(options).partial_fit(kept.topRows(count)).model();
    EXPECT_EQ(first_difference(weighted, without), "") << name(method);
  }
}

TYPED_TEST(Weighted, RowsOfWeightZeroAloneLeaveTheEstimatorAsItWas) {
  OnlinePca<TypeParam> pca(options_for(Method::kRoipca, 2));
  pca.partial_fit(this->rows_, std::vector<double>(this->kRows));
  EXPECT_EQ(pca.features(), 0);
  EXPECT_NO_THROW(pca.partial_fit(to_rows(RowMatrix<TypeParam>::Identity(5, 5))));
}

TYPED_TEST(Weighted, ARowOfWeightZeroIsStillChecked) {
  RowMatrix<TypeParam> rows = this->rows_;
  rows(3, 2) = std::numeric_limits<TypeParam>::quiet_NaN();
  Vector<double> weights = Vector<double>::Ones(this->kRows);
  weights[3] = 0.0;
  EXPECT_THROW(OnlinePca<TypeParam>(options_for(Method::kRoipca, 2)).partial_fit(rows, weights), DataError);
}

// A power of four scales rows by a power of two: no rounding differs.
TYPED_TEST(Weighted, ScaledWeightsChangeNoBitOfTheComponents) {
  const RowMatrix<TypeParam> rows = decaying_rows(200, 14, 0.8, 3).cast<TypeParam>();
  const Vector<double> weights = uniform_numbers(200, 4).array() + 0.1;
  for (const Way& method : kAllMethods) {
    const Options options = options_for(method, 3);
    const auto plain = OnlinePca<TypeParam>(options).partial_fit(rows, weights).model();
    const auto scaled = OnlinePca<TypeParam>(options).partial_fit(rows, to_vector(256.0 * weights)).model();
    EXPECT_TRUE(same_bits(plain.basis, scaled.basis)) << name(method);
  }
}

TYPED_TEST(Weighted, ScaledWeightsScaleTheEigenvalues) {
  for (const Way& method : kLosslessMethods) {
    const Options options = options_for(method, 3);
    const Vector<double> scaled_counts = 3.7 * this->counts_;
    const auto plain = OnlinePca<TypeParam>(options).partial_fit(this->rows_, this->counts_).model();
    const auto scaled = OnlinePca<TypeParam>(options).partial_fit(this->rows_, scaled_counts).model();
    EXPECT_LT(relative_difference(modelled_scatter(scaled), 3.7 * modelled_scatter(plain)), this->kTolerance)
        << name(method);
  }
}

TYPED_TEST(Weighted, ForgettingEqualsWeightsThatFallWithAge) {
  constexpr double kFactor = 0.95;
  Vector<double> aged(this->kRows);
  for (Index i = 0; i < this->kRows; ++i)
    aged[i] = std::pow(kFactor, static_cast<double>(this->kRows - 1 - i));
  for (const Way& method : kLosslessMethods) {
    Options options = options_for(method, 3);
    const auto batch = batch_pca<TypeParam>(this->rows_, options, aged);
    options.forgetting = kFactor;
    const auto online = OnlinePca<TypeParam>(options).partial_fit(this->rows_).model();
    EXPECT_LT(relative_difference(modelled_scatter(online), modelled_scatter(batch)), this->kTolerance)
        << name(method);
    EXPECT_NEAR(online.weight, batch.weight, 80 * kEpsilon<double> * batch.weight) << name(method);
    EXPECT_NEAR(online.weight_pairs, batch.weight_pairs, 80 * kEpsilon<double> * batch.weight_pairs)
        << name(method);
  }
}

TYPED_TEST(Weighted, TinyWeightsBehaveLikeAnyOthers) {
  const Vector<double> tiny = Vector<double>::Constant(this->kRows, 1e-80);
  for (const Way& method : kLosslessMethods) {
    const Options options = options_for(method, 3);
    const auto model = OnlinePca<TypeParam>(options).partial_fit(this->rows_, tiny).model();
    const auto plain = OnlinePca<TypeParam>(options).partial_fit(this->rows_).model();
    // Rounding may move a row out of the plane and add a fourth direction without variance.
    EXPECT_LT(
        relative_difference(1e80 * as_eigen(model.eigenvalues).head(3), as_eigen(plain.eigenvalues).head(3)),
        this->kTolerance)
        << name(method);
    EXPECT_LT(relative_difference(1e80 * as_eigen(model.scatter), as_eigen(plain.scatter)), this->kTolerance)
        << name(method);
  }
}

TYPED_TEST(Weighted, ForgettingNearlyEverythingLeavesTheLastRows) {
  for (const Way& method : kLosslessMethods) {
    for (const double forgetting : {1e-30, 1e-10, 1e-5, 0.1}) {
      Options options = options_for(method, 3);
      options.forgetting = forgetting;
      const auto model = OnlinePca<TypeParam>(options).partial_fit(this->rows_).model();
      // Two rows, the one before the last of weight f: their scatter is f / (1 + f) |difference|^2.
      const double squared = (this->rows_.row(this->kRows - 1) - this->rows_.row(this->kRows - 2))
                                 .template cast<double>()
                                 .squaredNorm();
      const double want = forgetting / (1.0 + forgetting) * squared;
      SCOPED_TRACE(::testing::Message() << name(method) << " " << forgetting);
      EXPECT_TRUE(all_finite(model));
      EXPECT_NEAR(model.eigenvalues[0] / want, 1.0, 4.0 * forgetting + this->kTolerance);
      EXPECT_NEAR(as_eigen(model.scatter).sum() / want, 1.0, 4.0 * forgetting + this->kTolerance);
    }
  }
}

TYPED_TEST(Weighted, ForgettingAJumpOfTheMeanLeavesTheVariance) {
  RowMatrix<TypeParam> rows = normal_rows(96, 12, 5).cast<TypeParam>();
  rows.bottomRows(64).array() += TypeParam{1000};
  for (const Way& method : {Way{Method::kExact}, Way{Method::kRoipca}}) {
    Options options = options_for(method, 3);
    options.forgetting = 0.5;
    const auto model = OnlinePca<TypeParam>(options).partial_fit(rows).model();
    // After 64 rows the jump counts 2^-64 times as much; float rounds it at 2^-24 of the rows that saw it.
    Options exactly = options;
    exactly.method = Method::kExact;
    const auto want = OnlinePca<double>(exactly).partial_fit(to_rows(rows.template cast<double>())).model();
    EXPECT_LT(relative_difference(as_eigen(model.scatter), as_eigen(want.scatter)), 1e4 * kEpsilon<TypeParam>)
        << name(method);
  }
}

TYPED_TEST(Weighted, ForgettingInABatchIsThatOfTheStream) {
  Options options = options_for(Method::kExact, 3);
  options.forgetting = 0.9;
  const Vector<double> counts = this->counts_;
  const auto batch = batch_pca<TypeParam>(this->rows_, options, counts);
  const auto online = OnlinePca<TypeParam>(options).partial_fit(this->rows_, counts).model();
  EXPECT_LT(relative_difference(modelled_scatter(online), modelled_scatter(batch)), this->kTolerance);
  EXPECT_LT(relative_difference(as_eigen(online.mean), as_eigen(batch.mean)), 80 * kEpsilon<double>);
}

}  // namespace
}  // namespace roipca
