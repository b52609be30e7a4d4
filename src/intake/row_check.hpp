/// Checks rows before anything changes.
#pragma once

#include "roipca/types.hpp"

namespace roipca {

/// Throws std::invalid_argument if the sizes do not fit (`features` 0: any width is accepted), and DataError
/// for the first row whose weight is out of range.
void check_shape(Index rows, Index columns, const Weights& weights, Index features);
template <typename T>
void check_shape(const Rows<T>& rows, const Weights& weights, Index features) {
  check_shape(rows.rows(), rows.cols(), weights, features);
}

/// Throws DataError for a NaN, an infinity, or a number so large that sums of squares, times the row's
/// weight, overflow.
template <typename T>
void check_value(T x, Index row, Index column, double weight);

/// Does the same for the first of the rows [from, to) that has such a number. The weights have been checked.
/// If rows may have gaps, a NaN is a gap.
template <typename T>
void check_values(const Rows<T>& rows, const Weights& weights, Index from, Index to, bool gaps = false);

/// Does the same for all rows.
template <typename T>
void check_values(const Rows<T>& rows, const Weights& weights = {}, bool gaps = false) {
  check_values<T>(rows, weights, 0, rows.rows(), gaps);
}

}  // namespace roipca
