/// Keeps rows until there are enough of them to tune a learning rate.
#pragma once

#include <optional>

#include "roipca/learning_rate.hpp"
#include "roipca/options.hpp"
#include "state/archive.hpp"

namespace roipca {

/// Tunes the rate of GHA and Oja's rule in a stream that does not begin with a batch.
template <typename T>
class RateTuning {
 public:
  /// Returns whether a rate is still to be tuned.
  static bool is_due(const Options& options, const Resolved& resolved) {
    return (options.method == Method::kGha || options.method == Method::kOja) &&
           options.learning_rate.kind == LearningRate::Kind::kTuned && resolved.learning_rate == 0.0;
  }

  /// Keeps a row. With the last row that is needed, returns the rate and forgets the rows. Rows that are all
  /// equal fit every rate: they are forgotten, and other rows are collected.
  std::optional<double> add(const T* row, Index features, const Options& options) {
    make_room(features);
    rows_.row(count_++) = Eigen::Map<const Vector<T>>(row, features);
    if (count_ < kRows) return std::nullopt;
    const double c = tune_learning_rate<T>(rows_, options);
    count_ = 0;
    if (c == 0.0) return std::nullopt;
    rows_.resize(0, 0);
    return c;
  }

  void visit_state(state::Archive& archive, Index features) {
    archive.count(count_, kRows - 1);
    if (count_ == 0) return;
    make_room(features);
    archive(rows_.topRows(count_));
  }

 private:
  static constexpr Index kRows = 200;

  void make_room(Index features) {
    if (rows_.size() == 0) rows_.resize(kRows, features);
  }

  RowMatrix<T> rows_;
  Index count_ = 0;
};

}  // namespace roipca
