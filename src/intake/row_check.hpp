/// Rows are checked before anything changes.
#pragma once

#include "roipca/types.hpp"

namespace roipca {

/// Throws std::invalid_argument where the sizes or the weights do not fit (`features` 0: any width will do).
template <typename T>
void check_shape(const Rows<T>& rows, const Weights& weights, Index features);

/// Throws DataError for the first row that has a NaN, an infinity, or a number so large that sums of squares,
/// times the row's weight, overflow. `weights` are those of these rows, checked before; rows are numbered
/// from `first` on.
template <typename T>
void check_values(const Rows<T>& rows, const Weights& weights = Weights(Eigen::VectorXd()), Index first = 0);

}  // namespace roipca
