// The mean is exact to rounding, and data far from the origin lose nothing.
#include <gtest/gtest.h>

#include "roipca/online_pca.hpp"
#include "support/dense_oracle.hpp"
#include "support/models.hpp"
#include "support/rows.hpp"

namespace roipca {
namespace {

using namespace support;

// The error of the mean held as the sum of two numbers. Taken from the first row on, which is exact in long
// double.
double mean_error(const Vector<double>& mean, const Vector<double>& tail, const RowMatrix<double>& rows) {
  using Real = long double;
  const Vector<Real> first = rows.row(0).cast<Real>();
  const Vector<Real> truth = (rows.cast<Real>().rowwise() - first.transpose()).colwise().mean().transpose();
  return static_cast<double>(
      (((mean.cast<Real>() - first) + tail.cast<Real>()) - truth).cwiseAbs().maxCoeff());
}

RowMatrix<double> spread_around(double mean, Index rows) {
  RowMatrix<double> x = normal_rows(rows, 4, 1);
  x.array() += mean;
  return x;
}

class FarMean : public ::testing::TestWithParam<double> {};
INSTANTIATE_TEST_SUITE_P(Centring, FarMean, ::testing::Values(0.0, 1.0, 1e8, 1e12, -1e12));

TEST_P(FarMean, TheMeanOfManyRowsIsRoundedOnce) {
  const auto rows = spread_around(GetParam(), 100'000);
  const auto model = OnlinePca<double>(options_for(Method::kRoipca, 1)).partial_fit(rows).model();
  // Half a unit of the mean's own rounding, and the roundings of 1e5 steps whose sizes fall like 1/n (their
  // sum is the logarithm, about 12), of a spread that reaches 5.
  const double tolerance = (std::abs(GetParam()) + 12 * 5) * kEpsilon<double>;
  EXPECT_LT(mean_error(as_eigen(model.mean), Vector<double>::Zero(4), rows), tolerance);
}

TEST_P(FarMean, TheMeanAndItsTailAreExactToTheRoundingOfTheSpread) {
  const auto rows = spread_around(GetParam(), 100'000);
  const auto model = OnlinePca<double>(options_for(Method::kRoipca, 1)).partial_fit(rows).model();
  EXPECT_LT(mean_error(as_eigen(model.mean), as_eigen(model.mean_tail), rows), 12 * 5 * kEpsilon<double>);
}

TEST_P(FarMean, TheScatterIsThatOfLongDouble) {
  const auto rows = spread_around(GetParam(), 100'000);
  const auto model = OnlinePca<double>(options_for(Method::kExact, 1)).partial_fit(rows).model();
  const auto oracle = dense_pca(rows);
  // 1e5 additions, each rounded by half a unit of a sum that grows evenly: the errors, of random sign, add up
  // like the root of their number.
  const double tolerance = 4 * std::sqrt(1e5) * kEpsilon<double>;
  EXPECT_LT(relative_difference(as_eigen(model.scatter), oracle.scatter.diagonal()), tolerance);
}

// Whole numbers can be shifted without rounding, so that both runs see the same deviations.
TEST_P(FarMean, TheResultIsThatOfTheSameRowsNearTheOrigin) {
  RowMatrix<double> near = (decaying_rows(2000, 12, 0.7, 3) * 1024.0).array().round();
  RowMatrix<double> far = near;
  far.array() += GetParam();
  for (const Way& method : kAllMethods) {
    const auto a = OnlinePca<double>(options_for(method, 3)).partial_fit(near).model();
    const auto b = OnlinePca<double>(options_for(method, 3)).partial_fit(far).model();
    // 2000 steps of rounding, which the two runs do not share because their means round differently. The
    // gradient rules and fROIPCA carry them on from row to row.
    EXPECT_LT(relative_difference(modelled_scatter(b), modelled_scatter(a)), 2000 * 12 * kEpsilon<double>)
        << name(method);
  }
}

template <typename T>
class Centring : public ::testing::Test {};
TYPED_TEST_SUITE(Centring, Scalars);

TYPED_TEST(Centring, ConstantFeaturesHaveExactlyNoScatter) {
  RowMatrix<TypeParam> rows = normal_rows(500, 6, 1).cast<TypeParam>();
  rows.col(2).setConstant(static_cast<TypeParam>(0.1));
  for (const Way& method : kAllMethods) {
    const auto model = OnlinePca<TypeParam>(options_for(method, 2)).partial_fit(rows).model();
    EXPECT_EQ(model.scatter[2], 0.0) << name(method);
  }
}

TYPED_TEST(Centring, WithoutItTheModelIsOfTheSecondMoments) {
  const RowMatrix<TypeParam> rows = low_rank_rows(100, 12, 2, 4).cast<TypeParam>();
  const auto oracle = dense_pca(rows.template cast<double>(), {}, false);
  for (const Way& method : kLosslessMethods) {
    Options options = options_for(method, 3);
    options.center = false;
    const auto model = OnlinePca<TypeParam>(options).partial_fit(rows).model();
    EXPECT_LT(relative_difference(modelled_scatter(model), oracle.scatter), 100 * 12 * kEpsilon<TypeParam>)
        << name(method);
  }
}

TYPED_TEST(Centring, WithoutItTheMeanIsZero) {
  Options options = options_for(Method::kRoipca, 2);
  options.center = false;
  const auto model =
      OnlinePca<TypeParam>(options).partial_fit(to_rows(RowMatrix<TypeParam>::Ones(5, 3))).model();
  EXPECT_EQ(as_eigen(model.mean), Vector<double>::Zero(3));
}

}  // namespace
}  // namespace roipca
