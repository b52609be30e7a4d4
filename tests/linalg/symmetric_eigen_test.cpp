#include "linalg/symmetric_eigen.hpp"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>
#include <random>
#include <vector>

#include "../secular/quad.hpp"

namespace roipca::linalg {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

Matrix<double> make_matrix(std::mt19937_64& random, Index n, int kind) {
  std::normal_distribution<double> normal;
  Matrix<double> a(n, n);
  for (double& entry : a.reshaped()) entry = normal(random);
  switch (kind) {
    case 0:
      return a + a.transpose();
    case 1:
      return a.leftCols((n + 1) / 2) * a.leftCols((n + 1) / 2).transpose();  // singular
    case 2:
      return Matrix<double>::Identity(n, n) + 1e-14 * (a + a.transpose());  // one cluster
    case 3: {                                                               // graded over thirty decades
      Vector<double> scale(n);
      for (Index i = 0; i < n; ++i) {
        scale[i] = std::pow(10.0, -15.0 * static_cast<double>(i) / static_cast<double>(n));
      }
      return scale.asDiagonal() * (a + a.transpose()) * scale.asDiagonal();
    }
    case 4:
      return Matrix<double>::Zero(n, n);
    case 5:
      return (a + a.transpose()) * 1e150;
    default:
      return a.diagonal().asDiagonal();
  }
}

TEST(SymmetricEigen, AgreesWithEigensSolver) {
  std::mt19937_64 random(1);
  SymmetricEigen ours(60);
  for (int repeat = 0; repeat < 2000; ++repeat) {
    const Index n = 1 + repeat % 60;
    const Matrix<double> a = make_matrix(random, n, repeat % 7);
    ours.compute(a);
    const Eigen::SelfAdjointEigenSolver<Matrix<double>> theirs(a);
    // Each is accurate to a few roundings of the norm per operation.
    const double norm = theirs.eigenvalues().cwiseAbs().maxCoeff();
    const double slack = 4.0 * static_cast<double>(n) * kEpsilon;
    const Matrix<double> v = ours.vectors(n);
    EXPECT_LE((ours.values() - theirs.eigenvalues().reverse()).cwiseAbs().maxCoeff(), slack * norm);
    EXPECT_LE((v.transpose() * v - Matrix<double>::Identity(n, n)).cwiseAbs().maxCoeff(), slack);
    EXPECT_LE((a * v - v * ours.values().asDiagonal()).cwiseAbs().maxCoeff(), slack * norm);
  }
}

TEST(SymmetricEigen, ReadsOnlyTheLowerTriangle) {
  std::mt19937_64 random(2);
  Matrix<double> a = make_matrix(random, 8, 0);
  SymmetricEigen eigen(8);
  eigen.compute(a);
  const Vector<double> want = eigen.values();
  a.triangularView<Eigen::StrictlyUpper>().setConstant(7.0);
  eigen.compute(a);
  EXPECT_EQ(want, Vector<double>(eigen.values()));
}

// Eigenvalues of the product of the factor with itself, both in 113 bits.
Vector<double> squared_singular_values(const Matrix<double>& factor) {
  using secular::testing::Quad;
  const auto n = static_cast<std::size_t>(factor.cols());
  std::vector<std::vector<Quad>> product(n, std::vector<Quad>(n, 0));
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      for (Index row = 0; row < factor.rows(); ++row) {
        product[i][j] +=
            static_cast<Quad>(factor(row, static_cast<Index>(i))) * factor(row, static_cast<Index>(j));
      }
    }
  }
  const auto eigen = secular::testing::jacobi(product);
  Vector<double> values(factor.cols());
  for (std::size_t i = 0; i < n; ++i) values[static_cast<Index>(i)] = static_cast<double>(eigen.values[i]);
  return values;
}

Matrix<double> normal_matrix(std::mt19937_64& random, Index rows, Index columns) {
  std::normal_distribution<double> normal;
  Matrix<double> a(rows, columns);
  for (double& entry : a.reshaped()) entry = normal(random);
  return a;
}

double largest_relative_error(const Eigen::Ref<const Vector<double>>& got, const Vector<double>& want) {
  return (got.array() / want.head(got.size()).array() - 1.0).abs().maxCoeff();
}

double orthonormality_error(const Matrix<double>& v) {
  return (v.transpose() * v - Matrix<double>::Identity(v.cols(), v.cols())).cwiseAbs().maxCoeff();
}

TEST(SymmetricEigen, VectorsHaveLengthOneToTheRoundingOfTheirEntries) {
  std::mt19937_64 random(2);
  SymmetricEigen eigen(60);
  for (const Index order : {5, 18, 60}) {
    const Matrix<double> factor = normal_matrix(random, order, order);
    eigen.compute(factor.transpose() * factor);
    const Matrix<long double> vectors = eigen.vectors(order).cast<long double>();
    for (Index j = 0; j < order; ++j) {
      const auto length = static_cast<double>(vectors.col(j).norm() - 1.0L);
      EXPECT_LE(std::abs(length), 2 * kEpsilon) << order;
    }
  }
}

// Each entry of a graded matrix is known relative to its row and column.
TEST(SolvePositive, KeepsSmallEigenvaluesOfGradedMatrices) {
  std::mt19937_64 random(3);
  SymmetricEigen eigen(20);
  for (const double decades : {2.0, 6.0, 8.0}) {
    for (int repeat = 0; repeat < 20; ++repeat) {
      Matrix<double> factor = normal_matrix(random, 40, 20);
      for (Index j = 0; j < 20; ++j)
        factor.col(j) *= std::pow(10.0, -decades * static_cast<double>(j) / 19.0);
      eigen.matrix(20) = factor.transpose() * factor;
      ASSERT_EQ(eigen.solve_positive(20, 20, 20 * kEpsilon), 20);
      // Scaled to a diagonal of ones, its condition is about 100.
      const double slack = decades < 4.0 ? 1e-9 : 1e4 * kEpsilon;
      EXPECT_LE(largest_relative_error(eigen.values(), squared_singular_values(factor)), slack);
      EXPECT_LE(orthonormality_error(eigen.vectors(20)), 100 * kEpsilon);
    }
  }
}

// One row that is much larger than the others makes every entry of the matrix large, but its factor still
// contains the others.
TEST(SolvePositive, KeepsWhatStandsBesideALargeRowOfTheFactor) {
  std::mt19937_64 random(4);
  SymmetricEigen eigen(30);
  for (const double size : {1e6, 1e8, 1e9}) {
    const Vector<double> diagonal = normal_matrix(random, 10, 1).cwiseAbs2();
    Matrix<double> rows = normal_matrix(random, 12, 18);
    rows.row(7) *= size;
    Matrix<double> factor = Matrix<double>::Zero(22, 18);
    factor.topLeftCorner(10, 10) = diagonal.cwiseSqrt().asDiagonal();
    factor.bottomRows(12) = rows;
    eigen.matrix(18) = factor.transpose() * factor;
    ASSERT_EQ(eigen.solve_positive(18, 18, 18 * kEpsilon, diagonal, rows), 18);
    // Rows are solved to the rounding of their own size.
    EXPECT_LE(largest_relative_error(eigen.values(), squared_singular_values(factor)), 1e4 * kEpsilon);
    EXPECT_LE(orthonormality_error(eigen.vectors(18)), 100 * kEpsilon);
  }
}

// Of a row that is noise beside a large one along no axis, what it has in common with rows that are not is
// more than noise.
TEST(SolvePositive, LosesNoMoreThanRoundingOfTheMatrixWhereRowsAreLeftOut) {
  std::mt19937_64 random(6);
  SymmetricEigen eigen(20);
  for (int repeat = 0; repeat < 60; ++repeat) {
    Matrix<double> factor = 1e-5 * normal_matrix(random, 5, 20);
    factor.row(0).array() += 3.0;
    eigen.matrix(20) = factor.transpose() * factor;
    const double entry = factor.row(0).cwiseAbs2().maxCoeff();
    const auto found = eigen.solve_positive(20, 20, 12 * kEpsilon);
    ASSERT_EQ(found, 5);
    const Vector<double> want = squared_singular_values(factor);
    // Forming the matrix rounds each entry, and so does eliminating; n x n entries of e have a norm of n e.
    EXPECT_LE((eigen.values().segment(1, 4) - want.segment(1, 4)).cwiseAbs().maxCoeff(),
              2 * 20 * kEpsilon * entry);
  }
}

// Beside a direction whose rounding is near what the others have, errors of entries must not add up to more
// than the noise of the diagonal.
TEST(SolvePositive, AddsNoMoreThanTheNoiseOfTheDiagonal) {
  std::mt19937_64 random(8);
  SymmetricEigen eigen(100);
  const double noise = 50 * kEpsilon;
  for (int repeat = 0; repeat < 10; ++repeat) {
    Matrix<double> factor = normal_matrix(random, 3, 100);
    factor.row(0) *= 3e6 * (1 + repeat);
    const Matrix<double> matrix = factor.transpose() * factor;
    eigen.matrix(100) = matrix;
    eigen.solve_positive(100, 3, noise);
    const Vector<double> want = squared_singular_values(factor);
    EXPECT_LE(eigen.values()[1] - want[1], noise * matrix.trace()) << repeat;
  }
}

TEST(SolvePositive, FindsTheRank) {
  std::mt19937_64 random(5);
  SymmetricEigen eigen(12);
  const Matrix<double> factor = normal_matrix(random, 4, 12);
  eigen.matrix(12) = factor.transpose() * factor;
  EXPECT_EQ(eigen.solve_positive(12, 12, 12 * kEpsilon), 4);
  EXPECT_LE(orthonormality_error(eigen.vectors(4)), 100 * kEpsilon);
  EXPECT_EQ(eigen.values()[4], 0.0);
}

}  // namespace
}  // namespace roipca::linalg
