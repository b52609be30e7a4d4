#include "printable.hpp"

#include <array>
#include <cstdio>

namespace roipca::cli {
namespace {

// Returns the length in bytes of the UTF-8 character at the start of `text`, or 0 if a terminal must not show
// it.
std::size_t length_of_shown(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return first >= 0x20 && first != 0x7F ? 1 : 0;
  const std::size_t length = first >= 0xF5   ? 0
                             : first >= 0xF0 ? 4
                             : first >= 0xE0 ? 3
                             : first >= 0xC2 ? 2
                                             : 0;
  if (length == 0 || length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80) return 0;
  }
  const bool is_control = first == 0xC2 && byte(1) < 0xA0;  // U+0080 to U+009F
  return is_control ? 0 : length;
}

std::string escaped(char c) {
  if (c == '\n') return "\\n";
  if (c == '\r') return "\\r";
  if (c == '\t') return "\\t";
  std::array<char, 8> text{};
  std::snprintf(text.data(), text.size(), "\\x%02x", static_cast<unsigned>(static_cast<unsigned char>(c)));
  return text.data();
}

}  // namespace

std::string printable(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t length = length_of_shown(text);
    if (length == 0) {
      result += escaped(text.front());
    } else {
      result += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return result;
}

}  // namespace roipca::cli
