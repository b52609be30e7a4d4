/// Rows of nonzeros, one after the other.
#pragma once

#include <cstddef>
#include <vector>

#include "linalg/eigen_types.hpp"
#include "state/archive.hpp"

namespace roipca {

/// Compressed rows that grow at the end. Indices ascend within a row, and no value is 0.
template <typename T>
struct CsrRows {
  std::vector<Index> starts = {0};
  std::vector<int> indices;
  std::vector<T> values;

  Index count() const { return static_cast<Index>(starts.size()) - 1; }
  Index entries() const { return starts.back(); }
  Index length_of(Index i) const {
    return starts[static_cast<std::size_t>(i) + 1] - starts[static_cast<std::size_t>(i)];
  }
  const T* values_of(Index i) const { return values.data() + starts[static_cast<std::size_t>(i)]; }
  const int* indices_of(Index i) const { return indices.data() + starts[static_cast<std::size_t>(i)]; }

  void clear() {
    starts.resize(1);
    indices.clear();
    values.clear();
  }

  /// Ends a row whose entries were pushed to `indices` and `values`.
  void end_row() { starts.push_back(static_cast<Index>(indices.size())); }

  /// Multiplies all values.
  void rescale(double factor) {
    for (T& value : values) value = static_cast<T>(static_cast<double>(value) * factor);
  }

  void append_row(const CsrRows& others, Index i) {
    indices.insert(indices.end(), others.indices_of(i), others.indices_of(i) + others.length_of(i));
    values.insert(values.end(), others.values_of(i), others.values_of(i) + others.length_of(i));
    end_row();
  }

  void append(const CsrRows& others) {
    const Index before = entries();
    indices.insert(indices.end(), others.indices.begin(), others.indices.end());
    values.insert(values.end(), others.values.begin(), others.values.end());
    for (std::size_t i = 1; i < others.starts.size(); ++i) starts.push_back(before + others.starts[i]);
  }

  /// Returns the same entries by columns: row j of the result has those of column j.
  CsrRows transposed(Index columns) const {
    CsrRows by_column;
    by_column.starts.assign(static_cast<std::size_t>(columns) + 1, 0);
    for (const int j : indices) ++by_column.starts[static_cast<std::size_t>(j) + 1];
    for (std::size_t j = 1; j < by_column.starts.size(); ++j) by_column.starts[j] += by_column.starts[j - 1];
    by_column.indices.resize(indices.size());
    by_column.values.resize(values.size());
    std::vector<Index> next(by_column.starts.begin(), by_column.starts.end() - 1);
    for (Index i = 0; i < count(); ++i) {
      for (Index e = 0; e < length_of(i); ++e) {
        const auto place = static_cast<std::size_t>(next[static_cast<std::size_t>(indices_of(i)[e])]++);
        by_column.indices[place] = static_cast<int>(i);
        by_column.values[place] = values_of(i)[e];
      }
    }
    return by_column;
  }

  /// `most` bounds the number of rows of a state, `features` the entries of a row.
  void visit_state(state::Archive& archive, Index most, Index features) {
    Index rows = count();
    archive.count(rows, most);
    starts.resize(static_cast<std::size_t>(rows) + 1);
    archive(Eigen::Map<Eigen::Matrix<Index, Eigen::Dynamic, 1>>(starts.data(), rows + 1));
    Index total = entries();
    archive.count(total, rows * features);
    indices.resize(static_cast<std::size_t>(total));
    values.resize(static_cast<std::size_t>(total));
    archive(Eigen::Map<Eigen::VectorXi>(indices.data(), total),
            Eigen::Map<Eigen::Matrix<T, Eigen::Dynamic, 1>>(values.data(), total));
  }
};

}  // namespace roipca
