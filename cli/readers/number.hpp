/// Parses numbers.
#pragma once

#include <string_view>

namespace roipca::cli {

/// Parses a number at `begin`, with an optional + before it. Returns its end, or null if there is no number.
/// "nan" and "inf" are numbers; a number out of double's range becomes an infinity or zero.
const char* parse_number(const char* begin, const char* end, double& value);

/// Whether all of `text` is one number.
bool is_number(std::string_view text);

}  // namespace roipca::cli
