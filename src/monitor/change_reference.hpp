/// A model of earlier rows, with which later rows are compared.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "intake/given_rows.hpp"
#include "intake/given_sparse_rows.hpp"
#include "intake/row_filler.hpp"
#include "simd/aligned_rows.hpp"

namespace roipca {

/// The part of a model that T^2 and SPE need, with at most kMostComponents components: O(features x
/// components) memory.
template <typename T>
class ChangeReference {
 public:
  static constexpr Index kMostComponents = 32;

  explicit ChangeReference(const Model<T>& model);
  /// Makes an object to read a state into; `gaps` says whether values may be missing.
  ChangeReference(Index features, Index most_filling, bool gaps);

  /// Sums of log T^2 and of log SPE. Logarithms, because heavy tails have no variance.
  using Logs = std::array<double, 2>;

  /// Adds the logarithms of the rows [from, to) to `sums`, row by row, so that the division into calls
  /// changes no bit.
  void add_logs(const GivenRows<T>& given, Index from, Index to, Logs& sums);
  void add_logs(const GivenSparseRows<T>& given, Index from, Index to, Logs& sums);

  void visit_state(state::Archive& archive);

 private:
  static constexpr Index kAtOnce = 16;

  Index features() const { return mean_.size(); }
  Index components() const { return inverse_variance_.size(); }
  void scale(Index count);
  double fill(T* row, const Row<T>& given);
  void add(const double* scores, double square, Logs& sums) const;

  Vector<double> mean_;
  Vector<double> mean_tail_;
  Vector<double> inverse_scale_;  // empty if the features are not divided by scales
  simd::AlignedRows<T> basis_;
  Vector<double> inverse_variance_;  // along the components
  std::optional<FillModel> fill_model_;
  Index most_filling_ = 0;      // largest number of components of the model for filling
  Vector<double> mean_scores_;  // scores of the mean itself, for sparse rows
  // Scratch:
  simd::AlignedRows<T> centred_;
  RowMatrix<double> scores_;
  Vector<double> squares_;
  Vector<double> total_;
  RowFiller filler_;
  Vector<double> residual_;
};

extern template class ChangeReference<float>;
extern template class ChangeReference<double>;

}  // namespace roipca
