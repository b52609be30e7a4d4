// Components whose variance is far below the largest: one outlier, one feature in a large unit, or a
// direction that appears late must not hide the others.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "roipca/batch_pca.hpp"
#include "roipca/merge.hpp"
#include "roipca/online_pca.hpp"
#include "support/models.hpp"
#include "support/rows.hpp"

namespace roipca {
namespace {

using namespace support;

constexpr Index kFeatures = 120;
constexpr Index kComponents = 5;
constexpr Index kRows = 3000;

// Five directions with standard deviations from 4 to 1.5 in noise of 0.1.
RowMatrix<double> plain_rows() {
  RowMatrix<double> rows = 0.1 * normal_rows(kRows, kFeatures, 1);
  const double deviations[kComponents] = {4.0, 3.0, 2.5, 2.0, 1.5};
  for (Index j = 0; j < kComponents; ++j) rows.col(j) *= 10.0 * deviations[j];
  return rows;
}

RowMatrix<double> with_outlier(Index at, double size) {
  RowMatrix<double> rows = plain_rows();
  rows.row(at).setConstant(size / std::sqrt(kFeatures));
  return rows;
}

RowMatrix<double> with_large_unit(double deviation) {
  RowMatrix<double> rows = plain_rows();
  rows.col(7) *= 10.0 * deviation;
  return rows;
}

// A direction that is not a single feature.
RowMatrix<double> with_large_direction(double deviation) {
  const Vector<double> scores = deviation * normal_rows(kRows, 1, 2).col(0);
  return plain_rows() + scores * Vector<double>::Constant(kFeatures, 1.0 / std::sqrt(kFeatures)).transpose();
}

RowMatrix<double> with_late_direction(double leading_deviation) {
  RowMatrix<double> rows = plain_rows();
  rows.col(0) *= leading_deviation / 4.0;
  rows.topRows(kRows / 2).col(4).setZero();
  return rows;
}

constexpr double kNotHeld = std::numeric_limits<double>::infinity();

struct WideStream {
  std::string name;
  RowMatrix<double> rows;
  double
      single_slack;  // relative error of variances; kNotHeld where float components cannot hold the spectrum
  double double_slack;
};

std::vector<WideStream> wide_streams() {
  // The error of truncation to 15 components. If a direction appears late, its eigenvalue was assumed to be
  // mu until then.
  constexpr double kNoise = 1e-3;
  constexpr double kLate = 2e-2;
  return {{"early outlier", with_outlier(10, 3e4), kNoise, kNoise},
          {"late outlier", with_outlier(kRows - 100, 3e4), kNoise, kNoise},
          {"outlier of 1e10", with_outlier(10, 1e10), kNotHeld, kNoise},
          {"outlier of 1e10 after many rows", with_outlier(kRows - 1, 1e10), kNotHeld, kNoise},
          {"unit of 1e3", with_large_unit(1e3), kNoise, kNoise},
          {"unit of 1e5", with_large_unit(1e5), kNoise, kNoise},
          {"unit of 1e8", with_large_unit(1e8), kNotHeld, kNoise},
          {"direction of 1e3", with_large_direction(1e3), kNoise, kNoise},
          {"direction of 1e4", with_large_direction(1e4), kNoise, kNoise},
          {"direction of 1e7", with_large_direction(1e7), kNotHeld, kNoise},
          {"late direction at a fifth", with_late_direction(8.0), kLate, kLate},
          {"late direction at a thousandth", with_late_direction(1.5e3), kLate, kLate}};
}

// Against batch PCA of the same rows in double.
template <typename T>
void expect_variances(const Model<T>& model, const Vector<double>& want, double slack) {
  const Vector<double> got = as_eigen(model.explained_variance());
  ASSERT_EQ(got.size(), want.size());
  for (Index i = 0; i < want.size(); ++i)
    EXPECT_LE(std::abs(got[i] / want[i] - 1.0), slack) << "component " << i;
  EXPECT_LE(as_eigen(model.explained_variance_ratio()).sum(), 1.0 + 1e-15);
  EXPECT_LE(orthonormality_error(as_columns(model.basis)), 1024.0 * kEpsilon<T>);
}

Vector<double> batch_variances(const RowMatrix<double>& rows, const Options& options,
                               const Vector<double>& weights = {}) {
  return as_eigen(batch_pca<double>(rows, options, weights).explained_variance());
}

template <typename T>
class WideSpectra : public ::testing::Test {
 protected:
  static double slack(const WideStream& stream) {
    return std::is_same_v<T, float> ? stream.single_slack : stream.double_slack;
  }
};
TYPED_TEST_SUITE(WideSpectra, Scalars);

TYPED_TEST(WideSpectra, KeepTheirSmallComponentsByBlocks) {
  for (const WideStream& stream : wide_streams()) {
    SCOPED_TRACE(stream.name);
    const RowMatrix<TypeParam> rows = stream.rows.cast<TypeParam>();
    for (const bool center : {true, false}) {
      Options options = options_for(Method::kRoipca, kComponents);
      options.center = center;
      const Vector<double> want = batch_variances(stream.rows, options);
      for (const Method method : {Method::kRoipca, Method::kIpca}) {
        options.method = method;
        expect_variances(OnlinePca<TypeParam>(options).partial_fit(rows).model(), want, this->slack(stream));
      }
    }
  }
}

TYPED_TEST(WideSpectra, KeepTheirSmallComponentsWithWeightsAndForgetting) {
  for (const WideStream& stream : wide_streams()) {
    SCOPED_TRACE(stream.name);
    const RowMatrix<TypeParam> rows = stream.rows.cast<TypeParam>();
    Options options = options_for(Method::kRoipca, kComponents);
    options.forgetting = 0.9999;
    const Vector<double> weights = uniform_numbers(rows.rows(), 3).array() + 0.5;
    const auto model = OnlinePca<TypeParam>(options).partial_fit(rows, weights).model();
    expect_variances(model, batch_variances(stream.rows, options, weights), this->slack(stream));
  }
}

TYPED_TEST(WideSpectra, KeepTheirSmallComponentsWhenMerged) {
  for (const WideStream& stream : wide_streams()) {
    SCOPED_TRACE(stream.name);
    const RowMatrix<TypeParam> rows = stream.rows.cast<TypeParam>();
    const Options options = options_for(Method::kRoipca, kComponents);
    const auto first = OnlinePca<TypeParam>(options).partial_fit(rows.topRows(1000)).model();
    const auto rest = OnlinePca<TypeParam>(options).partial_fit(rows.bottomRows(kRows - 1000)).model();
    expect_variances(merge(first, rest), batch_variances(stream.rows, options), this->slack(stream));
  }
}

// Rows far from the origin, not centred: next to what each has along the first component, the others are
// small, and moving them by combinations of rows must not leave the rounding of many rows in them.
TYPED_TEST(WideSpectra, BlocksOfRowsFarFromTheOriginAreRightToRoundingOfTheRows) {
  Options options = options_for(Method::kRoipca, 5);
  options.center = false;
  options.block_size = 7;
  const double deviation = std::is_same_v<TypeParam, float> ? 1e-3 : 1e-4;
  for (unsigned seed = 0; seed < 10; ++seed) {
    const RowMatrix<TypeParam> rows =
        (1.0 + (deviation * normal_rows(200, 5, seed)).array()).matrix().template cast<TypeParam>();
    const auto exact = rows.template cast<double>().eval();
    const auto model = OnlinePca<TypeParam>(options).partial_fit(rows).model();
    const Vector<double> want = as_eigen(batch_pca<double>(exact, options).eigenvalues).cwiseSqrt();
    const Vector<double> got = as_eigen(model.eigenvalues).cwiseSqrt();
    // Rows and components are rounded once each, and 29 blocks round components again, at random.
    EXPECT_LE((got - want).cwiseAbs().maxCoeff(), 8.0 * kEpsilon<TypeParam> * exact.norm()) << seed;
  }
}

// mu replaces the one eigenvalue that is not held. It must not be the rounding of the largest, which in float
// is as large as the smallest that is held.
TYPED_TEST(WideSpectra, RowByRowTheRoundingOfTheLargestDoesNotEnterTheSmallest) {
  Options options = options_for({Method::kRoipca, UpdateEvery::kRow}, 4);
  options.oversampling = 0;
  const Vector<double> deviations = Eigen::VectorXd{{1.0, 0.03, 0.003, 3e-4, 1e-4}};
  for (unsigned seed = 0; seed < 10; ++seed) {
    const RowMatrix<double> scores = normal_rows(200, 5, seed) * deviations.asDiagonal();
    const RowMatrix<TypeParam> rows =
        (scores * orthonormal_columns(5, 5, seed + 100)).template cast<TypeParam>();
    const auto exact = rows.template cast<double>().eval();
    const auto model = OnlinePca<TypeParam>(options).partial_fit(rows).model();
    // The same formulas in double: in float, rows and components are rounded once each, and components again
    // by each of 200 updates, at random.
    const auto want = OnlinePca<double>(options).partial_fit(exact).model();
    const Vector<double> error =
        as_eigen(model.eigenvalues).cwiseSqrt() - as_eigen(want.eigenvalues).cwiseSqrt();
    EXPECT_LE(error.cwiseAbs().maxCoeff(), (16.0 + std::sqrt(200.0)) * kEpsilon<TypeParam> * exact.norm())
        << seed;
  }
}

// Times of 1.7e9 s, a minute apart, which float rounds to multiples of 128: of few rows, the variance is just
// above that of the rounding. It is the rounding of one feature, however many others there are.
TYPED_TEST(WideSpectra, MergedPartsOfFewRowsKeepTheVarianceOfATimestamp) {
  RowMatrix<double> all = 5.0 * normal_rows(40, 160, 1);
  for (Index i = 0; i < all.rows(); ++i) all(i, 0) = 1.7e9 + 60.0 * static_cast<double>(i);
  const RowMatrix<TypeParam> rows = all.cast<TypeParam>();
  for (const Way& way : kLosslessMethods) {
    Options options = options_for(way, 12);
    options.oversampling = 0;
    Model<TypeParam> merged = OnlinePca<TypeParam>(options).partial_fit(rows.topRows(8)).model();
    for (Index first = 8; first < rows.rows(); first += 8) {
      merged = merge(merged, OnlinePca<TypeParam>(options).partial_fit(rows.middleRows(first, 8)).model());
    }
    const Vector<double> want = batch_variances(rows.template cast<double>(), options);
    // What the truncated parts have of the noise along the timestamp.
    EXPECT_NEAR(merged.explained_variance()[0] / want[0], 1.0, 1e-3) << name(way);
  }
}

TYPED_TEST(WideSpectra, KeepTheirSmallComponentsExactly) {
  const Options options = options_for(Method::kExact, kComponents);
  for (const double deviation : {1e3, 1e7}) {
    const RowMatrix<double> all = with_large_unit(deviation).leftCols(20);
    const RowMatrix<TypeParam> rows = all.cast<TypeParam>();
    const Vector<double> want = batch_variances(all, options);
    // Entries of the scatter are right relative to the variances of their two features.
    const double slack = 1e3 * kEpsilon<TypeParam> + 1e-9;
    expect_variances(OnlinePca<TypeParam>(options).partial_fit(rows).model(), want, slack);
    // A merge combines components, which float holds less well than the scatter.
    if (std::is_same_v<TypeParam, float> && deviation > 1e5) continue;
    const auto first = OnlinePca<TypeParam>(options).partial_fit(rows.topRows(1000)).model();
    const auto rest = OnlinePca<TypeParam>(options).partial_fit(rows.bottomRows(kRows - 1000)).model();
    expect_variances(merge(first, rest), want, slack);
  }
}

// Squares of rows along a direction that is no feature are right to epsilon times the largest variance.
TEST(ExactPca, TellsVariancesApartDownToATrillionthOfTheLargest) {
  const Options options = options_for(Method::kExact, kComponents);
  const RowMatrix<double> rows = with_large_direction(1e6).leftCols(20);
  expect_variances(OnlinePca<double>(options).partial_fit(rows).model(), batch_variances(rows, options),
                   1e-2);
}

}  // namespace
}  // namespace roipca
