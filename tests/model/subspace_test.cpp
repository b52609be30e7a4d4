#include "roipca/subspace.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "support/models.hpp"
#include "support/rows.hpp"

namespace roipca {
namespace {

using namespace support;

Matrix<double> rotated(double angle) {
  Matrix<double> v = Matrix<double>::Identity(5, 2);
  v(0, 0) = std::cos(angle);
  v(4, 0) = std::sin(angle);
  return v;
}

TEST(SubspaceError, IsThePapersDefinition) {
  const Matrix<double> u = orthonormal_columns(8, 3, 1);
  const Matrix<double> v = orthonormal_columns(8, 3, 2);
  const double expected =
      (u * u.transpose() - v * v.transpose()).squaredNorm() / (u * u.transpose()).squaredNorm();
  EXPECT_NEAR(subspace_error(u, v), expected, 64 * kEpsilon<double>);
}

TEST(SubspaceError, OfSubspacesOfDifferentSizesIsThePapersDefinition) {
  const Matrix<double> u = orthonormal_columns(8, 3, 1);
  const Matrix<double> v = orthonormal_columns(8, 5, 2);
  const double expected = (u * u.transpose() - v * v.transpose()).squaredNorm() / 3.0;
  EXPECT_NEAR(subspace_error(u, v), expected, 64 * kEpsilon<double>);
}

TEST(SubspaceError, DoesNotDependOnRotationsInsideTheSubspace) {
  const Matrix<double> u = orthonormal_columns(8, 3, 1);
  const Matrix<double> turned = u * orthonormal_columns(3, 3, 2);
  EXPECT_LT(subspace_error(u, turned), std::pow(8 * kEpsilon<double>, 2));
}

TEST(SubspaceError, OfOrthogonalSubspacesIsTwo) {
  const Matrix<double> q = orthonormal_columns(8, 6, 1);
  EXPECT_NEAR(subspace_error(q.leftCols(3), q.rightCols(3)), 2.0, 16 * kEpsilon<double>);
}

// Two projections that differ in one direction by the angle t differ by 2 sin(t)^2.
TEST(SubspaceError, OfSmallAnglesIsRightToRounding) {
  for (const double angle : {1e-1, 1e-4, 1e-8, 1e-12}) {
    const double expected = 2.0 * std::pow(std::sin(angle), 2) / 2.0;
    // The rounding of cos(t), epsilon, is an error of the length that enters as its square.
    EXPECT_NEAR(subspace_error(rotated(0.0), rotated(angle)), expected,
                8 * kEpsilon<double> * expected + std::pow(kEpsilon<double>, 2))
        << angle;
  }
}

TEST(SubspaceError, OfSpacesOfDifferentDimensionsIsRefused) {
  EXPECT_THROW(subspace_error(Matrix<double>::Identity(4, 2), Matrix<double>::Identity(5, 2)),
               std::invalid_argument);
}

TEST(SubspaceError, RelativeToAnEmptySubspaceIsRefused) {
  EXPECT_THROW(subspace_error(Matrix<double>(4, 0), Matrix<double>::Identity(4, 2)), std::invalid_argument);
}

}  // namespace
}  // namespace roipca
