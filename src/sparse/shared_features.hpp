/// Features of sparse rows, arranged for products of X X^T with vectors.
#pragma once

#include <cstddef>
#include <vector>

#include "sparse/csr_rows.hpp"

namespace roipca {

/// X X^T = diag(of_one_row) + L L^T, where the columns of L are the features that two or more rows have. They
/// are in the order of their numbers of rows, because most features of wide rows have few: a loop over the
/// rows of each is fast only if its length can be predicted.
template <typename T>
struct SharedFeatures {
  Vector<double> of_one_row;  // sum of the squares of the features that only this row has
  CsrRows<T> lists;           // one row per feature: its rows, with their values

  SharedFeatures(const CsrRows<T>& by_feature, Index rows) : of_one_row(Vector<double>::Zero(rows)) {
    // Counting sort by the number of rows.
    std::vector<Index> next(static_cast<std::size_t>(rows) + 2, 0);
    Index entries = 0;
    for (Index j = 0; j < by_feature.count(); ++j) {
      const Index length = by_feature.length_of(j);
      if (length == 1) {
        const auto value = static_cast<double>(*by_feature.values_of(j));
        of_one_row[*by_feature.indices_of(j)] += value * value;
      }
      if (length < 2) continue;
      ++next[static_cast<std::size_t>(length) + 1];
      entries += length;
    }
    for (std::size_t length = 1; length < next.size(); ++length) next[length] += next[length - 1];
    std::vector<int> order(static_cast<std::size_t>(next.back()));
    for (Index j = 0; j < by_feature.count(); ++j) {
      const Index length = by_feature.length_of(j);
      if (length < 2) continue;
      order[static_cast<std::size_t>(next[static_cast<std::size_t>(length)]++)] = static_cast<int>(j);
    }
    lists.starts.reserve(order.size() + 1);
    lists.indices.reserve(static_cast<std::size_t>(entries));
    lists.values.reserve(static_cast<std::size_t>(entries));
    for (const int j : order) lists.append_row(by_feature, j);
  }
};

}  // namespace roipca
