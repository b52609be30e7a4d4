/// Options as a Python dictionary: the names of the library's table of options, with values of type str,
/// bool, int, float or None.
#pragma once

#include <nanobind/nanobind.h>

#include <string>

#include "roipca/options.hpp"

namespace roipca::python {

/// Returns the options of a dictionary; missing ones keep their defaults. Throws std::invalid_argument that
/// names the option.
Options options_from(const nanobind::dict& parameters);

/// The inverse of options_from; includes every option.
nanobind::dict parameters_of(const Options& options);

/// Returns the table: for each option its words, the numbers that it accepts (as text, or None), its default
/// and its help.
nanobind::dict described_options();

/// Returns whether an option accepts a value.
bool accepts(const std::string& name, nanobind::handle object);

}  // namespace roipca::python
