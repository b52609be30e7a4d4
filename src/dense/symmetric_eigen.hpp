/// Eigenpairs of a small dense symmetric matrix, without allocation.
#pragma once

#include "roipca/types.hpp"

namespace roipca {

/// Householder tridiagonalisation and implicit QL, in the instruction set in use: O(order^3), backward
/// stable.
class SymmetricEigen {
 public:
  explicit SymmetricEigen(Index max_order);

  /// Only the lower triangle is read.
  void compute(const Eigen::Ref<const Matrix<double>>& matrix);

  /// The matrix for `solve`, to be filled in place: order x order, only the lower triangle is read.
  Eigen::Ref<Matrix<double>> matrix(Index order) { return vectors_.topLeftCorner(order, order); }
  void solve(Index order);

  /// Descending.
  Eigen::Ref<const Vector<double>> values() const { return values_.head(order_); }
  /// The leading eigenvectors, one a column, in the order of the values.
  Eigen::Ref<const Matrix<double>> vectors(Index count) const {
    return vectors_.topLeftCorner(order_, count);
  }

 private:
  Index order_ = 0;
  Matrix<double> vectors_;  // its height is a multiple of the longest vector register
  Vector<double> values_;
  Vector<double> work_;
};

}  // namespace roipca
