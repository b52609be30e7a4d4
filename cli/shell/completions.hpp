/// Scripts that let shells complete the command line.
#pragma once

#include <string>
#include <vector>

#include "shell/command_facts.hpp"

namespace roipca::cli {

/// To be sourced by bash.
std::string bash_completions(const std::vector<CommandFacts>& commands);
/// The autoloaded function _roipca of zsh.
std::string zsh_completions(const std::vector<CommandFacts>& commands);
/// To be sourced by fish.
std::string fish_completions(const std::vector<CommandFacts>& commands);

}  // namespace roipca::cli
