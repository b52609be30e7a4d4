/// The rows of a call, as the caller gave them.
#pragma once

#include <algorithm>
#include <cmath>

#include "intake/row_check.hpp"
#include "intake/units.hpp"
#include "roipca/types.hpp"
#include "simd/table.hpp"

namespace roipca {

/// Rows and their weights (none: 1 for each row). Their shape and weights have been checked. Their numbers
/// have been checked as well if `checked`; otherwise, call `check` for every row before it is used.
template <typename T>
struct GivenRows {
  const Rows<T>& rows;
  const Weights& weights;
  bool checked;
  const Units* units = nullptr;  // units to convert the rows to; null: none
  bool gaps = false;             // whether a NaN is a missing value

  Index count() const { return rows.rows(); }
  double weight(Index i) const { return weights.empty() ? 1.0 : weights[i]; }
  /// Returns whether a row has a positive weight and, if values may be missing, at least one value.
  bool counts(Index i) const { return weight(i) > 0.0 && !is_empty(i); }
  /// Returns the number of numbers to look at in row i.
  Index numbers(Index /*i*/) const { return rows.cols(); }
  /// Returns whether row i has no value.
  bool is_empty(Index i) const {
    if (!gaps) return false;
    const Row<T> row = rows.row(i);
    return std::all_of(row.begin(), row.end(), [](T x) { return std::isnan(x); });
  }
  /// Null if all weights are 1.
  const double* weights_from(Index i) const { return weights.empty() ? nullptr : weights.data() + i; }
  simd::RowsView<T> view(Index from, Index to) const {
    return {rows.data() + from * rows.stride(), rows.stride(), to - from};
  }

  /// Throws DataError for the first of the rows [from, to) that cannot be used.
  void check(Index from, Index to) const {
    if (!checked) check_values<T>(rows, weights, from, to, gaps);
  }
};

}  // namespace roipca
