/// Splits lines at blanks.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace roipca::cli {

/// Returns the words of a line one by one.
class Words {
 public:
  explicit Words(std::string_view line) : rest_(line) {}

  /// Returns the next word; empty at the end of the line.
  std::string_view next() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(kBlanks), rest_.size()));
    const std::string_view word = rest_.substr(0, rest_.find_first_of(kBlanks));
    rest_.remove_prefix(word.size());
    return word;
  }

 private:
  static constexpr std::string_view kBlanks = " \t\r";
  std::string_view rest_;
};

/// Returns the integer that the word is, or nothing if it is not an integer.
inline std::optional<std::int64_t> whole_number(std::string_view word) {
  std::int64_t value = 0;
  const char* const end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data(), end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

}  // namespace roipca::cli
