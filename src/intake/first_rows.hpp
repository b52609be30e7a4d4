/// The first rows of a stream, held until there are enough of them to determine the units of the features.
#pragma once

#include <algorithm>

#include "linalg/eigen_types.hpp"
#include "roipca/options.hpp"
#include "simd/table.hpp"
#include "state/archive.hpp"

namespace roipca {

template <typename T>
class FirstRows {
 public:
  FirstRows() = default;
  /// Holds up to `capacity` rows; memory is allocated as they arrive.
  FirstRows(Index capacity, Index features) : capacity_(capacity), features_(features) {}

  bool is_full() const { return count_ == capacity_; }
  Index count() const { return count_; }

  /// Adds a row of positive weight, unless full.
  void add(const T* row, double weight) {
    if (count_ == rows_.rows()) make_room(count_ + 1);
    rows_.row(count_) = Eigen::Map<const Vector<T>>(row, features_);
    weights_[count_++] = weight;
  }

  bool has_gaps() const { return rows_.topRows(count_).hasNaN(); }

  Rows<T> rows() const { return {rows_.data(), count_, features_}; }
  Weights weights() const { return {weights_.data(), count_}; }
  simd::RowsView<T> view() const { return {rows_.data(), features_, count_}; }

  void visit_state(state::Archive& archive) {
    archive.count(count_, capacity_);
    if (rows_.rows() < count_) make_room(count_);
    if (count_ > 0) archive(rows_.topRows(count_), weights_.topRows(count_));
  }

 private:
  void make_room(Index count) {
    const Index size = std::min(capacity_, std::max<Index>(count, 2 * rows_.rows()));
    rows_.conservativeResize(size, features_);
    weights_.conservativeResize(size);
  }

  Index capacity_ = 0;
  Index features_ = 0;
  Index count_ = 0;
  RowMatrix<T> rows_;
  Vector<double> weights_;
};

}  // namespace roipca
