#include "intake/given_sparse_rows.hpp"

#include <cmath>
#include <stdexcept>
#include <string>

#include "intake/row_check.hpp"
#include "roipca/errors.hpp"

namespace roipca {

template <typename T>
void check_row_columns(const SparseRows<T>& rows, Index i, Index features) {
  if (rows.start(i + 1) < rows.start(i)) {
    throw DataError(i, "not a CSR matrix: the row ends before it starts");
  }
  for (Index e = rows.start(i); e < rows.start(i + 1); ++e) {
    const Index column = rows.column(e);
    if (column >= 0 && column < features) continue;
    throw DataError(i, "column index " + std::to_string(column) + " is out of range: the rows have " +
                           std::to_string(features) + " columns");
  }
}

template <typename T>
void check_columns(const SparseRows<T>& rows, Index features) {
  if (rows.cols() != features) {
    throw std::invalid_argument("the rows have " + std::to_string(rows.cols()) +
                                " features, but the model has " + std::to_string(features) + " features");
  }
  if (rows.rows() > 0 && rows.start(0) < 0) {
    throw std::invalid_argument("not a CSR matrix: the first start is negative");
  }
  for (Index i = 0; i < rows.rows(); ++i) check_row_columns(rows, i, features);
}

template <typename T>
void check_sparse(const SparseRows<T>& rows, const Weights& weights, Index features) {
  check_shape(rows.rows(), rows.cols(), weights, features);
  check_columns(rows, rows.cols());
  for (Index i = 0; i < rows.rows(); ++i) {
    const double weight = weights.empty() ? 1.0 : weights[i];
    T total{0};
    bool ascends = true;
    for (Index e = rows.start(i); e < rows.start(i + 1); ++e) {
      check_value(rows.value(e), i, rows.column(e), weight);
      ascends = ascends && (e == rows.start(i) || rows.column(e - 1) < rows.column(e));
      total += std::abs(rows.value(e));
    }
    // Entries of one column add up.
    if (!ascends) check_value(total, i, rows.column(rows.start(i)), weight);
  }
}

template void check_row_columns(const SparseRows<float>&, Index, Index);
template void check_row_columns(const SparseRows<double>&, Index, Index);
template void check_columns(const SparseRows<float>&, Index);
template void check_columns(const SparseRows<double>&, Index);
template void check_sparse(const SparseRows<float>&, const Weights&, Index);
template void check_sparse(const SparseRows<double>&, const Weights&, Index);

}  // namespace roipca
