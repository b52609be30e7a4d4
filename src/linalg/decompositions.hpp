/// Decompositions of dense matrices in double. Those of Eigen take seconds to compile in every source that
/// uses one; these are compiled once. For symmetric eigenproblems see symmetric_eigen.hpp.
#pragma once

#include <Eigen/Cholesky>
#include <Eigen/QR>

#include "linalg/eigen_types.hpp"

namespace roipca::linalg {

/// A = Q R for a matrix with at least as many rows as columns, by Householder reflections.
class HouseholderQr {
 public:
  /// Decomposes the matrix in its own memory.
  explicit HouseholderQr(Matrix<double> a);
  HouseholderQr(const HouseholderQr&) = delete;
  HouseholderQr& operator=(const HouseholderQr&) = delete;

  /// Returns R, square and upper triangular.
  Matrix<double> triangle() const;
  /// Returns the product of the columns of Q that belong to R with a matrix.
  Matrix<double> times(const Matrix<double>& small) const;

 private:
  Matrix<double> factors_;
  Eigen::HouseholderQR<Eigen::Ref<Matrix<double>>> qr_;
};

/// A = L L^T for a symmetric matrix, of which only the lower triangle is read.
class Cholesky {
 public:
  explicit Cholesky(const Matrix<double>& a);

  /// Whether A is positive definite. If not, there is no factor.
  bool is_positive() const { return factor_.info() == Eigen::Success; }
  double log_determinant() const;
  /// Returns the square of the smallest diagonal entry of L.
  double least_pivot() const;
  Matrix<double> inverse() const;
  /// Returns L^(-1).
  Matrix<double> inverse_of_factor() const;

 private:
  Eigen::LLT<Matrix<double>> factor_;
};

/// Returns A^(-1), by elimination with partial pivoting.
Matrix<double> inverse(const Matrix<double>& a);

/// Returns the orthogonal factor U V^T of a square matrix with the singular value decomposition U S V^T.
Matrix<double> polar_factor(const Matrix<double>& a);

}  // namespace roipca::linalg
