// fROIPCA on rows one of whose directions is far larger than the others: its small moves must neither lose
// the digits of the others nor multiply the drift of the components.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "roipca/online_pca.hpp"
#include "support/models.hpp"
#include "support/rows.hpp"

namespace roipca {
namespace {

using namespace support;

template <typename T>
class FroipcaStreams : public ::testing::Test {};
TYPED_TEST_SUITE(FroipcaStreams, Scalars);

// The eigenvalues of the second moments of rows of two features in long double. The second is a quotient, so
// that it keeps its digits beside the first.
Vector<double> eigenvalues_of_two(const RowMatrix<double>& rows, double forgetting) {
  long double a = 0.0L;
  long double b = 0.0L;
  long double c = 0.0L;
  for (Index i = 0; i < rows.rows(); ++i) {
    const long double x = rows(i, 0);
    const long double y = rows(i, 1);
    a = forgetting * a + x * x;
    b = forgetting * b + x * y;
    c = forgetting * c + y * y;
  }
  const long double first = (a + c) / 2 + std::sqrt((a - c) / 2 * ((a - c) / 2) + b * b);
  return Eigen::Vector2d(static_cast<double>(first), static_cast<double>((a * c - b * b) / first));
}

// With two components, one number tau replaces one rotation, which is exact.
TYPED_TEST(FroipcaStreams, OptimalTauIsExactForTwoComponentsInUnitsFarApart) {
  const double unit = std::is_same_v<TypeParam, float> ? 1e2 : 1e7;
  for (const double forgetting : {1.0, 0.9}) {
    for (unsigned seed = 0; seed < 5; ++seed) {
      RowMatrix<double> rows = normal_rows(600, 2, seed);
      rows.col(0) *= unit;
      const RowMatrix<TypeParam> given = rows.cast<TypeParam>();
      Options options = options_for(Method::kFroipca, 2);
      options.tau = Tau::kOptimal;
      options.center = false;
      options.forgetting = forgetting;
      const auto model = OnlinePca<TypeParam>(options).partial_fit(given).model();
      const Vector<double> want = eigenvalues_of_two(given.template cast<double>(), forgetting).cwiseSqrt();
      const Vector<double> got = as_eigen(model.eigenvalues).cwiseSqrt();
      // Each of the 600 rows adds to the first and forgetting multiplies it, with half a rounding each.
      EXPECT_LE(std::abs(got[0] - want[0]), 600.0 * kEpsilon<TypeParam> * want[0])
          << "forgetting " << forgetting << ", seed " << seed;
      // Rows and components are rounded to T, the latter 600 times at random: a part of the length of all
      // rows along the first component.
      EXPECT_LE(std::abs(got[1] - want[1]), (32.0 + std::sqrt(600.0)) * kEpsilon<TypeParam> * want[0])
          << "forgetting " << forgetting << ", seed " << seed;
    }
  }
}

// Rows after an outlier that is being forgotten move the components fast and have small residuals.
TYPED_TEST(FroipcaStreams, StayOrthonormalWhileAnOutlierIsForgotten) {
  constexpr Index kFeatures = 10;
  constexpr Index kRows = 1500;
  for (const double size : {1e3, 1e5, 1e7}) {
    for (const double forgetting : {0.999, 0.99}) {
      for (const Tau tau : {Tau::kZero, Tau::kOptimal}) {
        RowMatrix<TypeParam> rows = RowMatrix<TypeParam>::Zero(kRows, kFeatures);
        const Vector<double> places = uniform_numbers(kRows, 1) * double{kFeatures};
        for (Index i = 0; i < kRows; ++i) rows(i, static_cast<Index>(places[i])) = TypeParam{1};
        rows.row(10).setConstant(static_cast<TypeParam>(size));
        Options options = options_for(Method::kFroipca, 8);
        options.tau = tau;
        options.oversampling = 0;
        options.forgetting = forgetting;
        OnlinePca<TypeParam> pca(options);
        double drift = 0.0;
        for (Index i = 0; i < kRows; i += 20) {
          pca.partial_fit(rows.middleRows(i, 20));
          drift = std::max(drift, orthonormality_error(as_columns(pca.model().basis)));
        }
        EXPECT_LE(drift, 512.0 * kEpsilon<TypeParam>)
            << "outlier of " << size << ", forgetting " << forgetting << ", tau "
            << (tau == Tau::kZero ? "zero" : "optimal");
      }
    }
  }
}

}  // namespace
}  // namespace roipca
