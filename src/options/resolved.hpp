/// Options in which the choices of the library replace `auto`.
#pragma once

#include "roipca/model.hpp"
#include "roipca/options.hpp"

namespace roipca {

/// Returns the options with the method in use. A tuned learning rate becomes a fixed one, and is scale-free
/// until it has been tuned.
Options with_choices(Options options, const Resolved& resolved);

/// Returns the options of an estimator that resumes from the model.
template <typename T>
Options with_choices(const Model<T>& model) {
  return with_choices(model.options, model.resolved);
}

}  // namespace roipca
