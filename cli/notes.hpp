/// Messages besides the results of a command.
#pragma once

#include <string>

namespace roipca::cli {

/// Silences notes, progress and summaries from now on (--quiet).
void be_quiet();
bool is_quiet();

/// Prints "roipca: text" on standard error, unless --quiet was given.
void note(const std::string& text);

}  // namespace roipca::cli
