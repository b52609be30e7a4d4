/// Options as Python holds them: a dictionary from the names of the library's table of options to str, bool,
/// int, float or None.
#pragma once

#include <nanobind/nanobind.h>

#include <string>

#include "roipca/options.hpp"

namespace roipca::python {

/// Options that are missing keep their defaults. Throws std::invalid_argument that names the option.
Options options_from(const nanobind::dict& parameters);

/// The inverse, with every option.
nanobind::dict parameters_of(const Options& options);

/// The table: for each option its words, the numbers that it accepts (as text, or None), its default and
/// help.
nanobind::dict described_options();

/// Returns whether an option accepts a value.
bool accepts(const std::string& name, nanobind::handle object);

}  // namespace roipca::python
