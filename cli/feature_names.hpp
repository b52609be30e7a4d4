/// Names of columns for models and reports.
#pragma once

#include <string>
#include <vector>

#include "json_object.hpp"

namespace roipca::cli {

/// Returns the names in a form that a model can store: bytes that are not UTF-8 are replaced. Returns no
/// names if they are too long for a model's header.
std::vector<std::string> storable(std::vector<std::string> names);

/// Returns `names`, or "x1", "x2" ... if there are none.
std::vector<std::string> column_names(std::vector<std::string> names, std::size_t columns);

/// Returns "pc1", "pc2" ...
std::vector<std::string> component_names(std::size_t count);

}  // namespace roipca::cli
