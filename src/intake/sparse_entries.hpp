/// The entries of a sparse row, in order.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "roipca/sparse.hpp"

namespace roipca {

/// Calls take(column, value) for the nonzero entries of row i, in ascending order of columns. Entries of the
/// same column are added up in their given order. Allocates only if columns do not ascend.
template <typename T, typename Take>
void take_entries(const SparseRows<T>& rows, Index i, Take&& take) {
  const Index from = rows.start(i);
  const Index to = rows.start(i + 1);
  bool ascends = true;
  for (Index e = from + 1; e < to; ++e) ascends = ascends && rows.column(e - 1) < rows.column(e);
  if (ascends) {
    for (Index e = from; e < to; ++e) {
      if (rows.value(e) != T{0}) take(rows.column(e), rows.value(e));
    }
    return;
  }
  std::vector<std::pair<Index, T>> entries;
  for (Index e = from; e < to; ++e) entries.emplace_back(rows.column(e), rows.value(e));
  std::stable_sort(entries.begin(), entries.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (std::size_t e = 0; e < entries.size();) {
    const Index column = entries[e].first;
    T sum{0};
    for (; e < entries.size() && entries[e].first == column; ++e) sum += entries[e].second;
    if (sum != T{0}) take(column, sum);
  }
}

}  // namespace roipca
