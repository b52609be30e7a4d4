/// What `info` and `report` say about a model, whichever its type.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "model_input.hpp"

namespace roipca::cli {

struct ModelFacts {
  std::vector<std::pair<std::string, std::string>> settings;  ///< for people
  std::vector<std::pair<std::string, nlohmann::json>> json;   ///< the same for machines
  std::int64_t rows = 0;                                      ///< rows of positive weight seen
  std::vector<double> variance;                               ///< along each reported component
  std::vector<double> ratio;                                  ///< of the total variance
  double noise_variance = 0.0;
  OwnedRows<double> components;    ///< one a row
  std::vector<std::string> names;  ///< of the features, or none
};

ModelFacts facts_of(const AnyModel& model);

}  // namespace roipca::cli
