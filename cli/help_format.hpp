/// The layout of --help.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace roipca::cli {

/// Wraps all text at 80 columns and shows defaults in words.
class HelpFormat : public CLI::Formatter {
 public:
  HelpFormat();

  std::string make_option(const CLI::Option* option, bool is_positional) const override;
  std::string make_subcommand(const CLI::App* command) const override;
};

}  // namespace roipca::cli
