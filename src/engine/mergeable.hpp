/// Which models can be merged.
#pragma once

#include <stdexcept>
#include <string>

#include "roipca/model.hpp"

namespace roipca {

/// Throws std::invalid_argument if two valid models cannot be merged.
template <typename T>
void require_mergeable(const Model<T>& a, const Model<T>& b) {
  if (a.features() != b.features()) {
    throw std::invalid_argument("models of " + std::to_string(a.features()) + " and of " +
                                std::to_string(b.features()) + " features cannot be merged");
  }
  if (a.n_components != b.n_components) {
    throw std::invalid_argument("models of " + std::to_string(a.n_components) + " and of " +
                                std::to_string(b.n_components) + " components cannot be merged");
  }
  if (a.options.center != b.options.center) {
    throw std::invalid_argument("a centred model and one that is not cannot be merged");
  }
  if (a.scale.empty() != b.scale.empty()) {
    throw std::invalid_argument("a standardized model and one that is not cannot be merged");
  }
  if (a.options.forgetting != 1.0 || b.options.forgetting != 1.0) {
    throw std::invalid_argument(
        "models with forgetting cannot be merged: forgetting needs all rows in one order");
  }
  if (a.options.window || b.options.window) {
    throw std::invalid_argument(
        "models with a window cannot be merged: a window needs all rows in one order");
  }
  if (!a.feature_names.empty() && !b.feature_names.empty() && a.feature_names != b.feature_names) {
    throw std::invalid_argument("models with different feature names cannot be merged");
  }
}

}  // namespace roipca
