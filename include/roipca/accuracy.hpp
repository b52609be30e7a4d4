/// How far the components of a model are from those of batch PCA of the same rows.
#pragma once

#include <optional>
#include <vector>

#include "roipca/model.hpp"

namespace roipca {

/// Returns an estimate of the subspace error (see subspace_error) of the reported components against batch
/// PCA of all rows: 0 for the same subspace, 2 for an orthogonal one. It is usually right within a factor of
/// 3, and 0 for the exact method. Returns nothing if the error is not known: after one pass without probes.
///
/// The estimate comes from the residuals r = S q - lambda q of the components: their squares are divided by
/// the squared distances of the eigenvalues from the last one held. Random probes (Options::probes) estimate
/// the residuals. After a refinement, the residuals before it are known exactly, and those after it follow
/// from the turns of the components, unless there are eight probes or more. If a model is standardized by the
/// scales of its first rows, both the estimate and the bound include the error of these scales.
/// docs/accuracy.md has the formulas.
template <typename T>
std::optional<double> error_estimate(const Model<T>& model);

/// Returns a bound on the same error, at most 2. The squares of residuals are divided by the squared
/// distances from the first eigenvalue that is not reported.
///
/// With probes, the residuals are below their bounds with probability `confidence`, whatever the rows are,
/// and the bound holds unless the held components have missed a direction of larger variance than the first
/// one that is not reported. After a refinement without probes, the bound holds as long as no direction
/// outside the held components has a larger variance than the last of them, and `confidence` has no effect.
/// Throws std::invalid_argument unless 0 < confidence < 1.
template <typename T>
std::optional<double> error_bound(const Model<T>& model, double confidence = 0.999);

/// Returns an estimate of the error of each reported component on its own: the squared sine of its angle to
/// the component of batch PCA, at most 1. Components of nearly equal variance have a large error, even if
/// their plane is known well. Empty if it is not known.
template <typename T>
std::vector<double> component_errors(const Model<T>& model);

/// Returns the sizes of the groups into which the reported components fall: neighbours that cannot be told
/// apart are in one group, of which only the subspace is known. All are 1 if each component can be trusted on
/// its own. Empty if the errors are not known.
template <typename T>
std::vector<Index> component_groups(const Model<T>& model);

/// Returns whether another Refinement is worth reading all rows again: always after one pass (unless the
/// method is exact), and later as long as the bound is above `tolerance` and the last pass reduced the
/// estimate, which was `before` previously, by a tenth or more.
template <typename T>
bool is_worth_another_pass(const Model<T>& model, double tolerance, std::optional<double> before = {});

extern template std::optional<double> error_estimate(const Model<float>&);
extern template std::optional<double> error_estimate(const Model<double>&);
extern template std::optional<double> error_bound(const Model<float>&, double);
extern template std::optional<double> error_bound(const Model<double>&, double);
extern template std::vector<double> component_errors(const Model<float>&);
extern template std::vector<double> component_errors(const Model<double>&);
extern template std::vector<Index> component_groups(const Model<float>&);
extern template std::vector<Index> component_groups(const Model<double>&);
extern template bool is_worth_another_pass(const Model<float>&, double, std::optional<double>);
extern template bool is_worth_another_pass(const Model<double>&, double, std::optional<double>);

}  // namespace roipca
