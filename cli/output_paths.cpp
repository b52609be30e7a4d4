#include "output_paths.hpp"

#include <filesystem>
#include <system_error>

#include "command.hpp"

namespace roipca::cli {
namespace {

bool is_file(const std::string& path) { return !path.empty() && path != "-"; }

// By name, and by what the names lead to where both exist.
bool same(const std::string& a, const std::string& b) {
  if (!is_file(a) || !is_file(b)) return false;
  std::error_code none;
  return std::filesystem::path(a).lexically_normal() == std::filesystem::path(b).lexically_normal() ||
         std::filesystem::equivalent(a, b, none);
}

}  // namespace

void require_apart(const std::vector<std::string>& outputs, const std::vector<std::string>& inputs) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    for (const auto& input : inputs) {
      if (same(outputs[i], input)) {
        throw UsageError(outputs[i] + " is an input, and would be lost: give another output");
      }
    }
    for (std::size_t j = 0; j < i; ++j) {
      if (same(outputs[i], outputs[j])) throw UsageError(outputs[i] + " cannot hold two outputs");
    }
  }
}

}  // namespace roipca::cli
