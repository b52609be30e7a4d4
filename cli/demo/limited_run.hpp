/// Runs commands of this program in child processes with limited memory.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace roipca::cli {

struct RunCost {
  double seconds = 0.0;
  double peak_megabytes = 0.0;  ///< peak resident memory
};

/// Runs this program with the given arguments and at most `bytes` of writable memory (RLIMIT_DATA, as `ulimit
/// -d` sets it), and waits for it to end. Throws std::runtime_error if it fails, and Interrupted.
RunCost run_limited(const std::vector<std::string>& arguments, std::size_t bytes);

}  // namespace roipca::cli
