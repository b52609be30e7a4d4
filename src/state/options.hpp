/// The options as part of a state.
#pragma once

#include "roipca/options.hpp"
#include "state/archive.hpp"

namespace roipca::state {

void visit_options(Archive& archive, Options& options);

}  // namespace roipca::state
