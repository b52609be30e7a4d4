/// The facts about a model that `info` and `report` show, for models of float and double.
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
  std::vector<std::pair<std::string, std::string>> settings;  ///< labels and values, for people
  JsonObject json;                                            ///< all facts, for programs
  std::int64_t rows = 0;                                      ///< number of rows of positive weight
  std::vector<double> variance;                               ///< along each reported component
  std::vector<double> ratio;                                  ///< each variance divided by the total variance
  double noise_variance = 0.0;
  ComponentCounts counts;                ///< how many components the rows support
  std::optional<double> error_estimate;  ///< error of the subspace against batch PCA, if known
  std::optional<double> error_bound;
  OwnedRows<double> components;    ///< one per row
  std::vector<std::string> names;  ///< of the features; empty if they have none
};

ModelFacts facts_of(const AnyModel& model);

/// Describes in one line the changes of the stream that a model has detected.
std::string change_text(const Change& change);

/// Returns the number of components that each rule suggests, and the consensus, as labels and values.
std::vector<std::pair<std::string, std::string>> counts_text(const ComponentCounts& counts);

}  // namespace roipca::cli
