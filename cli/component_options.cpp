#include "component_options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <stdexcept>
#include <string_view>

#include "readers/number.hpp"
#include "roipca/option_table.hpp"

namespace roipca::cli {
namespace {

constexpr Index kMostIfUnknown = 100;

std::optional<Index> to_count(const std::string& text) {
  Index value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

std::optional<double> to_number(const std::string& text) {
  double value = 0.0;
  if (!is_number(text)) return std::nullopt;
  parse_number(text.data(), text.data() + text.size(), value);
  return value;
}

// Turns "block_size" into --block-size; a flag that is set by default gets --no-.
std::string flag_name(const OptionRow& row) {
  std::string name = row.name();
  std::replace(name.begin(), name.end(), '_', '-');
  return (row.is_flag() && row.to_text({}) == "true" ? "--no-" : "--") + name;
}

// Returns the heading in the help: options for rows and readings are separate from those of the algorithm.
const char* group_of(const OptionRow& row) {
  constexpr std::array<std::string_view, 8> kOfRows = {"center",     "standardize", "first_rows", "missing",
                                                       "forgetting", "window",      "align",      "probes"};
  return std::find(kOfRows.begin(), kOfRows.end(), row.name()) == kOfRows.end() ? "Method" : "Rows";
}

bool is_typed(const OptionRow& row) { return row.name() != "n_components"; }  // is set by -k

void add_flag(CLI::App& app, const OptionRow& row, std::string& text, char& is_given) {
  const bool switches_off = text == "true";
  std::string help = row.help();
  if (switches_off) {
    help[0] = static_cast<char>(std::tolower(help[0]));
    help = "Do not " + help;
  }
  app.add_flag_callback(
         flag_name(row),
         [&text, &is_given, switches_off] {
           text = switches_off ? "false" : "true";
           is_given = 1;
         },
         help)
      ->group(group_of(row));
}

void add_value(CLI::App& app, const OptionRow& row, std::string& text, char& is_given) {
  const char* const type = !row.words().empty() ? "TEXT" : row.numbers()->integer ? "INT" : "FLOAT";
  app.add_option(flag_name(row), text, row.help() + ": " + row.accepted())
      ->type_name(type)
      ->group(group_of(row))
      ->capture_default_str()
      ->each([&is_given](const std::string&) { is_given = 1; });
}

}  // namespace

Index Components::to_hold(Index features) const {
  if (known_at_end()) return std::min(features, kMostIfUnknown);
  if (number > features) {
    throw UsageError("-k is " + std::to_string(number) + ", but the rows have only " +
                     std::to_string(features) + " columns");
  }
  return number;
}

Components ComponentOptions::parsed_components() const {
  if (components == "auto") return {.automatic = true};
  if (const auto count = to_count(components); count && *count >= 1) return {.number = *count};
  if (const auto fraction = to_number(components); fraction && *fraction > 0.0 && *fraction < 1.0) {
    return {.fraction = fraction};
  }
  throw UsageError("-k \"" + components +
                   "\": must be a number of components, a fraction of the variance such as 0.95, or auto");
}

ComponentOptions::ComponentOptions() {
  for (const OptionRow& row : option_table()) texts.push_back(row.to_text({}));
  is_given.resize(texts.size(), 0);
}

Options ComponentOptions::options() const {
  Options options;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const OptionRow& row = option_table()[i];
    if (row.from_text(options, texts[i])) continue;
    throw UsageError(flag_name(row) + " must be " + row.accepted() + ", not \"" + texts[i] + "\"");
  }
  try {
    check(options);
  } catch (const std::invalid_argument& error) {  // options that exclude each other
    throw UsageError(error.what());
  }
  return options;
}

void ComponentOptions::require_no_change(const Options& fixed, const std::string& path) const {
  const Options given = options();
  for (std::size_t i = 0; i < is_given.size(); ++i) {
    const OptionRow& row = option_table()[i];
    const std::string value = row.to_text(given);
    if (is_given[i] == 0 || value == row.to_text(fixed)) continue;
    const std::string name = flag_name(row);
    const std::string typed = row.is_flag() ? name : name + " " + value;
    const std::string kept = row.is_flag() ? "without it" : "with " + name + " " + row.to_text(fixed);
    throw UsageError(typed + ": " + path + " was made " + kept + ", which cannot be changed");
  }
  // A fraction and auto choose among the components that are there.
  if (components.empty() || parsed_components().known_at_end()) return;
  if (parsed_components().number == fixed.n_components) return;
  throw UsageError("-k " + components + ": " + path + " was made with -k " +
                   std::to_string(fixed.n_components) + ", which cannot be changed");
}

std::vector<std::string> table_words(const std::string& option) {
  for (const OptionRow& row : option_table()) {
    if (!row.is_flag() && flag_name(row) == option) return row.words();
  }
  return {};
}

void add_component_options(CLI::App& app, ComponentOptions& options) {
  app.add_option(
         "-k,--components", options.components,
         "Number of components, fraction of the variance to explain, such as 0.95, or auto: as many as stand "
         "out from noise")
      ->required();
  for (std::size_t i = 0; i < options.texts.size(); ++i) {
    const OptionRow& row = option_table()[i];
    if (!is_typed(row)) continue;
    (row.is_flag() ? add_flag : add_value)(app, row, options.texts[i], options.is_given[i]);
  }
}

}  // namespace roipca::cli
