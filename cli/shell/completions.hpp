/// Scripts for command-line completion in shells.
#pragma once

#include <string>
#include <vector>

#include "shell/command_facts.hpp"

namespace roipca::cli {

/// Returns a script to be sourced by bash.
std::string bash_completions(const std::vector<CommandFacts>& commands);
/// Returns the file of the autoloaded zsh function _roipca.
std::string zsh_completions(const std::vector<CommandFacts>& commands);
/// Returns a script to be sourced by fish.
std::string fish_completions(const std::vector<CommandFacts>& commands);

}  // namespace roipca::cli
