#include "support/rows.hpp"

#include <Eigen/QR>
#include <cmath>
#include <random>

namespace roipca::support {

RowMatrix<double> normal_rows(Index n, Index d, unsigned seed) {
  std::mt19937_64 bits(seed);
  std::normal_distribution<double> normal;
  return RowMatrix<double>::NullaryExpr(n, d, [&] { return normal(bits); });
}

Matrix<double> orthonormal_columns(Index d, Index k, unsigned seed) {
  const Matrix<double> square = normal_rows(d, d, seed);
  const Matrix<double> q = Eigen::HouseholderQR<Matrix<double>>(square).householderQ();
  return q.leftCols(k);
}

RowMatrix<double> decaying_rows(Index n, Index d, double ratio, unsigned seed) {
  const auto deviation = [ratio](Index j) { return std::pow(ratio, static_cast<double>(j)); };
  const Vector<double> deviations = Vector<double>::NullaryExpr(d, deviation);
  const Matrix<double> axes = orthonormal_columns(d, d, seed + 1);
  return normal_rows(n, d, seed) * deviations.asDiagonal() * axes.transpose();
}

RowMatrix<double> low_rank_rows(Index n, Index d, Index rank, unsigned seed) {
  const RowMatrix<double> plane = orthonormal_columns(d, rank, seed + 1).transpose();
  const Eigen::RowVectorXd origin = normal_rows(1, d, seed + 2);
  RowMatrix<double> rows = normal_rows(n, rank, seed) * plane;
  rows.rowwise() += origin;
  return rows;
}

Vector<double> uniform_numbers(Index n, unsigned seed) {
  std::mt19937_64 bits(seed);
  std::uniform_real_distribution<double> uniform;
  return Vector<double>::NullaryExpr(n, [&] { return uniform(bits); });
}

}  // namespace roipca::support
