#include "linalg/right_vectors.hpp"

#include <gtest/gtest.h>

#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <limits>

#include "support/rows.hpp"

namespace roipca::linalg {
namespace {

using support::normal_rows;

constexpr Index kOrder = 60;
// Backward errors are a small multiple of the order in roundings of the largest singular value.
constexpr double kRounding = 16.0 * static_cast<double>(kOrder) * std::numeric_limits<double>::epsilon();

// Returns a matrix whose largest singular value is 1, and the i-th is `ratio`^i.
Matrix<double> falling(double ratio) {
  const Eigen::JacobiSVD<Matrix<double>> svd(normal_rows(kOrder, kOrder, 1),
                                             Eigen::ComputeFullU | Eigen::ComputeFullV);
  Vector<double> values(kOrder);
  for (Index i = 0; i < kOrder; ++i) values[i] = std::pow(ratio, static_cast<double>(i));
  return svd.matrixU() * values.asDiagonal() * svd.matrixV().transpose();
}

// The oracle is Eigen's Jacobi method on the matrix itself.
void expect_leading_vectors(const Matrix<double>& a, Index wanted) {
  const Eigen::JacobiSVD<Matrix<double>> svd(a, Eigen::ComputeFullU | Eigen::ComputeFullV);
  const RightVectors found = right_vectors(a, wanted);
  ASSERT_EQ(found.values.size(), wanted);
  ASSERT_EQ(found.vectors.cols(), wanted);
  const double largest = svd.singularValues()[0];
  EXPECT_LE((found.values - svd.singularValues().head(wanted)).cwiseAbs().maxCoeff(), kRounding * largest);
  const Matrix<double> gram = found.vectors.transpose() * found.vectors;
  EXPECT_LE((gram - Matrix<double>::Identity(wanted, wanted)).cwiseAbs().maxCoeff(), kRounding);
  // a^T a v = s^2 v, measured without squares: the images of the vectors are orthogonal to those of the rest.
  const Matrix<double> image = a * found.vectors;
  Matrix<double> products = image.transpose() * image;
  products.diagonal().setZero();
  const Vector<double> lengths = image.colwise().norm();
  for (Index i = 0; i < wanted; ++i) {
    for (Index j = 0; j < wanted; ++j) {
      EXPECT_LE(std::abs(products(i, j)), kRounding * largest * std::max(lengths[i], lengths[j]));
    }
  }
  const Matrix<double> rest = a - image * found.vectors.transpose();
  const double next = wanted < kOrder ? svd.singularValues()[wanted] : 0.0;
  const double left = Eigen::JacobiSVD<Matrix<double>>(rest).singularValues()[0];
  EXPECT_LE(left, next + kRounding * largest);
}

TEST(RightVectors, AreThoseOfTheLargestValues) {
  for (const double ratio : {0.99, 0.9, 0.5}) {
    for (const Index wanted : {1, 7, 59, 60}) {
      SCOPED_TRACE(::testing::Message() << "ratio " << ratio << ", wanted " << wanted);
      expect_leading_vectors(falling(ratio), wanted);
    }
  }
}

// 0.5^20 squared is 1e-12, and 0.1^20 squared is far below rounding of the products.
TEST(RightVectors, OfSmallValuesAreFoundWhereSquaresLoseThem) {
  expect_leading_vectors(falling(0.5), 20);
  expect_leading_vectors(falling(0.1), 20);
}

TEST(RightVectors, AreCompleteForEqualAndMissingValues) {
  expect_leading_vectors(Matrix<double>::Identity(kOrder, kOrder), 5);
  Matrix<double> low = Matrix<double>::Zero(kOrder, kOrder);
  low.topRows(3) = normal_rows(3, kOrder, 2);
  expect_leading_vectors(low, 8);
}

TEST(RightVectors, AreNoMoreThanTheOrder) {
  EXPECT_EQ(right_vectors(falling(0.9), 100).values.size(), kOrder);
  EXPECT_EQ(right_vectors(Matrix<double>(0, 0), 3).values.size(), 0);
}

}  // namespace
}  // namespace roipca::linalg
