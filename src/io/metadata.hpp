/// The part of a model that is not arrays, as safetensors' metadata: strings by name (docs/format.md lists
/// them).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "roipca/options.hpp"

namespace roipca::io {

struct Settings {
  Options options;
  Resolved resolved = {};
  Index n_components = 0;
  std::int64_t rows = 0;
  double weight = 0.0;
  double weight_pairs = 0.0;
  double scatter_trace = 0.0;
  std::vector<std::string> feature_names = {};
  std::string parameters = {};
};

/// Names and values in the order in which they are written.
using Metadata = std::vector<std::pair<std::string, std::string>>;

/// Numbers are written in the fewest digits that read back to the same bits. Throws FileError for feature
/// names and parameters that are not UTF-8.
Metadata to_metadata(const Settings& settings);

/// The inverse; names that it does not know are ignored, and options that are missing have their defaults.
/// Throws FileError that names the field that is missing or cannot be read.
Settings to_settings(const Metadata& metadata);

}  // namespace roipca::io
