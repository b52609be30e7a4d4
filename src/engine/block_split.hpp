/// Splits the rows of a block into their parts within the components and outside of them.
#pragma once

#include "engine/rounded_copies.hpp"
#include "intake/row_block.hpp"

namespace roipca {

/// Computes X = Y Q^T + W P^T for the rows X of a block: their coordinates Y along the orthonormal components
/// Q, and W along P, an orthonormal basis of the parts of the rows outside of Q.
///
/// W is computed from the products K = X X^T if these are accurate enough: W W^T = K - Y Y^T, and P = (X^T -
/// Q Y^T) W^(-T) need not be formed. If rows lie nearly within the components or within each other's span,
/// they are orthogonalised one by one instead, and become P. A row adds a direction if its remainder exceeds
/// the rounding of that row, however large other rows are and whatever earlier rows have added up to.
///
/// Allocates at construction only.
template <typename T>
class BlockSplit {
 public:
  BlockSplit(Index max_components, Index max_rows);

  /// Computes Y (or X Z, for a basis Z that is not orthonormal) and K.
  void measure(simd::RowsView<T> q, const RowBlock<T>& block);
  /// Does the same with products in single precision, except for the squares of the rows.
  void measure(Index components, const RoundedCopies& copies, const RowBlock<T>& block);
  /// Computes W and P, after `measure`. The rows are scratch afterwards.
  void split(simd::RowsView<T> q, RowBlock<T>& block);

  /// Y, b x k, row by row.
  const RowMatrix<double>& inside() const { return inside_; }
  /// W, b x directions().
  const RowMatrix<double>& outside() const { return outside_; }
  /// The lower triangle of K.
  const RowMatrix<double>& products() const { return products_; }
  /// Number of columns of W and P.
  Index directions() const { return directions_; }

  /// Whether P is (X^T - Q Y^T) W^(-T) with the rows as they were given; otherwise the rows have become P.
  bool by_products() const { return by_products_; }
  /// Multiplies a matrix by W^(-T), in place.
  void divide_by_outside(Eigen::Ref<Matrix<double>> columns) const;

 private:
  void take_pull_out(Index components, const RowBlock<T>& block);
  bool split_by_products(Index components, const RowBlock<T>& block);
  void split_by_vectors(simd::RowsView<T> q, RowBlock<T>& block);
  void take_mean_out(RowBlock<T>& block);
  void project_out(simd::RowsView<T> q, RowBlock<T>& block, Index first, Index count,
                   RowMatrix<double>& coordinates);
  double norm(const RowBlock<T>& block, Index i) const;

  RowMatrix<double> inside_;    // Y
  RowMatrix<double> products_;  // K
  RowMatrix<double> outside_;   // W
  Index directions_ = 0;
  bool by_products_ = false;
  Vector<double> along_;           // products with the roots of the rows' weights
  RowMatrix<double> corrections_;  // corrections of coordinates by one projection
  RowMatrix<T> coefficients_;
  Vector<T> panel_;
};

extern template class BlockSplit<float>;
extern template class BlockSplit<double>;

}  // namespace roipca
