/// Rows with missing values in a further pass.
#pragma once

#include <cmath>
#include <cstdint>

#include "intake/row_filler.hpp"
#include "linalg/eigen_types.hpp"
#include "passes/row_identity.hpp"
#include "roipca/model.hpp"
#include "state/archive.hpp"

namespace roipca {

/// Fills the rows of a pass with the model that is refined, which makes the pass a step of the EM algorithm.
/// Sums up the uncertainty of filled rows: C Q for their conditional covariances C and the leading `rank`
/// components Q, and the variances of the features. Everything is in the unit of the pass.
template <typename T>
class GapProducts {
 public:
  GapProducts(const Model<T>& model, Index rank, double unit)
      : unit_squared_(unit * unit),
        fill_model_(fill_model(model)),
        basis_(as_columns(model.basis).leftCols(rank).template cast<double>()),
        products_(Matrix<double>::Zero(model.features(), rank)),
        scatter_(Vector<double>::Zero(model.features())),
        gap_weight_(Vector<double>::Zero(model.features())),
        deviations_(model.features()),
        filled_(model.features()) {}

  /// Takes a row of positive weight and returns it filled, valid until the next call. If the row has no
  /// value, it is counted, and null is returned. The deviations of filled values are subtracted from those to
  /// be added to `identity`.
  const T* fill(const Model<T>& model, const Row<T>& row, double weight, RowIdentity& identity) {
    const auto x = as_eigen(row);
    filled_ = x.transpose();
    const auto mean = as_eigen(model.mean);
    const auto tail = as_eigen(model.mean_tail);
    deviations_ = (filled_.template cast<double>() - mean) - tail;
    if (x.hasNaN()) {
      if (x.array().isNaN().all()) {
        ++empty_rows_;
        return nullptr;
      }
      filler_.fill(fill_model_, deviations_.data());
      const Matrix<double> covariance = filler_.covariance_times(fill_model_, basis_);
      const Vector<double>& variance = filler_.gap_variance(fill_model_);
      const double scale = weight * unit_squared_;
      for (std::size_t i = 0; i < filler_.gaps().size(); ++i) {
        const Index j = filler_.gaps()[i];
        const auto place = static_cast<Index>(i);
        filled_[j] = static_cast<T>(deviations_[j] + tail[j] + mean[j]);
        deviations_[j] = (static_cast<double>(filled_[j]) - mean[j]) - tail[j];
        products_.row(j) += scale * covariance.row(place);
        scatter_[j] += scale * variance[place];
        gap_weight_[j] += weight;
        identity.deviations()[j] -= weight * deviations_[j];
      }
    }
    scatter_ += weight * unit_squared_ * deviations_.cwiseAbs2();
    return filled_.data();
  }

  void add(const GapProducts& other) {
    products_ += other.products_;
    scatter_ += other.scatter_;
    gap_weight_ += other.gap_weight_;
    empty_rows_ += other.empty_rows_;
  }

  /// Returns the sum of C Q, features x rank.
  const Matrix<double>& sum() const { return products_; }
  /// Returns the scatter of each feature, with the variance that filled values lack.
  const Vector<double>& scatter() const { return scatter_; }
  /// Returns the weight of the rows in which each feature was missing.
  const Vector<double>& gap_weight() const { return gap_weight_; }

  void visit_state(state::Archive& archive) { archive(products_, scatter_, gap_weight_, empty_rows_); }

 private:
  double unit_squared_;
  FillModel fill_model_;
  RowMatrix<double> basis_;
  Matrix<double> products_;
  Vector<double> scatter_;
  Vector<double> gap_weight_;
  std::int64_t empty_rows_ = 0;
  RowFiller filler_;
  Vector<double> deviations_;  // scratch
  Vector<T> filled_;           // scratch
};

}  // namespace roipca
