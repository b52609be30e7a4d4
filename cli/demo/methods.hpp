/// Compares every method with batch PCA on one stream.
#pragma once

#include <cstdint>

namespace roipca::cli {

struct MethodsSettings {
  int features = 400;
  int components = 5;
  int rows = 10000;
  std::uint64_t seed = 1;
};

/// Prints, for each method, its error against batch PCA and its time per row.
void compare_methods(const MethodsSettings& settings);

}  // namespace roipca::cli
