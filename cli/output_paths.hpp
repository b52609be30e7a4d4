/// Where results may go.
#pragma once

#include <string>
#include <vector>

namespace roipca::cli {

/// Throws UsageError where an output is one of the inputs, whose data would be lost, or another output. Empty
/// paths and "-" are none.
void require_apart(const std::vector<std::string>& outputs, const std::vector<std::string>& inputs);

}  // namespace roipca::cli
