// The leading eigenpairs of known matrices.
#include "sparse/block_lanczos.hpp"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>
#include <random>

namespace roipca {
namespace {

Matrix<double> random_matrix(Index rows, Index columns, unsigned seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  return Matrix<double>::NullaryExpr(rows, columns, [&] { return normal(random); });
}

// V diag(values) V^T for a random orthogonal V.
Matrix<double> with_values(const Vector<double>& values, unsigned seed) {
  const Index n = values.size();
  const Matrix<double> v = Eigen::HouseholderQR<Matrix<double>>(random_matrix(n, n, seed)).householderQ();
  return v * values.asDiagonal() * v.transpose();
}

BlockLanczos::Products products_of(const Matrix<double>& a) {
  return [&a](const simd::AlignedRows<double>& vectors, simd::AlignedRows<double>& to, Index count) {
    to.columns(count) = a * vectors.columns(count);
  };
}

// Residuals |A u - theta u| and the drift from orthonormality, relative to the largest value.
void expect_eigenpairs(const Matrix<double>& a, const BlockLanczos& found, double tolerance) {
  const Index count = found.count();
  const Matrix<double> u = found.vectors().columns(count);
  const Matrix<double> identity = Matrix<double>::Identity(count, count);
  EXPECT_LT((u.transpose() * u - identity).cwiseAbs().maxCoeff(), 1e-13);
  const Matrix<double> left = a * u - u * found.values().head(count).asDiagonal();
  EXPECT_LT(left.colwise().norm().maxCoeff(), tolerance * found.values()[0]);
}

TEST(BlockLanczos, FindsTheLeadingEigenpairs) {
  Vector<double> values(300);
  for (Index i = 0; i < 300; ++i) values[i] = std::pow(0.7, static_cast<double>(i));
  const auto a = with_values(values, 1);
  BlockLanczos lanczos(300, 10);
  lanczos.solve(products_of(a));
  ASSERT_EQ(lanczos.count(), 10);
  // An eigenvalue is off by the square of the residual, relative to the distance to the others: 0.3 of it.
  constexpr double kOff = BlockLanczos::kResidual * BlockLanczos::kResidual / 0.3;
  for (Index i = 0; i < 5; ++i) EXPECT_NEAR(lanczos.values()[i], values[i], kOff * values[i]);
  expect_eigenpairs(a, lanczos, BlockLanczos::kResidual);
}

// A block has eight vectors: it cannot see twelve equal values without new directions.
TEST(BlockLanczos, FindsMultipleEigenvalues) {
  Vector<double> values = Vector<double>::Zero(200);
  values.head(12).setConstant(3.0);
  values.segment(12, 5).setConstant(1.0);
  const auto a = with_values(values, 2);
  BlockLanczos lanczos(200, 30);
  lanczos.solve(products_of(a));
  EXPECT_LT((lanczos.values().head(30) - values.head(30)).cwiseAbs().maxCoeff(), 1e-12);
  expect_eigenpairs(a, lanczos, 1e-12);
}

TEST(BlockLanczos, IsExactWhereTheMatrixIsSmall) {
  const Matrix<double> x = random_matrix(60, 30, 3);
  const Matrix<double> a = x * x.transpose();
  const Eigen::SelfAdjointEigenSolver<Matrix<double>> truth(a);
  BlockLanczos lanczos(60, 40);
  lanczos.solve(products_of(a));
  EXPECT_LT((lanczos.values().head(40) - truth.eigenvalues().reverse().head(40)).cwiseAbs().maxCoeff(),
            1e-13 * truth.eigenvalues()[59]);
  expect_eigenpairs(a, lanczos, 1e-13);
  BlockLanczos few(3, 40);
  const Matrix<double> small = a.topLeftCorner(3, 3);
  few.solve(products_of(small));
  EXPECT_EQ(few.count(), 3);
  expect_eigenpairs(small, few, 1e-13);
}

TEST(BlockLanczos, KeepsWhatItStartsFrom) {
  Vector<double> values(400);
  for (Index i = 0; i < 400; ++i) values[i] = 1.0 + 0.001 * static_cast<double>(400 - i);  // hardly falls
  const auto a = with_values(values, 4);
  const Eigen::SelfAdjointEigenSolver<Matrix<double>> truth(a);
  simd::AlignedRows<double> leading(20, 400);
  leading.columns(20) = truth.eigenvectors().rightCols(20);
  BlockLanczos lanczos(400, 20);
  lanczos.start(leading, 20, products_of(a));
  lanczos.solve(products_of(a));
  EXPECT_LT((lanczos.values().head(20) - values.head(20)).cwiseAbs().maxCoeff(), 1e-13);
}

TEST(BlockLanczos, TakesAMatrixOfZeros) {
  const Matrix<double> a = Matrix<double>::Zero(50, 50);
  BlockLanczos lanczos(50, 5);
  lanczos.solve(products_of(a));
  EXPECT_EQ(lanczos.values().head(5).cwiseAbs().maxCoeff(), 0.0);
}

}  // namespace
}  // namespace roipca
