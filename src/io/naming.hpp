/// Whose failure it was.
#pragma once

#include <filesystem>

#include "roipca/errors.hpp"

namespace roipca::io {

/// Does what `action` does, with the path in front of what a FileError says: everything below the functions
/// that are given a path speaks of bytes and fields only.
template <typename Action>
auto naming(const std::filesystem::path& path, Action action) {
  try {
    return action();
  } catch (const FileError& error) {
    throw FileError(path.string() + ": " + error.what());
  }
}

}  // namespace roipca::io
