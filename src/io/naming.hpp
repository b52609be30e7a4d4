/// Prefixes a FileError with the file's path.
#pragma once

#include <filesystem>

#include "roipca/errors.hpp"

namespace roipca::io {

/// Calls `action`. A FileError that it throws gets the path in front of its message: only the functions that
/// are given a path know it, and all others report bytes and fields.
template <typename Action>
auto naming(const std::filesystem::path& path, Action action) {
  try {
    return action();
  } catch (const FileError& error) {
    throw FileError(path.string() + ": " + error.what());
  }
}

}  // namespace roipca::io
