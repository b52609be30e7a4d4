#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "command.hpp"
#include "component_options.hpp"
#include "feature_names.hpp"
#include "input_options.hpp"
#include "interrupt.hpp"
#include "progress.hpp"
#include "roipca/roipca.hpp"
#include "writers/row_writer.hpp"

namespace roipca::cli {
namespace {

struct FitSettings {
  std::shared_ptr<InputOptions> input;
  ComponentOptions components;
  std::string model = "model.safetensors";
  std::string scores;
  bool float32 = false;
  bool json = false;
};

template <typename T>
double explained(const Model<T>& model) {
  return model.explained_variance_ratio().sum();
}

template <typename T>
void print_summary(const Model<T>& model, const FitSettings& settings, double seconds, std::int64_t skipped) {
  // Scores may be on their way through standard output.
  std::FILE* const out = settings.scores == "-" ? stderr : stdout;
  if (settings.json) {
    const nlohmann::ordered_json summary = {{"model", settings.model},
                                            {"rows", model.rows},
                                            {"skipped", skipped},
                                            {"features", model.features()},
                                            {"components", model.n_components},
                                            {"method", name(model.options.method)},
                                            {"explained", explained(model)},
                                            {"seconds", seconds}};
    const auto replace = nlohmann::ordered_json::error_handler_t::replace;  // a path may be no UTF-8
    std::fprintf(out, "%s\n", summary.dump(-1, ' ', false, replace).c_str());
    return;
  }
  std::fprintf(out, "%lld rows of %td features in %.2f s: %td components (%s) explain %.4g of the variance\n",
               static_cast<long long>(model.rows), model.features(), seconds, model.n_components,
               std::string(name(model.options.method)).c_str(), explained(model));
  std::fprintf(out, "model in %s\n", settings.model.c_str());
}

// The estimator of all rows of the source; `scores` may be null.
template <typename T>
OnlinePca<T> learn(RowSource<T>& source, const Options& options, RowWriter<T>* scores, Progress& progress) {
  OnlinePca<T> pca(options);
  const std::function<double()> explained_so_far = [&] { return explained(pca.model()); };
  while (const RowBlock<T>* block = source.next()) {
    check_interrupt();
    const auto rows = block->rows.topRows(block->count);
    pca.partial_fit(rows);
    if (scores != nullptr) scores->write(pca.model().transform(rows));
    progress.update(pca.rows_seen(), block->fraction, explained_so_far);
  }
  check_interrupt();
  return pca;
}

template <typename T>
void fit(const FitSettings& settings) {
  const Components components = settings.components.parsed_components();
  Options options = settings.components.options();
  if (!settings.scores.empty()) as_usage([&] { check_output_path(settings.scores); });
  if (components.fraction && !settings.scores.empty()) {
    throw UsageError("--scores needs -k as a number: how many a fraction takes is known in the end only");
  }
  InputSettings input = settings.input->settings();
  input.sharers = options.threads;
  RowSource<T> source(input);
  options.n_components = components.to_hold(source.columns());
  std::unique_ptr<RowWriter<T>> scores;
  if (!settings.scores.empty()) {
    scores = open_writer<T>(settings.scores, component_names(static_cast<std::size_t>(components.number)));
  }

  auto progress = std::make_unique<Progress>();
  const OnlinePca<T> pca = learn(source, options, scores.get(), *progress);
  const double seconds = progress->seconds();
  progress.reset();
  report_skipped(source.skipped());
  if (pca.rows_seen() == 0) throw FileError("there are no rows left: every one of them is bad");
  Model<T> model = pca.model();
  if (components.fraction && !report_fraction(model, *components.fraction)) {
    std::fprintf(stderr,
                 "roipca: the %td components held explain %.3g of the variance, less than %g: give -k "
                 "as a larger number\n",
                 model.n_components, explained(model), *components.fraction);
  }
  model.feature_names = storable(source.names());
  if (scores) scores->finish();
  save(model, settings.model);
  print_summary(model, settings, seconds, source.skipped().count);
}

}  // namespace

Command add_fit(CLI::App& program) {
  auto* app = program.add_subcommand("fit", "Learn components from rows, in one pass");
  auto settings = std::make_shared<FitSettings>();
  settings->input = add_input_options(*app);
  add_component_options(*app, settings->components);
  app->add_option("-o,--output", settings->model, "Where the model goes")->capture_default_str();
  app->add_option("--scores", settings->scores,
                  "Write each row's scores by the components so far: npy, csv, h5");
  app->add_flag("--float32", settings->float32, "Compute in single precision");
  app->add_flag("--json", settings->json, "Print the summary as JSON");
  app->footer("Example: zcat big.csv.gz | roipca fit - -k 10 -o model.safetensors");
  return {app, [settings] {
            watch_for_interrupts();
            if (settings->float32) {
              fit<float>(*settings);
            } else {
              fit<double>(*settings);
            }
          }};
}

}  // namespace roipca::cli
