/// Declares the arguments and options of a command. Hides the parser, whose headers take long to compile.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "command.hpp"

namespace roipca::cli {

/// How an option is listed in the help and checked.
struct OptionRules {
  std::string group = "Options";  ///< heading in the help
  bool required = false;
  std::vector<std::string> choices = {};  ///< the only values allowed; empty: any value
};

/// The smallest and the largest number that an option accepts, both inclusive.
struct Range {
  std::int64_t least = std::numeric_limits<std::int64_t>::min();
  std::int64_t most = std::numeric_limits<std::int64_t>::max();
};

/// The arguments and options of one command. A value keeps its initial content unless the user gives another;
/// it must outlive the parsing of the command line. Option names are written as in "-o,--output"; positional
/// arguments have a plain name such as "INPUT".
class Arguments {
 public:
  Arguments(CLI::App& program, const std::string& command, const std::string& summary,
            const std::string& example);

  void add(const std::string& names, std::string& value, const std::string& help,
           const OptionRules& rules = {});
  void add(const std::string& names, std::int64_t& value, Range range, const std::string& help,
           const OptionRules& rules = {});
  void add_flag(const std::string& names, bool& value, const std::string& help,
                const OptionRules& rules = {});
  /// Makes an option that was added as required optional.
  void make_optional(const std::string& name);
  /// Adds --quiet.
  void add_quiet();
  void add_argument(const std::string& name, std::string& value, const std::string& help);
  /// Takes at least `least` words.
  void add_arguments(const std::string& name, std::vector<std::string>& values, const std::string& help,
                     int least = 1);

  /// The parser's own object, for code that adds options to it directly.
  CLI::App& app() { return *app_; }

  Command command(std::function<void()> run) const { return {app_, std::move(run)}; }

 private:
  CLI::App* app_;
};

/// Returns the value of --confidence, between 0 and 1. Throws UsageError.
double to_confidence(const std::string& text);

}  // namespace roipca::cli
