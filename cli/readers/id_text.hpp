/// Numbers that identify rows, as text.
#pragma once

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <string>

namespace roipca::cli {

/// Formats integers without an exponent, and other numbers with the fewest digits that read back to the same
/// bits.
inline std::string id_text(double number) {
  constexpr double kWhole = 9007199254740992.0;  // 2^53
  std::array<char, 32> text{};
  char* const end = text.data() + text.size();
  const bool is_whole = std::abs(number) <= kWhole && number == std::floor(number);
  auto* const stop = is_whole ? std::to_chars(text.data(), end, static_cast<std::int64_t>(number)).ptr
                              : std::to_chars(text.data(), end, number).ptr;
  return {text.data(), stop};
}

}  // namespace roipca::cli
