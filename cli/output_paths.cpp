#include "output_paths.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <optional>

#include "command.hpp"
#include "writers/output_file.hpp"

namespace roipca::cli {
namespace {

struct Inode {
  dev_t device;
  ino_t number;

  bool operator==(const Inode&) const = default;
};

// Returns the inode of the file at `path`. "-" stands for `descriptor`, and has an inode only if that is a
// regular file.
std::optional<Inode> inode_of(const std::string& path, int descriptor) {
  struct stat status = {};
  const bool is_stream = path == "-";
  if ((is_stream ? ::fstat(descriptor, &status) : ::stat(path.c_str(), &status)) != 0) return std::nullopt;
  if (is_stream && !S_ISREG(status.st_mode)) return std::nullopt;
  return Inode{status.st_dev, status.st_ino};
}

bool same_name(const std::string& a, const std::string& b) {
  return std::filesystem::path(a).lexically_normal() == std::filesystem::path(b).lexically_normal();
}

// "-" stands for standard output as `a`, and for `b_descriptor` as `b`.
bool same(const std::string& a, const std::string& b, int b_descriptor) {
  if (a.empty() || b.empty()) return false;
  const bool are_streams = a == "-" || b == "-";
  if (!are_streams && same_name(a, b)) return true;
  const auto inode = inode_of(a, STDOUT_FILENO);
  return inode && inode == inode_of(b, b_descriptor);
}

std::string shown_output(const std::string& path) { return path == "-" ? "standard output" : path; }

}  // namespace

void require_apart(const std::vector<std::string>& outputs, const std::vector<std::string>& inputs) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    for (const auto& input : inputs) {
      if (same(outputs[i], input, STDIN_FILENO)) {
        throw UsageError(shown_output(outputs[i]) + " is an input, and would be lost: give another output");
      }
    }
    for (std::size_t j = 0; j < i; ++j) {
      const bool both_streams = outputs[i] == "-" && outputs[j] == "-";
      if (both_streams || same(outputs[i], outputs[j], STDOUT_FILENO)) {
        throw UsageError(shown_output(outputs[i]) + " cannot hold two outputs");
      }
    }
  }
}

void require_writable(const std::string& path) {
  if (path.empty() || path == "-") return;
  const OutputFile unpublished(path);
}

void require_writable_model(const std::string& path) {
  if (path == "-" && ::isatty(STDOUT_FILENO) == 1) {
    throw UsageError("a model is binary data: redirect standard output, or name a file with -o");
  }
  require_writable(path);
}

}  // namespace roipca::cli
