/// Parts of the rows of a call.
#pragma once

#include <algorithm>

#include "linalg/eigen_types.hpp"
#include "roipca/sparse.hpp"
#include "roipca/types.hpp"

namespace roipca {

inline Weights part_of(const Weights& weights, Index from, Index count) {
  return weights.empty() ? weights : weights.slice(from, count);
}

inline bool is_all_zero(const Weights& weights) {
  return weights.size() > 0 &&
         std::all_of(weights.data(), weights.data() + weights.size(), [](double w) { return w == 0.0; });
}

/// Returns the number of first rows up to the `wanted`-th one that counts.
inline Index count_up_to(Index wanted, Index rows, const Weights& weights) {
  if (weights.empty()) return std::min(rows, wanted);
  Index count = 0;
  for (Index used = 0; count < rows && used < wanted; ++count) used += weights[count] > 0.0 ? 1 : 0;
  return count;
}

template <typename T>
RowMatrix<T> expanded(const SparseRows<T>& rows) {
  RowMatrix<T> dense = RowMatrix<T>::Zero(rows.rows(), rows.cols());
  for (Index i = 0; i < rows.rows(); ++i) {
    for (Index e = rows.start(i); e < rows.start(i + 1); ++e) dense(i, rows.column(e)) += rows.value(e);
  }
  return dense;
}

}  // namespace roipca
