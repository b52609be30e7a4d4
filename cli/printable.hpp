/// Makes text from files safe to print on a terminal.
#pragma once

#include <string>
#include <string_view>

namespace roipca::cli {

/// Returns the text with control characters, which a terminal would obey, and bytes that are not UTF-8
/// replaced by escapes such as \n and \x1b. The result is one line.
std::string printable(std::string_view text);

}  // namespace roipca::cli
