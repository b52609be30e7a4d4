/// Eigenpairs of a small dense symmetric matrix, without allocation.
#pragma once

#include "roipca/types.hpp"

namespace roipca {

/// Householder tridiagonalisation and implicit QL with Wilkinson's shift: O(order^3), backward stable, the
/// order within the matrix's norm. Eigen's solver does the same but allocates at every call.
class SymmetricEigen {
 public:
  explicit SymmetricEigen(Index max_order);

  /// Only the lower triangle is read.
  void compute(const Eigen::Ref<const Matrix<double>>& matrix);

  /// Descending.
  Eigen::Map<const Vector<double>> values() const { return {values_.data(), order_}; }
  /// The leading eigenvectors, one a column, in the order of the values.
  Eigen::Ref<const Matrix<double>> vectors(Index count) const {
    return vectors_.topLeftCorner(order_, count);
  }

 private:
  void tridiagonalise();
  void diagonalise();
  void sort();

  Index order_ = 0;
  Matrix<double> vectors_;
  Vector<double> values_;
  Vector<double> off_diagonal_;
  Vector<double> scratch_;
};

}  // namespace roipca
