/// How many components the rows support: five published rules and their consensus.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "roipca/model.hpp"

namespace roipca {

/// The number of held components that each rule keeps. All rules assume rows that do not depend on each
/// other, and noise of the same variance in every feature.
struct ComponentCounts {
  /// Number above Gavish and Donoho's optimal hard threshold (2014) for singular values, at the aspect ratio
  /// of the rows: those that improve the reconstruction.
  Index gavish_donoho = 0;
  /// Number above the edge of Marchenko and Pastur, where the variances of pure noise end for many rows and
  /// features. Large samples of pure noise have one component above it with probability 1/6, small ones more
  /// often.
  Index marchenko_pastur = 0;
  /// Number above the 99 % quantile of the largest variance of pure noise: parallel analysis by the law of
  /// Tracy and Widom instead of simulation (Kritchman and Nadler 2008).
  Index tracy_widom = 0;
  /// Number with the largest Bayesian evidence (Minka 2000), as scikit-learn's "mle"; never 0. Empty if there
  /// are fewer rows than features, because the evidence is an approximation for many rows.
  std::optional<Index> minka;
  /// Number above the mean lengths of the pieces of a stick that is broken at random: only those that stand
  /// out.
  Index broken_stick = 0;

  /// Median of these; the lower one of two.
  Index consensus = 0;
  /// Variance of the noise in each direction if there are `consensus` components. Unlike
  /// Model::noise_variance it is corrected for the variance that the leading sample components take from it.
  double noise_variance = 0.0;
  /// Reasons not to trust the numbers, one sentence each.
  std::vector<std::string> cautions;

  bool operator==(const ComponentCounts&) const = default;

  /// Returns the five numbers by the names of their rules.
  std::vector<std::pair<std::string, std::optional<Index>>> rules() const;
};

/// Summary of the variances of rows.
struct VarianceSummary {
  std::span<const double> leading;  ///< the largest variances, descending: all, or those that are known
  double total = 0.0;               ///< of all features
  double rows = 0.0;                ///< number of rows; an effective number if weights differ
  bool centred = true;
  Index features = 0;
};

/// Returns how many components these variances support. The noise level is estimated again for every number
/// of components. Costs O(k^2) for k leading variances. Throws std::invalid_argument for numbers that are
/// negative or not finite, or variances out of order.
ComponentCounts suggest_components(const VarianceSummary& variances);

/// Does the same for all components that a model holds. Unequal weights and forgetting count as (sum w)^2 /
/// sum w^2 rows. The cautions also say whether the noise differs between features. Costs O(held^2 + held x
/// features).
template <typename T>
ComponentCounts suggest_components(const Model<T>& model);

extern template ComponentCounts suggest_components(const Model<float>&);
extern template ComponentCounts suggest_components(const Model<double>&);

}  // namespace roipca
