/// Checks of the paths that results are written to.
#pragma once

#include <string>
#include <vector>

namespace roipca::cli {

/// Throws UsageError if an output is also an input, whose data would be lost, or is given twice. Two paths
/// are the same file if their names or their inodes are equal; "-" is standard input or output, which may be
/// redirected to a file. Empty paths are ignored.
void require_apart(const std::vector<std::string>& outputs, const std::vector<std::string>& inputs);

/// Throws FileError unless a file can be created beside `path`, to replace it later, so that a run of hours
/// does not fail at its end. Accepts an empty path and "-".
void require_writable(const std::string& path);

/// Does the same for a model, which goes to standard output for "-". Throws UsageError if that is a terminal.
void require_writable_model(const std::string& path);

}  // namespace roipca::cli
