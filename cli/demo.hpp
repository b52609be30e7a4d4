/// `roipca demo`
#pragma once

#include <cstdint>

namespace roipca::cli {

struct DemoSettings {
  int features = 400;
  int components = 5;
  int rows = 10000;
  std::uint64_t seed = 1;
};

/// Streams made-up rows through every method and prints, for each, its error against batch PCA and its time
/// per row.
void run_demo(const DemoSettings& settings);

}  // namespace roipca::cli
