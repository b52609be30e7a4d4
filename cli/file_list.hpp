/// Lists of input files.
#pragma once

#include <string>
#include <vector>

namespace roipca::cli {

/// Reads the paths listed in a file, or in standard input for "-": one per line, or separated by zero bytes
/// as `find -print0` writes them. Empty lines are ignored. Throws FileError.
std::vector<std::string> read_file_list(const std::string& path);

}  // namespace roipca::cli
