/// Standardized models: other scales, and merging.
#pragma once

#include <vector>

#include "roipca/model.hpp"

namespace roipca {

/// Returns a standardized model whose scales are the standard deviations of all its rows. Directions that the
/// model does not hold are assumed to vary equally in the old scales; a model that holds all directions
/// becomes that of the correlation matrix, to rounding. Costs O(features x held^2).
template <typename T>
Model<T> standardized(Model<T> model);

/// Merges standardized models: see `merge`. Equal scales stay, unless both models keep the whole scatter.
template <typename T>
Model<T> merge_standardized(const Model<T>& a, const Model<T>& b);

}  // namespace roipca
