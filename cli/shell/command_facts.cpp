#include "shell/command_facts.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "component_options.hpp"

namespace roipca::cli {
namespace {

// Extracts "auto", "yes" and "no" from "TEXT:{auto,yes,no}".
std::vector<std::string> choices_in(const std::string& type) {
  const std::size_t begin = type.find('{');
  if (begin == std::string::npos) return {};
  return CLI::detail::split(type.substr(begin + 1, type.find('}') - begin - 1), ',');
}

std::vector<std::string> words_of(const CLI::Option& option) {
  std::vector<std::string> words = choices_in(option.get_type_name());
  for (const std::string& name : option.get_lnames()) {
    if (words.empty()) words = table_words("--" + name);
  }
  return words;
}

OptionFacts facts_of(const CLI::Option& option) {
  OptionFacts facts;
  for (const std::string& name : option.get_snames()) facts.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) facts.names.push_back("--" + name);
  if (facts.names.empty()) facts.names.push_back(option.get_name(true));
  facts.words = words_of(option);
  if (option.get_expected_max() > 0) {
    const std::string type = option.get_type_name();
    facts.value = type.substr(0, type.find_first_of(":{"));
    if (facts.value.empty()) facts.value = "TEXT";
  }
  facts.help = option.get_description();
  if (!option.get_default_str().empty()) facts.help += " (default: " + option.get_default_str() + ")";
  facts.group = option.get_group();
  return facts;
}

CommandFacts facts_of(const CLI::App& command) {
  CommandFacts facts;
  facts.name = command.get_name();
  facts.summary = command.get_description();
  const std::string footer = command.get_footer();
  facts.example = footer.substr(std::min(footer.size(), footer.find(": ") + 2));
  std::vector<const CLI::Option*> options = command.get_options();
  const std::vector<std::string> groups = command.get_groups();
  std::ranges::stable_sort(options, {}, [&](const CLI::Option* option) {
    return std::ranges::find(groups, option->get_group()) - groups.begin();
  });
  for (const CLI::Option* option : options) {
    if (option->get_positional()) {
      facts.arguments.push_back(facts_of(*option));
      const bool is_list = option->get_expected_max() > 1;
      facts.usage +=
          (facts.usage.empty() ? "" : " ") + facts.arguments.back().names[0] + (is_list ? "..." : "");
    } else {
      facts.options.push_back(facts_of(*option));
    }
  }
  return facts;
}

}  // namespace

std::vector<CommandFacts> command_facts(const CLI::App& program) {
  std::vector<CommandFacts> commands;
  for (const CLI::App* command : program.get_subcommands({})) commands.push_back(facts_of(*command));
  return commands;
}

std::string summary_of(const CLI::App& program) { return program.get_description(); }

}  // namespace roipca::cli
