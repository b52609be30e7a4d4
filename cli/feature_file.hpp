/// Files with one value per feature: weights and masks.
#pragma once

#include <string>
#include <vector>

namespace roipca::cli {

/// Reads the numbers of a text file, one per line, or of a one-dimensional npy file. Throws FileError.
std::vector<double> read_feature_weights(const std::string& path);

/// Which features to keep. Only one of the two is set.
struct FeatureMask {
  std::vector<bool> flags;         ///< one per feature
  std::vector<std::string> names;  ///< names of the features to keep
};

/// Reads a mask. A text file has either a 0 or 1 (or false or true) per feature, one per line, or the names
/// of the features to keep; a one-dimensional npy file has zeros for the features to leave out. Throws
/// FileError.
FeatureMask read_feature_mask(const std::string& path);

}  // namespace roipca::cli
