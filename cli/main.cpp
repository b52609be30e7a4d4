#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <string>

#include "demo.hpp"
#include "roipca/build_info.hpp"

namespace {

constexpr int kFailed = 1;
constexpr int kWrongUsage = 2;

// The first word that is no option, for the message about a command that does not exist.
std::string first_word(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    if (argv[i][0] != '-') return argv[i];
  }
  return {};
}

int wrong_usage(const std::string& message) {
  std::fprintf(stderr, "roipca: %s (see roipca --help)\n", message.c_str());
  return kWrongUsage;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Online PCA: one pass over a stream, memory for a few components, nothing to tune", "roipca");
  app.set_version_flag("--version", std::string(roipca::version()));
  app.require_subcommand(0, 1);

  roipca::cli::DemoSettings demo;
  auto* demo_command =
      app.add_subcommand("demo", "Stream made-up rows through every method, beside batch PCA");
  demo_command->add_option("--features", demo.features, "Numbers in a row")
      ->check(CLI::TypeValidator<int>() & CLI::Range(2, 100000))
      ->capture_default_str();
  demo_command->add_option("-k,--components", demo.components, "Components to find")
      ->check(CLI::TypeValidator<int>() & CLI::Range(1, 1000))
      ->capture_default_str();
  demo_command->add_option("--rows", demo.rows, "Rows in the stream")
      ->check(CLI::TypeValidator<int>() & CLI::Range(2, 10000000))
      ->capture_default_str();
  demo_command->add_option("--seed", demo.seed, "Of the random numbers")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  demo_command->footer("Example: roipca demo --features 1000 -k 10 --rows 5000");

  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& wanted) {
    return app.exit(wanted);
  } catch (const CLI::ParseError& error) {
    const std::string word = first_word(argc, argv);
    if (app.get_subcommands().empty() && !word.empty()) {
      return wrong_usage("there is no command \"" + word + "\"; commands: demo");
    }
    return wrong_usage(error.what());
  }
  if (app.get_subcommands().empty()) return wrong_usage("a command is needed; commands: demo");
  if (demo.components > demo.features) {
    return wrong_usage("--components is " + std::to_string(demo.components) + ", but --features only " +
                       std::to_string(demo.features));
  }

  try {
    roipca::cli::run_demo(demo);
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
      std::perror("roipca: writing the output");
      return kFailed;
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "roipca: %s\n", error.what());
    return kFailed;
  }
  return 0;
}
