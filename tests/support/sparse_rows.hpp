/// Sparse rows for tests, with the dense rows that they stand for.
#pragma once

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "roipca/sparse.hpp"

namespace roipca::support {

template <typename T>
struct Csr {
  Index columns = 0;
  std::vector<std::int64_t> starts = {0};
  std::vector<std::int64_t> indices;
  std::vector<T> values;

  Index count() const { return static_cast<Index>(starts.size()) - 1; }
  void push(Index column, double value) {
    indices.push_back(column);
    values.push_back(static_cast<T>(value));
  }
  /// The entries of row i of another, after which the row goes on.
  void push_row(const Csr& other, Index i) {
    for (auto e = other.starts[static_cast<std::size_t>(i)];
         e < other.starts[static_cast<std::size_t>(i) + 1]; ++e) {
      push(other.indices[static_cast<std::size_t>(e)], other.values[static_cast<std::size_t>(e)]);
    }
  }
  void append(const Csr& other) {
    for (Index i = 0; i < other.count(); ++i) {
      push_row(other, i);
      end_row();
    }
  }
  void end_row() { starts.push_back(static_cast<std::int64_t>(indices.size())); }
  SparseRows<T> view() const { return {count(), columns, starts.data(), indices.data(), values.data()}; }
  SparseRows<T> view(Index first, Index rows) const { return view().slice(first, rows); }

  /// Row by row.
  std::vector<T> dense() const {
    std::vector<T> rows(static_cast<std::size_t>(count() * columns), T{0});
    for (Index i = 0; i < count(); ++i) {
      for (auto e = starts[static_cast<std::size_t>(i)]; e < starts[static_cast<std::size_t>(i) + 1]; ++e) {
        const auto entry = static_cast<std::size_t>(e);
        rows[static_cast<std::size_t>(i * columns + indices[entry])] += values[entry];
      }
    }
    return rows;
  }
};

/// Counts of words: most words are rare, and each of seven topics prefers some.
template <typename T>
Csr<T> documents(Index n, Index words, Index length, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  Csr<T> rows;
  rows.columns = words;
  std::vector<double> counts(static_cast<std::size_t>(words));
  for (Index i = 0; i < n; ++i) {
    counts.assign(counts.size(), 0.0);
    const auto topic = static_cast<Index>(random() % 7);
    for (Index l = 0; l < length; ++l) {
      auto word = static_cast<Index>(std::pow(static_cast<double>(words), uniform(random))) - 1;
      if (uniform(random) < 0.6) word = (word * (2 * topic + 3) + 17 * topic) % words;
      counts[static_cast<std::size_t>(word)] += 1.0;
    }
    for (Index j = 0; j < words; ++j) {
      if (counts[static_cast<std::size_t>(j)] > 0.0)
        rows.push(j, 1.0 + std::log(counts[static_cast<std::size_t>(j)]));
    }
    rows.end_row();
  }
  return rows;
}

}  // namespace roipca::support
