/// Version and instruction set of this build, for reports.
#pragma once

#include <string_view>

namespace roipca {

/// "0.1.0".
std::string_view version();

/// Returns the instruction set in use: "x86-64-v4", "x86-64-v3", "x86-64-v2" or "baseline". It is the best
/// that the machine has, unless the environment variable ROIPCA_ISA named another when the program first used
/// one. Throws std::runtime_error if the machine does not have the one that it named.
std::string_view instruction_set();

}  // namespace roipca
