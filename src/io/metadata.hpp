/// The fields of a model that are not arrays, as metadata of safetensors: strings by name (docs/format.md
/// lists them).
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "roipca/model.hpp"

namespace roipca::io {

/// Names and values in the order in which they are written.
using Metadata = std::vector<std::pair<std::string, std::string>>;

/// Returns the metadata of a model. Numbers are written with the fewest digits that read back to the same
/// bits. Throws FileError for feature names and parameters that are not UTF-8.
template <typename T>
Metadata to_metadata(const Model<T>& model);

/// Sets all fields of the model but the arrays; unknown names are ignored. Throws FileError that names the
/// field that is missing or cannot be read.
template <typename T>
void read_metadata(const Metadata& metadata, Model<T>& model);

extern template Metadata to_metadata(const Model<float>&);
extern template Metadata to_metadata(const Model<double>&);
extern template void read_metadata(const Metadata&, Model<float>&);
extern template void read_metadata(const Metadata&, Model<double>&);

}  // namespace roipca::io
