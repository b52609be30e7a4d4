/// The commands and their options, as defined in the command-line parser.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace roipca::cli {

struct OptionFacts {
  std::vector<std::string> names;  ///< with hyphens; for a positional argument, its one name
  std::string value;               ///< type of the value, such as TEXT; empty for a flag
  std::vector<std::string> words;  ///< values to choose from; empty if they cannot be listed
  std::string help;                ///< including the default
  std::string group;
};

struct CommandFacts {
  std::string name;
  std::string summary;
  std::string usage;    ///< positional arguments, such as "MODEL INPUT..."
  std::string example;  ///< an example command line
  std::vector<OptionFacts> arguments;
  std::vector<OptionFacts> options;  ///< in the order of the help
};

/// Returns all commands of the program.
std::vector<CommandFacts> command_facts(const CLI::App& program);

/// Returns the one-line summary of the program.
std::string summary_of(const CLI::App& program);

}  // namespace roipca::cli
