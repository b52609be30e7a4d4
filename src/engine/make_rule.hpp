/// From options to an update rule.
#pragma once

#include <memory>

#include "rules/rule.hpp"

namespace roipca {

/// The rule that the options ask for, for rows of `features` numbers. A learning rate that is still to be
/// tuned counts as scale-free.
template <typename T>
std::unique_ptr<Rule<T>> make_rule(const Options& options, Index features);

}  // namespace roipca
