/// The checkpoints of `roipca watch`: the estimator and the number of input rows read (docs/format.md).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "roipca/online_pca.hpp"

namespace roipca::cli {

struct WatchCheckpoint {
  OnlinePca<double> pca;
  std::int64_t rows_read = 0;
  std::vector<std::string> feature_names = {};  ///< if it begins with a model; a checkpoint stores none
};

/// Replaces the file completely or not at all. Throws FileError.
void save_watch(const OnlinePca<double>& pca, std::int64_t rows_read, const std::string& path);

/// Throws FileError that names the file and says what is wrong with it.
WatchCheckpoint load_watch(const std::string& path);

}  // namespace roipca::cli
