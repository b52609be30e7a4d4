/// The three arrays of a scipy CSR matrix as sparse rows of the library.
#pragma once

#include <stdexcept>
#include <string>

#include "arrays.hpp"
#include "roipca/sparse.hpp"

namespace roipca::python {

/// Returns a view of a CSR matrix with `columns` columns. Throws std::invalid_argument if indptr points
/// beyond the other arrays; the library checks everything else.
template <typename T, typename I>
SparseRows<T> sparse_rows(const Array<T>& data, const Array<I>& indices, const Array<I>& starts,
                          Index columns) {
  const auto require = [](bool holds, const char* what) {
    if (!holds) throw std::invalid_argument(std::string("not a CSR matrix: ") + what);
  };
  const auto rows = vector_of(starts);
  require(columns >= 0, "a negative number of columns");
  require(rows.size() > 0 && rows[0] == 0, "indptr must begin with 0");
  const auto entries = static_cast<Index>(rows[rows.size() - 1]);
  require(entries <= vector_of(data).size() && entries <= vector_of(indices).size(),
          "indptr points beyond the data");
  for (Index i = 1; i < rows.size(); ++i) require(rows[i - 1] <= rows[i], "indptr must not descend");
  return {rows.size() - 1, columns, rows.data(), vector_of(indices).data(), vector_of(data).data()};
}

}  // namespace roipca::python
