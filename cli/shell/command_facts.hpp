/// The commands and their options, as the parser of the command line knows them.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace roipca::cli {

struct OptionFacts {
  std::vector<std::string>
      names;          ///< with their hyphens; the one name of an argument that is given by its place
  std::string value;  ///< what it takes, such as TEXT; empty for a flag
  std::vector<std::string>
      words;         ///< values to choose from; none if others are possible, too, and none is known
  std::string help;  ///< with the default
  std::string group;
};

struct CommandFacts {
  std::string name;
  std::string summary;
  std::string usage;    ///< its arguments, such as "MODEL INPUT..."
  std::string example;  ///< a command line
  std::vector<OptionFacts> arguments;
  std::vector<OptionFacts> options;  ///< in the order of the help
};

/// All commands of the program.
std::vector<CommandFacts> command_facts(const CLI::App& program);

/// What the program does, in a line.
std::string summary_of(const CLI::App& program);

}  // namespace roipca::cli
