/// The sparse rows of a call, as the caller gave them.
#pragma once

#include "roipca/online_pca.hpp"
#include "roipca/sparse.hpp"

namespace roipca {

/// Throws std::invalid_argument if the sizes, the starts or the weights do not fit (`features` 0: any width
/// is accepted), and DataError for the first row that has a column out of range, a NaN, an infinity, or a
/// number that is too large.
template <typename T>
void check_sparse(const SparseRows<T>& rows, const Weights& weights, Index features);

/// Does the same for the arrays alone: the width, the starts and the columns, but not the numbers.
template <typename T>
void check_columns(const SparseRows<T>& rows, Index features);

/// Does the same for the start and the columns of row i.
template <typename T>
void check_row_columns(const SparseRows<T>& rows, Index i, Index features);

/// Rows and their weights (none: 1 for each row), checked by check_sparse.
template <typename T>
struct GivenSparseRows {
  const SparseRows<T>& rows;
  const Weights& weights;

  Index count() const { return rows.rows(); }
  double weight(Index i) const { return weights.empty() ? 1.0 : weights[i]; }
  bool counts(Index i) const { return weight(i) > 0.0; }
  Index numbers(Index i) const { return rows.start(i + 1) - rows.start(i); }
  bool is_empty(Index /*i*/) const { return false; }
};

}  // namespace roipca
