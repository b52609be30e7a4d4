/// Column names on their way from files into models and reports.
#pragma once

#include <string>
#include <vector>

#include "json_object.hpp"

namespace roipca::cli {

/// The names as a model can hold them: bytes that are not UTF-8 replaced; none at all where they are too many
/// for a model's header.
std::vector<std::string> storable(std::vector<std::string> names);

/// One name per column: those given, or "x1", "x2" ... where there are none.
std::vector<std::string> column_names(std::vector<std::string> names, std::size_t columns);

/// "pc1", "pc2" ...
std::vector<std::string> component_names(std::size_t count);

}  // namespace roipca::cli
