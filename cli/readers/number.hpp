/// Numbers from text.
#pragma once

#include <string_view>

namespace roipca::cli {

/// Reads a number at `begin`, which may have a + before it; returns where it ends, or null where there is
/// none. "nan" and "inf" are numbers; one beyond double is an infinity or zero.
const char* parse_number(const char* begin, const char* end, double& value);

/// Whether all of `text` is one number.
bool is_number(std::string_view text);

}  // namespace roipca::cli
