/// Sparse rows: a view of the three arrays of a CSR matrix.
#pragma once

#include <cstdint>
#include <vector>

#include "roipca/types.hpp"

namespace roipca {

/// Rows whose nonzero entries alone are stored, in compressed row form (CSR), as in scipy and Eigen: the
/// entries of row i are `values` and column `indices` from starts[i] to starts[i + 1]. Columns may be in any
/// order; entries of the same column are added; explicit zeros count as zeros.
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
      : rows_(rows), cols_(cols), is_wide_(false), starts_(starts), indices_(indices), values_(values) {}
  SparseRows(Index rows, Index cols, const std::int64_t* starts, const std::int64_t* indices, const T* values)
      : rows_(rows), cols_(cols), is_wide_(true), starts_(starts), indices_(indices), values_(values) {}

  Index rows() const { return rows_; }
  Index cols() const { return cols_; }
  /// Returns the first entry of row i; start(rows()) is the end of the last row.
  Index start(Index i) const { return is_wide_ ? starts_.wide[i] : starts_.narrow[i]; }
  Index column(Index entry) const { return is_wide_ ? indices_.wide[entry] : indices_.narrow[entry]; }
  T value(Index entry) const { return values_[entry]; }
  /// Returns the rows [first, first + count).
  SparseRows slice(Index first, Index count) const {
    SparseRows part = *this;
    part.rows_ = count;
    if (is_wide_) {
      part.starts_.wide += first;
    } else {
      part.starts_.narrow += first;
    }
    return part;
  }
  Index entries() const { return start(rows_) - start(0); }

 private:
  union Integers {
    const std::int32_t* narrow;
    const std::int64_t* wide;
    explicit Integers(const std::int32_t* integers) : narrow(integers) {}
    explicit Integers(const std::int64_t* integers) : wide(integers) {}
  };

  Index rows_;
  Index cols_;
  bool is_wide_;  // which member of the unions is set
  Integers starts_;
  Integers indices_;
  const T* values_;
};

/// Sparse rows that own their memory and grow at the end.
///
///     roipca::OwnedSparseRows<double> rows(100000);
///     rows.add(3, 1.5);                                  // an entry of the row that is being written
///     rows.end_row();
///     pca.partial_fit(rows.view());
template <typename T>
class OwnedSparseRows {
 public:
  explicit OwnedSparseRows(Index cols = 0) : cols_(cols) {}

  Index rows() const { return static_cast<Index>(starts_.size()) - 1; }
  Index cols() const { return cols_; }
  /// Returns the number of entries, including those of a row that has not ended.
  Index entries() const { return static_cast<Index>(indices_.size()); }

  void add(Index column, T value) {
    indices_.push_back(column);
    values_.push_back(value);
  }
  void end_row() { starts_.push_back(entries()); }
  /// Removes the entries added since the last row ended.
  void drop_open_row() {
    indices_.resize(static_cast<std::size_t>(starts_.back()));
    values_.resize(static_cast<std::size_t>(starts_.back()));
  }
  /// Removes all rows and sets the number of columns. Memory is kept for the rows that follow.
  void clear(Index cols) {
    cols_ = cols;
    starts_.resize(1);
    drop_open_row();
  }

  /// Returns a view, which is valid until the rows change or are destroyed.
  SparseRows<T> view() const { return {rows(), cols_, starts_.data(), indices_.data(), values_.data()}; }

  const std::vector<std::int64_t>& starts() const { return starts_; }
  const std::vector<std::int64_t>& indices() const { return indices_; }
  const std::vector<T>& values() const { return values_; }

 private:
  Index cols_;
  std::vector<std::int64_t> starts_ = {0};
  std::vector<std::int64_t> indices_;
  std::vector<T> values_;
};

}  // namespace roipca
