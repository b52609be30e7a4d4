/// The values of a block that were filled, for the scores of its rows.
#pragma once

#include <vector>

#include "intake/row_block.hpp"
#include "linalg/eigen_types.hpp"
#include "simd/aligned_rows.hpp"

namespace roipca {

/// Returns the filled values of a closed block, with what the leading `rank` components have in their place.
/// `components` are these (`normal` null), or else the columns of `normal` combine them. Costs O(k^2) per
/// value.
template <typename T, typename U>
FilledValues filled_values(const RowBlock<T>& block, const simd::AlignedRows<U>& components, Index rank,
                           const Matrix<double>* normal) {
  FilledValues filled;
  if (!block.has_gaps()) return filled;
  const Index features = components.length();
  filled.factors = Vector<double>::Ones(block.count);
  std::vector<Index> places;
  for (Index i = 0; i < block.count; ++i) {
    const auto before = static_cast<Index>(places.size());
    for (Index j = 0; j < features; ++j) {
      if (!block.has_gap(j, i)) continue;
      places.push_back(j);
      filled.rows.push_back(i);
    }
    const Index gaps = static_cast<Index>(places.size()) - before;
    filled.factors[i] = static_cast<double>(features) / static_cast<double>(features - gaps);
  }
  const auto count = static_cast<Index>(places.size());
  filled.values.resize(count);
  filled.components.resize(count, rank);
  Vector<double> entries(rank);
  for (Index e = 0; e < count; ++e) {
    const Index j = places[static_cast<std::size_t>(e)];
    filled.values[e] = static_cast<double>(block.rows.row(filled.rows[static_cast<std::size_t>(e)])[j]);
    for (Index c = 0; c < rank; ++c) entries[c] = static_cast<double>(components.row(c)[j]);
    if (normal == nullptr) {
      filled.components.row(e) = entries.transpose();
    } else {
      for (Index c = 0; c < rank; ++c) filled.components(e, c) = normal->col(c).head(rank).dot(entries);
    }
  }
  return filled;
}

}  // namespace roipca
