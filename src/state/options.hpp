/// The options as part of a state.
#pragma once

#include "roipca/options.hpp"
#include "state/archive.hpp"

namespace roipca::state {

/// Transfers each option of the table as text. Throws std::invalid_argument for one that is out of range.
void visit_options(Archive& archive, Options& options);

}  // namespace roipca::state
