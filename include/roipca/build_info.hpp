/// What this build is, for reports and bug reports.
#pragma once

#include <string_view>

namespace roipca {

/// "0.1.0".
std::string_view version();

/// The instruction set in use: "x86-64-v4", "x86-64-v3", "x86-64-v2" or "baseline". The best
/// that the machine has, unless the environment variable ROIPCA_ISA named another when the program first used
/// one. Throws std::runtime_error where it named one that the machine does not have.
std::string_view instruction_set();

}  // namespace roipca
