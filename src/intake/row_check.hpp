/// Rows are checked before anything changes.
#pragma once

#include "roipca/types.hpp"

namespace roipca {

/// Throws std::invalid_argument where the sizes do not fit (`features` 0: any width will do), and DataError
/// for the first row whose weight is out of range.
template <typename T>
void check_shape(const Rows<T>& rows, const Weights& weights, Index features);

/// Throws DataError for the first of the rows [from, to) that has a NaN, an infinity, or a number so large
/// that sums of squares, times the row's weight, overflow. The weights were checked before.
template <typename T>
void check_values(const Rows<T>& rows, const Weights& weights, Index from, Index to);

/// The same for all rows.
template <typename T>
void check_values(const Rows<T>& rows, const Weights& weights = {}) {
  check_values<T>(rows, weights, 0, rows.rows());
}

}  // namespace roipca
