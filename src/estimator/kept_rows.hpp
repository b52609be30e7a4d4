/// Keeps the latest rows themselves.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "intake/given_rows.hpp"
#include "intake/given_sparse_rows.hpp"
#include "linalg/eigen_types.hpp"
#include "state/archive.hpp"

namespace roipca {

/// Rows of positive weight and their weights. New rows overwrite the oldest ones. Sparse rows are expanded.
template <typename T>
class KeptRows {
 public:
  KeptRows() = default;
  KeptRows(Index capacity, Index features)
      : rows_(capacity, features), weights_(static_cast<std::size_t>(capacity)) {}

  Index capacity() const { return rows_.rows(); }
  Index count() const { return count_; }

  /// Adds rows. If it throws DataError for a row that was not checked, the rows before it have been kept.
  void add(const GivenRows<T>& given, Index i) {
    given.check(i, i + 1);
    const T* const row = given.view(i, i + 1).data;
    if (given.units == nullptr) {
      std::copy_n(row, rows_.cols(), next_row(given.weight(i)));
    } else {
      std::vector<T> in_units(static_cast<std::size_t>(rows_.cols()));
      to_units(*given.units, row, i, given.weight(i), in_units.data());  // may throw
      std::copy_n(in_units.data(), rows_.cols(), next_row(given.weight(i)));
    }
  }
  void add(const GivenSparseRows<T>& given, Index i) {
    T* const row = next_row(given.weight(i));
    std::fill_n(row, rows_.cols(), T{0});
    for (Index e = given.rows.start(i); e < given.rows.start(i + 1); ++e) {
      row[given.rows.column(e)] += given.rows.value(e);
    }
  }

  bool has_gaps() const {
    return std::any_of(rows_.data(), rows_.data() + count_ * rows_.cols(), [](T x) { return std::isnan(x); });
  }

  /// Calls use(rows, weights) for the rows in the order of the stream, in at most two parts.
  template <typename Use>
  void for_each_part(Use use) const {
    const auto part = [&](Index from, Index to) {
      if (to > from) use(rows_.slice(from, to - from), Weights(weights_).slice(from, to - from));
    };
    part(count_ < capacity() ? 0 : next_, count_);
    if (count_ == capacity()) part(0, next_);
  }

  void visit_state(state::Archive& archive) {
    archive.count(count_, capacity());
    archive.count(next_, capacity());
    archive(as_eigen(rows_), as_eigen(weights_));
  }

 private:
  T* next_row(double weight) {
    const Index place = next_;
    next_ = place + 1 == capacity() ? 0 : place + 1;
    count_ = std::min(count_ + 1, capacity());
    weights_[static_cast<std::size_t>(place)] = weight;
    return rows_.row(place).data();
  }

  OwnedRows<T> rows_;
  std::vector<double> weights_;
  Index count_ = 0;
  Index next_ = 0;  // the place of the next row: that of the oldest one, if all are in use
};

}  // namespace roipca
