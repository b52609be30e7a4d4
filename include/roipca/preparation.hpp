/// Counts on their way to an estimator: sums per row, logarithms, weights and a choice of features.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "roipca/errors.hpp"
#include "roipca/sparse.hpp"
#include "roipca/types.hpp"

namespace roipca {

/// What is done to each row, in this order. The default does nothing.
struct PreparationSteps {
  std::optional<double> target_sum = std::nullopt;  ///< multiply each row so that this is its sum; rows of
                                                    ///< zeros remain zeros; all features count in the sum
  bool log1p = false;                               ///< replace each number x by log(1 + x)
  std::vector<double> feature_weights = {};         ///< multiply each feature by its weight; empty: by 1
  std::vector<bool> feature_mask = {};              ///< keep the features that are true; empty: all

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

  /// Width of the rows that go in, and of those that come out.
  Index features_in() const { return features_; }
  Index features_out() const { return kept_; }

  /// Returns the rows as they are to be learned. Throws std::invalid_argument for rows of another width, and
  /// DataError for the first row that cannot be prepared: one with a negative sum, where the sum is needed;
  /// with a NaN or an infinity, or a number of -1 or less, where these are used; with a column out of range.
  OwnedRows<T> apply(const Rows<T>& rows) const;
  /// Columns of the result ascend within a row; entries of one column are added up first.
  OwnedSparseRows<T> apply(const SparseRows<T>& rows) const;

  /// The same for row i alone. `to` has features_out() numbers.
  void apply_row(const Rows<T>& rows, Index i, std::span<T> to) const;
  /// Appends the row to `to`, which is as before where this throws.
  void apply_row(const SparseRows<T>& rows, Index i, OwnedSparseRows<T>& to) const;

 private:
  void require_width(Index columns) const;
  double factor(double sum, Index row) const;
  T prepared(T x, Index row, Index column, double factor) const;

  PreparationSteps steps_;
  Index features_;
  Index first_column_;
  Index kept_;
  std::vector<Index> places_;  // of each feature among those kept, or -1; empty where all are kept
};

extern template class Preparation<float>;
extern template class Preparation<double>;

}  // namespace roipca
