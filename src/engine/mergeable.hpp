/// Which models and streams can be merged, and how.
#pragma once

#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>

#include "roipca/model.hpp"

namespace roipca {

/// Returns whether streams with these options are merged by adding their scatter matrices: if they keep
/// nothing else, and in the same units.
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
    refuse("cannot merge models with " + std::to_string(features_a) + " and " + std::to_string(features_b) +
           " features");
  }
  const Index reported_a = capacity(a, features_a).reported;
  const Index reported_b = capacity(b, features_b).reported;
  if (reported_a != reported_b) {
    refuse("cannot merge models with " + std::to_string(reported_a) + " and " + std::to_string(reported_b) +
           " components");
  }
  if (a.center != b.center) refuse("cannot merge a centred model with one that is not centred");
  if (a.standardize != b.standardize)
    refuse("cannot merge a standardized model with one that is not standardized");
  if (!decay && (a.forgetting != 1.0 || b.forgetting != 1.0)) {
    refuse(
        "cannot merge models with forgetting unless decay is given, the factor on the weight of the rows of "
        "the first model");
  }
  if (a.forgetting != b.forgetting) refuse("cannot merge models with different forgetting");
  if (a.window || b.window) {
    refuse("cannot merge models with a window: it needs all rows in one order");
  }
}

/// Throws std::invalid_argument if both have feature names, and these differ.
template <typename T>
void require_same_names(const Model<T>& a, const Model<T>& b) {
  if (!a.feature_names.empty() && !b.feature_names.empty() && a.feature_names != b.feature_names) {
    throw std::invalid_argument("cannot merge models with different feature names");
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

/// Sets eigenvalues to 0 that may exist only because models round components, for a sum of scatters of
/// models.
template <typename T>
void without_rounded_components(Model<T>& model);

extern template void without_rounded_components(Model<float>&);
extern template void without_rounded_components(Model<double>&);
extern template Model<float> merge_mergeable(const Model<float>&, const Model<float>&);
extern template Model<double> merge_mergeable(const Model<double>&, const Model<double>&);

}  // namespace roipca
