/// Makes an update rule from options.
#pragma once

#include <memory>

#include "rules/rule.hpp"

namespace roipca {

/// Returns the row-by-row rule of the options' method, for rows of `features` numbers: any method but kExact.
/// A learning rate that is still to be tuned counts as scale-free.
template <typename T>
std::unique_ptr<Rule<T>> make_rule(const Options& options, Index features);

}  // namespace roipca
