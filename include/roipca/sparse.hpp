/// Sparse rows: a view of the three arrays of a CSR matrix.
#pragma once

#include <cstdint>

#include "roipca/types.hpp"

namespace roipca {

/// Rows of which only the entries that are not zero are stored, in compressed row form (CSR), as scipy and
/// Eigen have it: the entries of row i are `values` and column `indices` from starts[i] to starts[i + 1].
/// Columns may come in any order; entries of one column add up; explicit zeros count as zeros.
///
///     roipca::SparseRows<double> rows(n, d, starts, indices, values);
///     pca.partial_fit(rows);
///
/// Copies nothing and checks nothing: the functions that take rows check them. The arrays must outlive the
/// view, and `indices` and `values` must have starts[n] entries.
template <typename T>
class SparseRows {
 public:
  SparseRows(Index rows, Index cols, const std::int32_t* starts, const std::int32_t* indices, const T* values)
      : rows_(rows), cols_(cols), narrow_starts_(starts), narrow_indices_(indices), values_(values) {}
  SparseRows(Index rows, Index cols, const std::int64_t* starts, const std::int64_t* indices, const T* values)
      : rows_(rows), cols_(cols), wide_starts_(starts), wide_indices_(indices), values_(values) {}

  Index rows() const { return rows_; }
  Index cols() const { return cols_; }
  /// The first entry of row i; start(rows()) is the end of the last.
  Index start(Index i) const { return narrow_starts_ != nullptr ? narrow_starts_[i] : wide_starts_[i]; }
  Index column(Index entry) const {
    return narrow_indices_ != nullptr ? narrow_indices_[entry] : wide_indices_[entry];
  }
  T value(Index entry) const { return values_[entry]; }
  /// Rows [first, first + count).
  SparseRows slice(Index first, Index count) const {
    SparseRows part = *this;
    part.rows_ = count;
    if (narrow_starts_ != nullptr) part.narrow_starts_ += first;
    if (wide_starts_ != nullptr) part.wide_starts_ += first;
    return part;
  }
  Index entries() const { return start(rows_) - start(0); }

 private:
  Index rows_;
  Index cols_;
  const std::int32_t* narrow_starts_ = nullptr;
  const std::int32_t* narrow_indices_ = nullptr;
  const std::int64_t* wide_starts_ = nullptr;
  const std::int64_t* wide_indices_ = nullptr;
  const T* values_;
};

}  // namespace roipca
