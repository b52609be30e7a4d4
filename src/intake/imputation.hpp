/// The part of a stream that fills missing values.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "intake/row_filler.hpp"
#include "state/archive.hpp"

namespace roipca {

/// Fills the missing values of rows with a model of the rows before them, and sums up the covariance that
/// filled values lack: they are expectations, which vary less than the values themselves. Everything is in
/// the units of the stream.
class Imputation {
 public:
  /// `most_components` bounds the number of components of the model.
  Imputation(Index features, Index most_components)
      : most_components_(most_components), variance_(Vector<double>::Zero(features)) {
    use(FillModel::of_nothing(features), 0);
  }

  Index most_components() const { return most_components_; }
  const FillModel& model() const { return model_; }
  /// Uses this model, of this number of rows, from now on. The covariance must have been taken out before.
  void use(FillModel model, std::int64_t rows) {
    model_ = std::move(model);
    filler_.forget();
    rows_ = rows;
    inner_.setZero(model_.components(), model_.components());
    variance_.setZero();
  }
  /// Keeps the present model for the rest of the stream.
  void freeze() { rows_ = std::numeric_limits<std::int64_t>::max(); }
  /// Returns whether a stream of this number of rows has grown enough since the present model that a new one
  /// is worth its cost: by `least` rows, and by `growth` times the rows of the model that forgetting leaves.
  bool is_outdated(std::int64_t rows, std::int64_t least, double growth, double forgetting) const {
    if (rows_ == std::numeric_limits<std::int64_t>::max()) return false;
    auto counting = static_cast<double>(rows_);
    if (forgetting < 1.0) counting = std::min(counting, 1.0 / (1.0 - forgetting));
    return rows - rows_ >= std::max(least, static_cast<std::int64_t>(growth * counting));
  }

  /// Fills a row of deviations from the mean, whose NaN are its gaps: some of its values, not all.
  template <typename T>
  void fill(T* row) {
    filler_.fill(model_, row);
  }
  /// Returns the gaps of the row that was filled last.
  const std::vector<Index>& gaps() const { return filler_.gaps(); }
  /// Adds the covariance of the row that was filled last.
  void add_covariance(double weight) {
    inner_ += weight * filler_.inner_covariance(model_);
    const Vector<double>& variance = filler_.gap_variance(model_);
    for (std::size_t i = 0; i < gaps().size(); ++i) {
      variance_[gaps()[i]] += weight * variance[static_cast<Index>(i)];
    }
    has_covariance_ = true;
  }
  void forget(double factor) {
    inner_ *= factor;
    variance_ *= factor;
  }

  /// Returns the sum so far: its part within the components, Q^T C Q, and its diagonal.
  bool has_covariance() const { return has_covariance_; }
  const Matrix<double>& inner() const { return inner_; }
  const Vector<double>& variance() const { return variance_; }
  void take_out_covariance() {
    inner_.setZero();
    variance_.setZero();
    has_covariance_ = false;
  }

  void visit_state(state::Archive& archive) {
    model_.visit_state(archive, variance_.size(), most_components_);
    if (inner_.rows() != model_.components()) inner_.resize(model_.components(), model_.components());
    archive(rows_, inner_, variance_, has_covariance_);
  }

 private:
  Index most_components_;
  FillModel model_;
  RowFiller filler_;
  std::int64_t rows_ = 0;
  Matrix<double> inner_;
  Vector<double> variance_;
  bool has_covariance_ = false;
};

}  // namespace roipca
