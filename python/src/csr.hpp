/// Rows of a sparse matrix in compressed row form (scipy's CSR), expanded a few at a time.
#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>

#include "arrays.hpp"

namespace roipca::python {

/// A view of the three arrays of a CSR matrix with `columns` columns. Throws std::invalid_argument where they
/// do not fit together, so that expanding is safe whatever they hold.
template <typename T, typename I>
class CsrRows {
 public:
  CsrRows(const Array<T>& data, const Array<I>& indices, const Array<I>& starts, Index columns)
      : data_(vector_of(data)), indices_(vector_of(indices)), starts_(vector_of(starts)), columns_(columns) {
    const auto require = [](bool holds, const char* what) {
      if (!holds) throw std::invalid_argument(std::string("not a CSR matrix: ") + what);
    };
    require(columns >= 0, "a negative number of columns");
    require(starts_.size() > 0 && starts_[0] == 0, "indptr must begin with 0");
    require(std::is_sorted(starts_.begin(), starts_.end()), "indptr must not descend");
    const auto entries = static_cast<Index>(starts_[starts_.size() - 1]);
    require(entries <= data_.size() && entries <= indices_.size(), "indptr points beyond the data");
    require(entries == 0 || std::ranges::all_of(indices_.slice(0, entries),
                                                [columns](I column) {
                                                  return column >= 0 && static_cast<Index>(column) < columns;
                                                }),
            "a column index out of range");
  }

  Index rows() const { return starts_.size() - 1; }
  Index columns() const { return columns_; }

  /// Writes rows [first, first + count) as dense ones; entries at the same place add up.
  void expand(Index first, Index count, OwnedRows<T>& out) const {
    std::fill_n(out.data(), count * columns_, T{0});
    for (Index i = 0; i < count; ++i) {
      for (auto j = static_cast<Index>(starts_[first + i]); j < static_cast<Index>(starts_[first + i + 1]);
           ++j) {
        out(i, static_cast<Index>(indices_[j])) += data_[j];
      }
    }
  }

 private:
  Row<T> data_;
  Row<I> indices_;
  Row<I> starts_;
  Index columns_;
};

}  // namespace roipca::python
