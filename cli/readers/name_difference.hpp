/// What is wrong with the names of columns.
#pragma once

#include <string>
#include <vector>

namespace roipca::cli {

/// Describes the first feature at which the names of rows differ from those of the rows before them:
/// `feature 3 is "x" instead of "c"`, and whether only the order differs. Returns an empty text if the names
/// are the same or one of the two has none.
std::string difference_of_names(const std::vector<std::string>& names, const std::vector<std::string>& known);

/// Describes how the names of rows differ from those of a model ("it"): the first name that the model does
/// not have, or the first one of the model that is missing, or else as difference_of_names().
std::string difference_from_model(const std::vector<std::string>& names,
                                  const std::vector<std::string>& known);

}  // namespace roipca::cli
