/// Version and instruction set of this build, for reports.
#pragma once

#include <string_view>

namespace roipca {

/// Returns the version of the library, for example "0.1.0".
std::string_view version();

/// Returns the instruction set in use: "x86-64-v4", "x86-64-v3", "x86-64-v2" or "baseline". It is the best
/// one of the machine, unless the environment variable ROIPCA_ISA named another when the program first used
/// one. Throws std::runtime_error if the machine does not support the named one.
std::string_view instruction_set();

}  // namespace roipca
