/// Rows are checked before anything changes.
#pragma once

#include "roipca/types.hpp"

namespace roipca {

/// Throws std::invalid_argument where the rows or the weights do not fit (`features` 0: any width will do),
/// and DataError for the first row that has a NaN, an infinity, or a number so large that sums of
/// squares overflow.
template <typename T>
void check_rows(const Rows<T>& rows, const Weights& weights, Index features);

}  // namespace roipca
