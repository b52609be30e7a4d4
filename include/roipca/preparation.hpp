/// Prepares counts for an estimator: sums per row, logarithms, weights and a choice of features.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "roipca/errors.hpp"
#include "roipca/sparse.hpp"
#include "roipca/types.hpp"

namespace roipca {

/// The steps that are applied to each row, in this order. The default does nothing.
struct PreparationSteps {
  std::optional<double> target_sum = std::nullopt;  ///< multiply each row so that its sum is this number;
                                                    ///< rows of zeros remain zeros; all features count
  bool log1p = false;                               ///< replace each number x by log(1 + x)
  std::vector<double> feature_weights = {};         ///< multiply each feature by its weight; empty: by 1
  std::vector<bool> feature_mask = {};              ///< keep the features for which this is true; empty: all

  bool is_empty() const { return !target_sum && !log1p && feature_weights.empty() && feature_mask.empty(); }
};

/// Prepares rows of one width, dense or sparse. Sparse rows stay sparse: every step leaves zeros as they are.
///
///     const roipca::Preparation<double> preparation({.target_sum = 1e4, .log1p = true}, 20000);
///     pca.partial_fit(preparation.apply(counts).view());
///
/// Thread safety: the functions are const and may be called from many threads at once.
template <typename T>
class Preparation {
 public:
  /// Throws std::invalid_argument for a target sum that is not a positive number, weights that are not
  /// finite, a mask that keeps nothing, and weights or a mask for another number of features. Errors count
  /// columns from `first_column`.
  Preparation(PreparationSteps steps, Index features, Index first_column = 0);

  /// Width of the rows before and after the preparation.
  Index features_in() const { return features_; }
  Index features_out() const { return kept_; }

  /// Returns the prepared rows. Throws std::invalid_argument for rows of another width, and DataError for the
  /// first row that cannot be prepared: because its sum is negative, if the sum is needed; because it has a
  /// NaN, an infinity or a number of -1 or less, if that number is used; or because a column is out of range.
  OwnedRows<T> apply(const Rows<T>& rows) const;
  /// Columns of the result ascend within a row; entries of one column are added up first.
  OwnedSparseRows<T> apply(const SparseRows<T>& rows) const;

  /// Does the same for row i alone. `to` has features_out() numbers.
  void apply_row(const Rows<T>& rows, Index i, std::span<T> to) const;
  /// Appends the row to `to`. If it throws, `to` is as it was before.
  void apply_row(const SparseRows<T>& rows, Index i, OwnedSparseRows<T>& to) const;

 private:
  void require_width(Index columns) const;
  double factor(double sum, Index row) const;
  T prepared(T x, Index row, Index column, double factor) const;

  PreparationSteps steps_;
  Index features_;
  Index first_column_;
  Index kept_;
  std::vector<Index> places_;  // position of each feature among those kept, or -1; empty if all are kept
};

extern template class Preparation<float>;
extern template class Preparation<double>;

}  // namespace roipca
