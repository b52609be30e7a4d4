/// Files with one value per feature: weights, and masks.
#pragma once

#include <string>
#include <vector>

namespace roipca::cli {

/// Numbers of a text file, one per line, or of an npy file of one dimension. Throws FileError.
std::vector<double> read_feature_weights(const std::string& path);

/// Which features to keep.
struct FeatureMask {
  std::vector<bool> flags;         ///< one per feature; or, if empty,
  std::vector<std::string> names;  ///< the names of those to keep
};

/// Lines of a text file: 0 or 1 (or false or true) for each feature, or the names of the features to keep. An
/// npy file of one dimension has zeros for the features to leave out. Throws FileError.
FeatureMask read_feature_mask(const std::string& path);

}  // namespace roipca::cli
