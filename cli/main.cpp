#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <exception>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "command.hpp"
#include "help_format.hpp"
#include "interrupt.hpp"
#include "memory_limit.hpp"
#include "printable.hpp"
#include "roipca/build_info.hpp"
#include "suggestion.hpp"

namespace {

using roipca::cli::Command;
using roipca::cli::printable;
using roipca::cli::suggestion;

constexpr int kFailed = 1;
constexpr int kWrongUsage = 2;

// Returns the first word that is not an option, for the message about an unknown command.
std::string first_word(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    if (argv[i][0] != '-') return argv[i];
  }
  return {};
}

int wrong_usage(const std::string& message, const std::string& command = {}) {
  std::fprintf(stderr, "roipca: %s (see roipca %s--help)\n", printable(message).c_str(),
               command.empty() ? "" : (command + " ").c_str());
  return kWrongUsage;
}

int failed(const std::string& message) {
  std::fprintf(stderr, "roipca: %s\n", printable(message).c_str());
  return kFailed;
}

std::string did_you_mean(const std::string& word, const std::vector<std::string>& candidates) {
  const std::string meant = suggestion(word, candidates);
  return meant.empty() ? "" : ": did you mean " + meant + "?";
}

std::vector<std::string> options_of(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

// Describes what is wrong with a command's arguments. CLI11 reports a missing option before an unknown one,
// which may be the same option misspelt.
std::string what_is_wrong(const CLI::App& command, const CLI::ParseError& error) {
  for (const std::string& word : command.remaining()) {
    if (!word.starts_with('-')) continue;
    const std::string option = word.substr(0, word.find('='));
    return "there is no option " + option + did_you_mean(option, options_of(command));
  }
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) == nullptr) return error.what();
  std::string message = error.what();
  const std::string name = message.substr(0, message.find(':'));
  const CLI::Option* const option = command.get_option_no_throw(name);
  if (option == nullptr || option->get_positional() || option->get_expected_max() > 1) return message;
  if (option->count() < 2) return name + " needs a value";
  return name + " is given " + std::to_string(option->count()) + " times";
}

std::vector<std::string> names_of(const std::vector<Command>& commands) {
  std::vector<std::string> names;
  names.reserve(commands.size());
  for (const Command& command : commands) names.push_back(command.app->get_name());
  return names;
}

std::string no_such_command(const std::string& word, const std::vector<std::string>& names) {
  const std::string text = "there is no command \"" + word + '"';
  const std::string hint = did_you_mean(word, names);
  return text + (hint.empty() ? "; commands: " + CLI::detail::join(names, ", ") : hint);
}

int run(const Command& command) {
  try {
    command.run();
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
      roipca::cli::check_interrupt();
      return failed("standard output: cannot write");
    }
    return 0;
  } catch (const roipca::cli::UsageError& error) {
    return wrong_usage(error.what(), command.app->get_name());
  } catch (const roipca::cli::Interrupted&) {
    roipca::cli::end_by_signal();
  } catch (const std::bad_alloc&) {
    return failed(roipca::cli::not_enough_memory());
  } catch (const std::exception& error) {
    return failed(error.what());
  }
}

}  // namespace

int main(int argc, char** argv) {
  using namespace roipca::cli;    // NOLINT(google-build-using-namespace): the commands
  std::signal(SIGXFSZ, SIG_IGN);  // so that a file at its size limit fails like any other write
  CLI::App app("Online PCA: one pass over a stream, memory for a few components, nothing to tune", "roipca");
  app.formatter(std::make_shared<HelpFormat>());  // before adding the commands, which inherit it
  app.set_version_flag("--version", std::string(roipca::version()));
  app.require_subcommand(0, 1);
  const std::vector<Command> commands = {
      add_fit(app),    add_refine(app), add_transform(app), add_inverse(app),     add_impute(app),
      add_score(app),  add_info(app),   add_export(app),    add_merge(app),       add_compare(app),
      add_report(app), add_watch(app),  add_demo(app),      add_completions(app), add_manual(app)};

  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& wanted) {
    return app.exit(wanted);
  } catch (const CLI::ParseError& error) {
    const auto chosen = app.get_subcommands();
    if (!chosen.empty()) {
      return wrong_usage(what_is_wrong(*chosen.front(), error), chosen.front()->get_name());
    }
    const std::string word = first_word(argc, argv);
    if (word.empty()) return wrong_usage(error.what());
    return wrong_usage(no_such_command(word, names_of(commands)));
  }
  for (const Command& command : commands) {
    if (command.app->parsed()) return run(command);
  }
  return wrong_usage("a command is needed; commands: " + CLI::detail::join(names_of(commands), ", "));
}
