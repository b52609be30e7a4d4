/// Commands of this program as processes of their own, with little memory.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace roipca::cli {

struct RunCost {
  double seconds = 0.0;
  double peak_megabytes = 0.0;  ///< resident
};

/// Runs this program with the arguments and at most `bytes` of writable memory (RLIMIT_DATA: `ulimit -d`),
/// and waits for it. Throws std::runtime_error when it fails, and Interrupted.
RunCost run_limited(const std::vector<std::string>& arguments, std::size_t bytes);

}  // namespace roipca::cli
