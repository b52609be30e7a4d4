/// Checks whether the rows of another pass are those of a model.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "linalg/eigen_types.hpp"
#include "roipca/model.hpp"
#include "state/archive.hpp"

namespace roipca {

/// Number, weight, means and total variance of the rows of a pass.
class RowIdentity {
 public:
  explicit RowIdentity(Index features) : deviations_(Vector<double>::Zero(features)) {}

  /// Counts a row; `square` is w |x - mean|^2 in the unit squared.
  void add(double weight, double square) {
    ++rows_;
    weight_ += weight;
    trace_ += square;
    least_weight_ = std::min(least_weight_, weight);
    farthest_ = std::max(farthest_, square / weight);
  }
  /// Returns the sum of w (x - mean) of each feature, for the caller to add to.
  Vector<double>& deviations() { return deviations_; }

  void merge(const RowIdentity& other) {
    rows_ += other.rows_;
    weight_ += other.weight_;
    trace_ += other.trace_;
    least_weight_ = std::min(least_weight_, other.least_weight_);
    farthest_ = std::max(farthest_, other.farthest_);
    deviations_ += other.deviations_;
  }

  std::int64_t rows() const { return rows_; }

  /// Throws std::invalid_argument that says what differs from the rows of the model.
  template <typename T>
  void require_rows_of(const Model<T>& model, double unit) const;

  void visit_state(state::Archive& archive) {
    archive(rows_, weight_, trace_, least_weight_, farthest_, deviations_);
  }

 private:
  std::int64_t rows_ = 0;
  double weight_ = 0.0;
  double trace_ = 0.0;
  double least_weight_ = std::numeric_limits<double>::max();
  double farthest_ = 0.0;  // largest |x - mean|^2, in the unit squared
  Vector<double> deviations_;
};

}  // namespace roipca
