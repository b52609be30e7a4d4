/// The manual page.
#pragma once

#include <string>
#include <vector>

#include "shell/command_facts.hpp"

namespace roipca::cli {

/// Returns the page in roff, for section 1 of man(1).
std::string manual_page(const std::vector<CommandFacts>& commands, const std::string& summary,
                        const std::string& version);

}  // namespace roipca::cli
