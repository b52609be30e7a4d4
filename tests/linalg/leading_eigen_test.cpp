// The leading eigenpairs of large matrices, against all of them by Eigen.
#include "linalg/leading_eigen.hpp"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>
#include <limits>

namespace roipca::linalg {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

simd::AlignedRows<double> lower_triangle(const Matrix<double>& a) {
  simd::AlignedRows<double> lower(a.rows(), a.rows());
  for (Index j = 0; j < a.rows(); ++j) {
    for (Index i = 0; i < a.rows(); ++i)
      lower.row(j)[i] = i < j ? 1e300 : a(i, j);  // nobody reads those above
  }
  return lower;
}

// With these eigenvalues, and random eigenvectors.
Matrix<double> matrix_of(const Vector<double>& values) {
  const Index n = values.size();
  const Eigen::HouseholderQR<Matrix<double>> factors(Matrix<double>::Random(n, n));
  const Matrix<double> q = factors.householderQ();
  const Matrix<double> a = q * values.asDiagonal() * q.transpose();
  return 0.5 * (a + a.transpose());
}

void expect_leading_pairs(const Matrix<double>& a, const LeadingEigen& found, Index wanted) {
  const Vector<double> all =
      Eigen::SelfAdjointEigenSolver<Matrix<double>>(a, Eigen::EigenvaluesOnly).eigenvalues().reverse();
  const Matrix<double> v = found.vectors().columns(wanted);
  const double slack = 16.0 * std::sqrt(static_cast<double>(a.rows())) * kEpsilon;
  EXPECT_LE((found.values() - all.head(wanted)).cwiseAbs().maxCoeff(), slack * all[0]);
  EXPECT_LE((a * v - v * found.values().asDiagonal()).colwise().norm().maxCoeff(), slack * all[0]);
  EXPECT_LE((v.transpose() * v - Matrix<double>::Identity(wanted, wanted)).cwiseAbs().maxCoeff(), slack);
}

TEST(LeadingEigenpairs, AreThoseOfADenseSolver) {
  for (const double power : {0.5, 1.0, 2.0}) {
    for (const auto& [n, wanted] : {std::pair<Index, Index>{150, 3}, {257, 10}, {400, 40}}) {
      Vector<double> values(n);
      for (Index i = 0; i < n; ++i) values[i] = std::pow(static_cast<double>(i + 1), -power);
      const Matrix<double> a = matrix_of(values);
      LeadingEigen eigen(lower_triangle(a), wanted);
      if (eigen.solve(8.0 * kEpsilon)) {
        expect_leading_pairs(a, eigen, wanted);
      } else {
        EXPECT_LT(power, 2.0) << n;  // too little apart for so few directions
      }
    }
  }
}

// A Krylov space from few vectors has as few of the copies, until rounding has grown into the others, and no
// residual tells.
TEST(LeadingEigenpairs, IncludeEveryCopyOfAnEigenvalue) {
  constexpr Index kWanted = 30;
  constexpr double kTolerance = 1e-3;
  Vector<double> values(400);
  for (Index i = 0; i < values.size(); ++i) values[i] = std::pow(0.9, static_cast<double>(i));
  values.segment(2, 20).setConstant(values[2]);
  LeadingEigen eigen(lower_triangle(matrix_of(values)), kWanted);
  ASSERT_TRUE(eigen.solve(kTolerance));
  EXPECT_LE((eigen.values() - values.head(kWanted)).cwiseAbs().maxCoeff(), kTolerance);
}

TEST(LeadingEigenpairs, OfAMultipleOfTheIdentity) {
  const Matrix<double> a = 3e9 * Matrix<double>::Identity(200, 200);
  LeadingEigen eigen(lower_triangle(a), 12);
  ASSERT_TRUE(eigen.solve(8.0 * kEpsilon));
  expect_leading_pairs(a, eigen, 12);
}

TEST(LeadingEigenpairs, OfLowRankAreFoundUnlessZerosAreWanted) {
  constexpr Index kRank = 20;
  Vector<double> values = Vector<double>::Zero(200);
  values.head(kRank) = Vector<double>::LinSpaced(kRank, 2.0, 1.0) * 1e-30;
  const Matrix<double> a = matrix_of(values);
  LeadingEigen eigen(lower_triangle(a), kRank);
  ASSERT_TRUE(eigen.solve(8.0 * kEpsilon));
  expect_leading_pairs(a, eigen, kRank);
  EXPECT_FALSE(LeadingEigen(lower_triangle(a), kRank + 1).solve(8.0 * kEpsilon));
}

TEST(LeadingEigenpairs, AreLeftToOthersWhereTheyAreTooManyOrTooSmall) {
  Vector<double> values(200);
  for (Index i = 0; i < values.size(); ++i) values[i] = std::pow(0.1, static_cast<double>(i));
  EXPECT_FALSE(LeadingEigen(lower_triangle(matrix_of(values)), 12).solve(8.0 * kEpsilon));
  EXPECT_FALSE(LeadingEigen(lower_triangle(Matrix<double>::Identity(40, 40)), 30).solve(8.0 * kEpsilon));
  EXPECT_FALSE(LeadingEigen(lower_triangle(Matrix<double>::Zero(200, 200)), 5).solve(8.0 * kEpsilon));
}

}  // namespace
}  // namespace roipca::linalg
