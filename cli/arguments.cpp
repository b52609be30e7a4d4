#include "arguments.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>

#include "notes.hpp"
#include "readers/number.hpp"

namespace roipca::cli {
namespace {

void set_rules(CLI::Option& option, const OptionRules& rules) {
  option.group(rules.group)->required(rules.required);
  if (rules.choices.empty()) return;
  option.type_name("{" + CLI::detail::join(rules.choices, ",") + "}");
  option.check([choices = rules.choices](const std::string& text) {
    if (std::find(choices.begin(), choices.end(), text) != choices.end()) return std::string();
    return "must be one of " + CLI::detail::join(choices, ", ") + ", not \"" + text + "\"";
  });
}

std::string outside(const std::string& text, Range range) {
  std::int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc() && stop == end && value >= range.least && value <= range.most) return {};
  std::string reason = "must be a whole number";
  if (range.most != Range().most) {
    reason += " from " + std::to_string(range.least) + " to " + std::to_string(range.most);
  } else if (range.least != Range().least) {
    reason += " of at least " + std::to_string(range.least);
  }
  return reason + ", not \"" + text + "\"";
}

}  // namespace

Arguments::Arguments(CLI::App& program, const std::string& command, const std::string& summary,
                     const std::string& example)
    : app_(program.add_subcommand(command, summary)) {
  app_->footer("Example: " + example);
}

void Arguments::add(const std::string& names, std::string& value, const std::string& help,
                    const OptionRules& rules) {
  auto* const option = app_->add_option(names, value, help)->capture_default_str();
  set_rules(*option, rules);
}

void Arguments::add(const std::string& names, std::int64_t& value, Range range, const std::string& help,
                    const OptionRules& rules) {
  auto* const option = app_->add_option(names, value, help)->capture_default_str();
  option->check([range](const std::string& text) { return outside(text, range); });
  set_rules(*option, rules);
}

void Arguments::add_flag(const std::string& names, bool& value, const std::string& help,
                         const OptionRules& rules) {
  set_rules(*app_->add_flag(names, value, help), rules);
}

void Arguments::make_optional(const std::string& name) { app_->get_option(name)->required(false); }

void Arguments::add_quiet() {
  app_->add_flag_callback("-q,--quiet", be_quiet, "Print no progress, summary or warnings")->group("Options");
}

void Arguments::add_argument(const std::string& name, std::string& value, const std::string& help) {
  app_->add_option(name, value, help)->required();
}

void Arguments::add_arguments(const std::string& name, std::vector<std::string>& values,
                              const std::string& help, int least) {
  constexpr int kMost = CLI::detail::expected_max_vector_size;  // shown as "..." in the help
  app_->add_option(name, values, help)->required(least > 0)->expected(least, kMost);
}

double to_confidence(const std::string& text) {
  double value = 0.0;
  if (is_number(text)) parse_number(text.data(), text.data() + text.size(), value);
  if (value > 0.0 && value < 1.0) return value;
  throw UsageError("--confidence \"" + text + "\": must be between 0 and 1");
}

}  // namespace roipca::cli
