#include <cstdio>
#include <memory>

#include "arguments.hpp"
#include "interrupt.hpp"
#include "model_input.hpp"
#include "model_output.hpp"
#include "notes.hpp"
#include "output_paths.hpp"
#include "passes.hpp"

namespace roipca::cli {
namespace {

struct RefineSettings {
  std::string model;
  InputOptions input;
  PassOptions passes;
  std::string output;
  bool dry_run = false;
};

template <typename T>
void refine(const Model<T>& model, const RefineSettings& settings, Passes passes) {
  InputSettings input = settings.input.settings();
  input.learner_checks = true;
  if (takes_gaps(model)) input.accept_gaps();
  if (settings.input.paths.front() != "-" || settings.dry_run) {
    RowSource<T> source(input);
    require_features(source, model);
    if (settings.dry_run) {
      print_files(source.open_all());
      std::printf("would improve a model of %lld rows and write %s\n", static_cast<long long>(model.rows),
                  settings.output.c_str());
      return;
    }
  }
  passes.number += model.passes;
  passes.least = model.passes + 1;  // one more, which also checks that the rows are those of the model
  const Model<T> better = refined(model, passes, input, PassCheckpoints{});
  write_model(better, settings.output);
  if (is_quiet()) return;
  std::FILE* const out = settings.output == "-" ? stderr : stdout;
  std::fprintf(out, "%lld %s over %lld rows", static_cast<long long>(better.passes),
               better.passes == 1 ? "pass" : "passes", static_cast<long long>(better.rows));
  if (const auto error = error_text(better)) std::fprintf(out, ": subspace error %s", error->c_str());
  std::fprintf(out, "\n");
  if (settings.output != "-") std::fprintf(out, "model in %s\n", settings.output.c_str());
}

}  // namespace

Command add_refine(CLI::App& program) {
  auto settings = std::make_shared<RefineSettings>();
  Arguments arguments(program, "refine", "Read the rows of a model again, and improve its components",
                      "roipca refine model.safetensors big.csv");
  arguments.add_argument("MODEL", settings->model, "Model file, as written by roipca fit");
  arguments.add_arguments("INPUT", settings->input.paths, "Files of the rows that the model was learned from",
                          0);
  arguments.add("-o,--output", settings->output,
                "Write the model to this file, or - for standard output; by default MODEL is replaced");
  add_pass_options(arguments, settings->passes, "Number of further passes, or auto");
  add_dry_run(arguments, settings->dry_run);
  add_format_options(arguments, settings->input);
  return arguments.command([settings] {
    watch_for_interrupts();
    settings->input.begin();
    if (settings->output.empty()) settings->output = settings->model;
    require_apart({settings->output}, settings->input.paths);
    require_writable_model(settings->output);
    const Passes passes = parsed_passes(settings->passes, settings->input.paths);
    std::visit([&](const auto& model) { refine(model, *settings, passes); }, load_any(settings->model));
  });
}

}  // namespace roipca::cli
