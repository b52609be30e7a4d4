#include "report/text.hpp"

#include <array>
#include <cstdio>
#include <cstdlib>

#include "feature_names.hpp"

namespace roipca::cli {
namespace {

constexpr const char* kEllipsis = "\u2026";

template <typename Value>
std::string formatted(const char* format, Value value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), format, value);
  return text.data();
}

std::string superscript(int value) {
  constexpr std::array<const char*, 10> kDigits = {"\u2070", "\u00b9", "\u00b2", "\u00b3", "\u2074",
                                                   "\u2075", "\u2076", "\u2077", "\u2078", "\u2079"};
  std::string text = value < 0 ? "\u207b" : "";
  for (const char digit : std::to_string(std::abs(value))) {
    text += kDigits[static_cast<std::size_t>(digit - '0')];
  }
  return text;
}

struct Character {
  std::uint32_t code = 0;
  std::size_t bytes = 1;
};

// Returns the character that begins at `at` in valid UTF-8.
Character character_at(const std::string& text, std::size_t at) {
  const auto first = static_cast<unsigned char>(text[at]);
  if (first < 0x80U) return {first, 1};
  const std::size_t bytes = first < 0xE0U ? 2 : first < 0xF0U ? 3 : 4;
  std::uint32_t code = first & (0x7FU >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    code = code << 6U | (static_cast<unsigned char>(text[at + i]) & 0x3FU);
  }
  return {code, bytes};
}

bool is_space(std::uint32_t code) { return code == '\t' || code == '\n' || code == '\r'; }

// Control characters, direction marks and line separators. The joiners U+200C and U+200D are kept, because
// some scripts need them.
bool is_invisible(std::uint32_t code) {
  const auto between = [&](std::uint32_t low, std::uint32_t high) { return code >= low && code <= high; };
  return code < 0x20U || between(0x7FU, 0x9FU) || code == 0x061CU || code == 0x200BU ||
         between(0x200EU, 0x200FU) || between(0x2028U, 0x202EU) || between(0x2060U, 0x206FU) ||
         code == 0xFEFFU;
}

}  // namespace

std::string displayable(const std::string& text, std::size_t limit) {
  const std::string valid = as_utf8(text);
  std::string shown;
  std::size_t count = 0;
  for (std::size_t at = 0; at < valid.size(); ++count) {
    if (count == limit) return shown + kEllipsis;
    const Character next = character_at(valid, at);
    if (is_space(next.code)) {
      shown += ' ';
    } else if (is_invisible(next.code)) {
      shown += formatted("<U+%04X>", next.code);
    } else {
      shown.append(valid, at, next.bytes);
    }
    at += next.bytes;
  }
  return shown;
}

std::string escaped(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    switch (c) {
      case '&':
        safe += "&amp;";
        break;
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '"':
        safe += "&quot;";
        break;
      case '\'':
        safe += "&#39;";
        break;
      default:
        safe += c;
    }
  }
  return safe;
}

std::string grouped(std::int64_t count) {
  std::string digits = std::to_string(count);
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, ",");
  return digits;
}

std::string number(double value) {
  const std::string text = formatted("%.4g", value);
  const std::size_t exponent = text.find('e');
  if (exponent == std::string::npos) return text;
  return text.substr(0, exponent) + "\u00d710" + superscript(std::stoi(text.substr(exponent + 1)));
}

std::string percent(double part) {
  std::string digits = formatted("%.3g", 100.0 * part);
  if (digits == "100" && part < 1.0 - 1e-9) digits = "over 99.9";
  return digits + "\u00a0%";
}

std::string counted(std::int64_t count, const std::string& noun) {
  return grouped(count) + " " + noun + (count == 1 ? "" : "s");
}

}  // namespace roipca::cli
