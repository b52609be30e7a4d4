/// Kernel matrices as a whole, and their eigenpairs by a dense solver.
#pragma once

#include <Eigen/Eigenvalues>
#include <cmath>

#include "linalg/eigen_types.hpp"
#include "roipca/kernel.hpp"

namespace roipca::testing {

inline Matrix<double> kernel_matrix(const Kernel<double>& kernel, const RowMatrix<double>& rows) {
  Matrix<double> k(rows.rows(), rows.rows());
  for (Index i = 0; i < rows.rows(); ++i)
    kernel.against(rows.row(i), rows, {k.col(i).data(), static_cast<std::size_t>(rows.rows())});
  return k;
}

/// (I - 1/n) K (I - 1/n).
inline Matrix<double> centred(Matrix<double> k) {
  const Eigen::RowVectorXd means = k.colwise().mean();
  const double mean = means.mean();
  k.rowwise() -= means;
  k.colwise() -= means.transpose();
  k.array() += mean;
  return k;
}

struct Pairs {
  Vector<double> values;  // descending
  Matrix<double> vectors;
};

inline Pairs dense_pairs(const Matrix<double>& k) {
  const Eigen::SelfAdjointEigenSolver<Matrix<double>> eigen(k);
  return {eigen.eigenvalues().reverse(), eigen.eigenvectors().rowwise().reverse()};
}

/// max |Q^T Q - I|.
inline double orthonormality_error(const Matrix<double>& q) {
  return (q.transpose() * q - Matrix<double>::Identity(q.cols(), q.cols())).cwiseAbs().maxCoeff();
}

/// The sine of the angle between the spans of the first j columns, where `products` is U^T V of two
/// orthonormal bases and U's is of the whole space.
inline double leading_angle(const Matrix<double>& products, Index j) {
  return products.bottomLeftCorner(products.rows() - j, j).norm();
}

}  // namespace roipca::testing
