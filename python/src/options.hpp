/// Options as Python says them: a dictionary of OnlinePCA's parameters.
#pragma once

#include <nanobind/nanobind.h>

#include "roipca/options.hpp"

namespace roipca::python {

/// Parameters that are missing keep their defaults. Throws std::invalid_argument that names the parameter.
Options options_from(const nanobind::dict& parameters);

/// The inverse, with every parameter.
nanobind::dict parameters_of(const Options& options);

}  // namespace roipca::python
