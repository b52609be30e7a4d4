#include "help_format.hpp"

#include <sstream>

namespace roipca::cli {
namespace {

constexpr std::size_t kWidth = 80;
constexpr std::size_t kTextColumn = 28;

// Formats two columns, the name and the wrapped text. A name that is too long gets a line of its own.
std::string entry(const std::string& name, const std::string& text) {
  std::string line = "  " + name;
  std::string result;
  const auto end_line = [&] {
    result += line + '\n';
    line.assign(kTextColumn, ' ');
  };
  if (line.size() + 2 > kTextColumn) {
    end_line();
  } else {
    line.resize(kTextColumn, ' ');
  }
  std::istringstream words(text);
  std::string word;
  while (words >> word) {
    const bool is_first = line.size() == kTextColumn;
    if (!is_first && line.size() + 1 + word.size() > kWidth) end_line();
    line += (line.size() == kTextColumn ? "" : " ") + word;
  }
  end_line();
  return result;
}

// Extracts "{auto,yes,no}" from "TEXT:{auto,yes,no}", and "INT" from "INT:POSITIVE".
std::string value_name(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const std::size_t choices = type.find('{');
  return choices == std::string::npos ? type.substr(0, type.find(':')) : type.substr(choices);
}

}  // namespace

HelpFormat::HelpFormat() {
  label("Positionals", "Arguments");
  label("SUBCOMMAND", "COMMAND");
}

std::string HelpFormat::make_option(const CLI::Option* option, bool is_positional) const {
  std::string name = option->get_name(is_positional, true);
  if (!is_positional && option->get_type_size() != 0) name += " " + value_name(*option);
  std::string text = option->get_description();
  if (!is_positional && option->get_required()) text += " (required)";
  if (!option->get_default_str().empty()) text += " (default: " + option->get_default_str() + ")";
  return entry(name, text);
}

std::string HelpFormat::make_subcommand(const CLI::App* command) const {
  return entry(command->get_name(), command->get_description());
}

}  // namespace roipca::cli
