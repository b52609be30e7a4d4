#include "linalg/decompositions.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support/rows.hpp"

namespace roipca::linalg {
namespace {

using support::normal_rows;

constexpr Index kOrder = 30;
// Backward errors are a small multiple of the order in roundings, of numbers up to 1 after scaling by norms.
constexpr double kRounding = 16.0 * static_cast<double>(kOrder) * std::numeric_limits<double>::epsilon();

Matrix<double> square(unsigned seed) { return normal_rows(kOrder, kOrder, seed); }

double distance_from_identity(const Matrix<double>& a) {
  return (a - Matrix<double>::Identity(a.rows(), a.cols())).cwiseAbs().maxCoeff();
}

TEST(HouseholderQr, MultipliesBackToTheMatrix) {
  const Matrix<double> a = normal_rows(80, kOrder, 1);
  const HouseholderQr qr(a);
  EXPECT_LE((qr.times(qr.triangle()) - a).norm(), kRounding * a.norm());
}

TEST(HouseholderQr, HasATriangle) {
  const Matrix<double> r = HouseholderQr(normal_rows(80, kOrder, 2)).triangle();
  ASSERT_EQ(r.rows(), kOrder);
  for (Index j = 0; j < kOrder; ++j) {
    for (Index i = j + 1; i < kOrder; ++i) EXPECT_EQ(r(i, j), 0.0);
  }
}

TEST(HouseholderQr, HasOrthonormalColumns) {
  const Matrix<double> q =
      HouseholderQr(normal_rows(80, kOrder, 3)).times(Matrix<double>::Identity(kOrder, kOrder));
  EXPECT_LE(distance_from_identity(q.transpose() * q), kRounding);
}

TEST(Cholesky, InvertsTheMatrixAndItsFactor) {
  const Matrix<double> b = square(4);
  const Matrix<double> a =
      b * b.transpose() / kOrder + Matrix<double>::Identity(kOrder, kOrder);  // condition below 6
  const Cholesky cholesky(a);
  ASSERT_TRUE(cholesky.is_positive());
  EXPECT_LE(distance_from_identity(a * cholesky.inverse()), 8.0 * kRounding);
  const Matrix<double> inverse = cholesky.inverse_of_factor();
  EXPECT_LE(distance_from_identity(inverse * a * inverse.transpose()), 8.0 * kRounding);
}

TEST(Cholesky, HasTheLogarithmOfTheDeterminant) {
  const Vector<double> diagonal = Vector<double>::LinSpaced(kOrder, 0.5, 4.0);
  const Matrix<double> q = HouseholderQr(square(5)).times(Matrix<double>::Identity(kOrder, kOrder));
  const Cholesky cholesky(q * diagonal.asDiagonal() * q.transpose());
  double sum = 0.0;
  for (const double number : diagonal) sum += std::log(number);
  EXPECT_NEAR(cholesky.log_determinant(), sum, kOrder * kRounding);
}

TEST(Cholesky, RefusesAnIndefiniteMatrix) {
  Matrix<double> a = Matrix<double>::Identity(kOrder, kOrder);
  a(7, 7) = -1e-3;
  EXPECT_FALSE(Cholesky(a).is_positive());
}

TEST(Inverse, TimesTheMatrixIsTheIdentity) {
  const Matrix<double> a = square(6) + 20.0 * Matrix<double>::Identity(kOrder, kOrder);  // condition below 4
  EXPECT_LE(distance_from_identity(a * inverse(a)), 4.0 * kRounding);
}

// A = U H with a positive semi-definite H = U^T A is what defines it.
TEST(PolarFactor, LeavesASymmetricPositiveMatrix) {
  const Matrix<double> a = square(7);
  const Matrix<double> u = polar_factor(a);
  EXPECT_LE(distance_from_identity(u.transpose() * u), kRounding);
  const Matrix<double> h = u.transpose() * a;
  EXPECT_LE((h - h.transpose()).norm(), kRounding * a.norm());
  EXPECT_TRUE(Cholesky(h + kRounding * a.norm() * Matrix<double>::Identity(kOrder, kOrder)).is_positive());
}

TEST(PolarFactor, IsOrthogonalWhereTheMatrixIsSingular) {
  Matrix<double> a = square(8);
  a.col(3).setZero();
  a.col(9) = a.col(4);
  const Matrix<double> u = polar_factor(a);
  EXPECT_LE(distance_from_identity(u.transpose() * u), kRounding);
}

}  // namespace
}  // namespace roipca::linalg
