/// Which models and streams can be merged, and how.
#pragma once

#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>

#include "roipca/model.hpp"

namespace roipca {

/// Whether streams with these options are merged by adding their scatter matrices: they keep nothing else,
/// and in the same units.
inline bool adds_scatters(const Options& options, Index features) {
  return resolve(options, features) == Method::kExact && !options.standardize &&
         options.missing == Missing::kError && !options.window;
}

inline void require_decay(std::optional<double> decay) {
  if (!decay || (*decay > 0.0 && *decay <= 1.0)) return;
  std::ostringstream what;
  what << "decay must be above 0 and at most 1, not " << *decay;
  throw std::invalid_argument(what.str());
}

/// Throws std::invalid_argument if rows of models or streams with these options cannot be merged.
inline void require_mergeable(const Options& a, Index features_a, const Options& b, Index features_b,
                              std::optional<double> decay) {
  const auto refuse = [](const std::string& why) { throw std::invalid_argument(why); };
  require_decay(decay);
  if (features_a != features_b) {
    refuse("models of " + std::to_string(features_a) + " and of " + std::to_string(features_b) +
           " features cannot be merged");
  }
  const Index reported_a = capacity(a, features_a).reported;
  const Index reported_b = capacity(b, features_b).reported;
  if (reported_a != reported_b) {
    refuse("models of " + std::to_string(reported_a) + " and of " + std::to_string(reported_b) +
           " components cannot be merged");
  }
  if (a.center != b.center) refuse("a centred model and one that is not cannot be merged");
  if (a.standardize != b.standardize) refuse("a standardized model and one that is not cannot be merged");
  if (!decay && (a.forgetting != 1.0 || b.forgetting != 1.0)) {
    refuse(
        "models with forgetting cannot be merged without decay, the factor on the weight of the first one's "
        "rows: forgetting needs all rows in one order");
  }
  if (a.forgetting != b.forgetting) refuse("models with different forgetting cannot be merged");
  if (a.window || b.window) {
    refuse("models with a window cannot be merged: a window needs all rows in one order");
  }
}

/// Throws std::invalid_argument if both have feature names, and these differ.
template <typename T>
void require_same_names(const Model<T>& a, const Model<T>& b) {
  if (!a.feature_names.empty() && !b.feature_names.empty() && a.feature_names != b.feature_names) {
    throw std::invalid_argument("models with different feature names cannot be merged");
  }
}

/// Throws std::invalid_argument if valid models cannot be merged.
template <typename T>
void require_mergeable(const Model<T>& a, const Model<T>& b, std::optional<double> decay) {
  require_mergeable(a.options, a.features(), b.options, b.features(), decay);
  require_same_names(a, b);
}

/// Merges valid models that can be merged, whatever they forget.
template <typename T>
Model<T> merge_mergeable(const Model<T>& a, const Model<T>& b);

/// Sets eigenvalues to 0 that may be there only because models round components, for a sum of scatters of
/// models.
template <typename T>
void without_rounded_components(Model<T>& model);

extern template void without_rounded_components(Model<float>&);
extern template void without_rounded_components(Model<double>&);
extern template Model<float> merge_mergeable(const Model<float>&, const Model<float>&);
extern template Model<double> merge_mergeable(const Model<double>&, const Model<double>&);

}  // namespace roipca
