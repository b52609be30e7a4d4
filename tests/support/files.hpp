/// Folders for tests, and what a file was refused for.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>

#include "roipca/errors.hpp"

namespace roipca::support {

/// Of one test: gone with it.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "roipca-test-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = name;
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// What the action was refused for: of the Error that it throws; empty when it throws none.
template <typename Error = FileError, typename Action>
std::string refusal_of(Action action) {
  try {
    action();
    return {};
  } catch (const Error& error) {
    return error.what();
  }
}

}  // namespace roipca::support
