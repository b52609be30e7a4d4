/// What `info` and `report` say about a model, whichever its type.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "json_object.hpp"
#include "model_input.hpp"
#include "roipca/component_count.hpp"

namespace roipca::cli {

struct ModelFacts {
  std::vector<std::pair<std::string, std::string>> settings;  ///< for people
  JsonObject json;                                            ///< all of it, for machines
  std::int64_t rows = 0;                                      ///< rows of positive weight seen
  std::vector<double> variance;                               ///< along each reported component
  std::vector<double> ratio;                                  ///< of the total variance
  double noise_variance = 0.0;
  ComponentCounts counts;                ///< how many components the rows support
  std::optional<double> error_estimate;  ///< of the subspace against batch PCA, if it is known
  std::optional<double> error_bound;
  OwnedRows<double> components;    ///< one a row
  std::vector<std::string> names;  ///< of the features, or none
};

ModelFacts facts_of(const AnyModel& model);

/// What a model knows of changes of the rows, in one line.
std::string change_text(const Change& change);

/// The number of components that each rule suggests, and the consensus: labels and values.
std::vector<std::pair<std::string, std::string>> counts_text(const ComponentCounts& counts);

}  // namespace roipca::cli
