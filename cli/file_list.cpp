#include "file_list.hpp"

#include <array>

#include "readers/byte_stream.hpp"
#include "roipca/errors.hpp"

namespace roipca::cli {
namespace {

std::string content(const std::string& path) {
  constexpr std::size_t kMost = std::size_t{1} << 28U;
  std::string text;
  std::array<char, 1U << 16U> piece{};
  const auto stream = open_stream(path);
  while (const std::size_t count = stream->read(piece)) {
    text.append(piece.data(), count);
    if (text.size() > kMost) throw FileError("too long for a list of files");
  }
  return text;
}

}  // namespace

std::vector<std::string> read_file_list(const std::string& path) {
  try {
    const std::string text = content(path);
    const char end = text.find('\0') == std::string::npos ? '\n' : '\0';
    std::vector<std::string> paths;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t stop = std::min(text.find(end, at), text.size());
      std::string name = text.substr(at, stop - at);
      if (end == '\n' && name.ends_with('\r')) name.pop_back();
      if (!name.empty()) paths.push_back(std::move(name));
      at = stop + 1;
    }
    if (paths.empty()) throw FileError("the list has no files");
    return paths;
  } catch (const FileError& error) {
    throw FileError("--files-from " + path + ": " + error.what());
  }
}

}  // namespace roipca::cli
