#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>

#include "demo.hpp"

namespace {

constexpr int kFailed = 1;
constexpr int kWrongUsage = 2;

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Online PCA: one pass over a stream, memory for a few components, nothing to tune", "roipca");
  app.require_subcommand(1);

  roipca::cli::DemoSettings demo;
  auto* demo_command =
      app.add_subcommand("demo", "Stream made-up rows through every method, beside batch PCA");
  demo_command->add_option("--features", demo.features, "Numbers in a row")->check(CLI::Range(2, 100000));
  demo_command->add_option("-k,--components", demo.components, "Components to find")
      ->check(CLI::Range(1, 1000));
  demo_command->add_option("--rows", demo.rows, "Rows in the stream")->check(CLI::Range(2, 100000000));
  demo_command->add_option("--seed", demo.seed, "Of the random numbers");
  demo_command->footer("Example: roipca demo --features 1000 -k 10 --rows 5000");

  try {
    app.parse(argc, argv);
    if (demo.components > demo.features)
      throw CLI::ValidationError("--components", "more than there are features");
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kWrongUsage;
  }

  try {
    roipca::cli::run_demo(demo);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "roipca: %s\n", error.what());
    return kFailed;
  }
  return 0;
}
