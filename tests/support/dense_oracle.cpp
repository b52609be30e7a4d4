#include "support/dense_oracle.hpp"

#include <Eigen/Eigenvalues>

namespace roipca::support {

DensePca dense_pca(const RowMatrix<double>& rows, const Vector<double>& weights, bool center) {
  using Real = long double;
  Vector<Real> w = Vector<Real>::Ones(rows.rows());
  if (weights.size() > 0) w = weights.cast<Real>();
  Matrix<Real> x = rows.cast<Real>();
  Vector<Real> mean = Vector<Real>::Zero(x.cols());
  if (center) {
    // Relative to the first row, so that rows far from the origin lose no digits of their deviations.
    const Vector<Real> first = x.row(0);
    x.rowwise() -= first.transpose();
    const Vector<Real> rest = x.transpose() * w / w.sum();
    x.rowwise() -= rest.transpose();
    mean = first + rest;
  }
  const Matrix<Real> scatter = x.transpose() * w.asDiagonal() * x;
  const Eigen::SelfAdjointEigenSolver<Matrix<Real>> eigen(scatter);

  DensePca pca;
  pca.weight = static_cast<double>(w.sum());
  pca.mean = mean.cast<double>();
  pca.scatter = scatter.cast<double>();
  pca.values = eigen.eigenvalues().reverse().cwiseMax(Real{0}).cast<double>();
  pca.vectors = eigen.eigenvectors().rowwise().reverse().cast<double>();
  return pca;
}

}  // namespace roipca::support
