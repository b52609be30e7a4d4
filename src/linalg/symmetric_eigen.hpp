/// Eigenpairs of a small dense symmetric matrix, without allocation.
#pragma once

#include <optional>
#include <vector>

#include "linalg/divided_eigen.hpp"
#include "linalg/eigen_types.hpp"

namespace roipca::linalg {

class SymmetricEigen {
 public:
  explicit SymmetricEigen(Index max_order);

  /// Returns the matrix to solve, to be filled in place: order x order; only the lower triangle is read.
  Eigen::Ref<Matrix<double>> matrix(Index order) { return vectors_.topLeftCorner(order, order); }

  /// Solves by Householder tridiagonalisation and implicit QL or, for large orders, by divide and conquer.
  /// Backward stable: the error of an eigenvalue is at most order * epsilon times the largest. Costs
  /// O(order^3).
  void solve(Index order);

  /// Does the same for a positive semi-definite matrix whose small eigenvalues may be known more accurately
  /// than that: if entry (i, j) has an error of epsilon (a_ii a_jj)^(1/2), they have a relative error of
  /// about epsilon, however far below the largest. Returns the number of values that exceed rounding.
  ///
  /// If one of the first `wanted` values is below kGraded times the largest, a pivoted Cholesky factor is
  /// diagonalised by one-sided Jacobi rotations (Veselic and Hari), at several times the cost of `solve`. The
  /// remainder of a diagonal entry after elimination then counts as rounding below `noise` times that entry;
  /// otherwise, eigenvalues count as rounding below `noise` times the largest.
  Index solve_positive(Index order, Index wanted, double noise);
  static constexpr double kGraded = 1e-8;

  /// Does the same for a matrix D + M^T M whose diagonal D (0 beyond its end) and rows M are known more
  /// accurately than their sum: small values are accurate to `noise` times the rows that contribute to them,
  /// however large the other rows are. M and D together have at most max_order rows.
  Index solve_positive(Index order, Index wanted, double noise,
                       const Eigen::Ref<const Vector<double>>& diagonal,
                       const Eigen::Ref<const Matrix<double>>& rows);

  /// Copies the lower triangle and calls `solve`.
  void compute(const Eigen::Ref<const Matrix<double>>& matrix);

  /// In descending order.
  Eigen::Ref<const Vector<double>> values() const { return values_.head(order_); }
  /// Returns the leading eigenvectors, one per column, in the order of the values.
  Eigen::Ref<const Matrix<double>> vectors(Index count) const {
    return vectors_.topLeftCorner(order_, count);
  }

 private:
  void solve_divided(Index order);
  bool is_graded(Index order, Index wanted);
  Index count_above(Index order, double noise) const;
  Index diagonalise(Index rank);
  Index factorise(double noise);
  void stack(const Eigen::Ref<const Vector<double>>& diagonal, const Eigen::Ref<const Matrix<double>>& rows);
  Index triangularise(Index rows, double noise);
  void orthogonalise_columns(Index rank);

  Index order_ = 0;
  Matrix<double> vectors_;     // its height is a multiple of the longest vector register
  Matrix<double> given_;       // in solve_positive: the matrix, which `solve` overwrites, or its factor
  std::vector<Index> places_;  // positions of the factor's columns
  Vector<double> values_;
  Vector<double> work_;
  std::optional<DividedEigen> divided_;  // if the order may be large
};

}  // namespace roipca::linalg
