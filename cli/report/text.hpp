/// Text from model files and users, made safe to show. Names may contain anything.
#pragma once

#include <cstdint>
#include <string>

namespace roipca::cli {

/// Returns `text` as valid UTF-8 without invisible characters: white space becomes a blank; control
/// characters and those that change the direction of a line are spelled out as in "<U+202E>". Text of more
/// than `limit` characters is cut and ends in an ellipsis.
std::string displayable(const std::string& text, std::size_t limit = 200);

/// Escapes `text` for the content of an HTML element or for a quoted attribute.
std::string escaped(const std::string& text);

/// Formats with thousands separators, as in "60,000".
std::string grouped(std::int64_t count);

/// Formats with four significant digits, as in "1.5" or "1.5×10⁻⁹".
std::string number(double value);

/// Formats a fraction as a percentage, "12.3 %", with a no-break space. Only a fraction of 1, up to rounding,
/// gives "100 %".
std::string percent(double part);

/// Formats a count with its noun: "1 row", "60,000 rows".
std::string counted(std::int64_t count, const std::string& noun);

}  // namespace roipca::cli
