/// The options of a command. Hides the parser, which takes long to compile.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "command.hpp"

namespace roipca::cli {

/// How an option is listed and checked.
struct OptionRules {
  std::string group = "Options";  ///< heading in the help
  bool required = false;
  std::vector<std::string> choices = {};  ///< if not empty, the only values
};

/// The smallest and the largest number that an option accepts.
struct Range {
  std::int64_t least = std::numeric_limits<std::int64_t>::min();
  std::int64_t most = std::numeric_limits<std::int64_t>::max();
};

/// The arguments and options of one command. Values keep what they hold unless
/// the user gives another, and must live until the command line was parsed.
/// Names are as in "-o,--output", or "INPUT" for an argument that is given by
/// its place.
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
  /// Lets an option be left out that was added as required.
  void make_optional(const std::string& name);
  /// Adds --quiet.
  void add_quiet();
  void add_argument(const std::string& name, std::string& value, const std::string& help);
  /// Takes `least` words or more.
  void add_arguments(const std::string& name, std::vector<std::string>& values, const std::string& help,
                     int least = 1);

  /// For code that adds options by the parser's own functions.
  CLI::App& app() { return *app_; }

  Command command(std::function<void()> run) const { return {app_, std::move(run)}; }

 private:
  CLI::App* app_;
};

/// Returns the value of --confidence, between 0 and 1. Throws UsageError.
double to_confidence(const std::string& text);

}  // namespace roipca::cli
