/// Text from a model file or from the user, made safe to show. Names may contain anything.
#pragma once

#include <cstdint>
#include <string>

namespace roipca::cli {

/// Returns `text` as valid UTF-8 without invisible characters: white space becomes a blank, and control
/// characters and those that change the direction of a line are spelled out as in "<U+202E>". Text of more
/// than `limit` characters is cut and ends in an ellipsis.
std::string displayable(const std::string& text, std::size_t limit = 200);

/// Escapes `text` for the content of an HTML element or for a quoted attribute.
std::string escaped(const std::string& text);

/// "60,000".
std::string grouped(std::int64_t count);

/// Formats with four significant digits, as in "1.5" or "1.5×10⁻⁹".
std::string number(double value);

/// A part of the whole as a percentage, "12.3 %", with a blank that does not break. Only the whole, up to
/// rounding, is "100 %".
std::string percent(double part);

/// "1 row", "60,000 rows".
std::string counted(std::int64_t count, const std::string& noun);

}  // namespace roipca::cli
