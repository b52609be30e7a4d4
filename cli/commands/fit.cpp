#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <new>
#include <stdexcept>

#include "arguments.hpp"
#include "component_options.hpp"
#include "components_asked_for.hpp"
#include "feature_names.hpp"
#include "fit_checkpoint.hpp"
#include "input_options.hpp"
#include "interrupt.hpp"
#include "json_object.hpp"
#include "long_runs.hpp"
#include "memory_limit.hpp"
#include "model_facts.hpp"
#include "model_output.hpp"
#include "model_updates.hpp"
#include "notes.hpp"
#include "output_paths.hpp"
#include "passes.hpp"
#include "printable.hpp"
#include "progress.hpp"
#include "resumption.hpp"
#include "roipca/roipca.hpp"
#include "row_sample.hpp"
#include "shares.hpp"
#include "writers/row_writer.hpp"

namespace roipca::cli {
namespace {

struct FitSettings {
  InputOptions input;
  ComponentOptions components;
  PassOptions passes;
  std::string model;  // empty if -o was not given
  std::string scores;
  std::string sample;
  LongRunOptions long_run;
  bool float32 = false;
  bool json = false;
  bool dry_run = false;

  std::string model_path() const { return model.empty() ? "model.safetensors" : model; }
};

// Describes the result so far, for the progress line.
template <typename T>
std::string result_text(const Model<T>& model) {
  std::array<char, 96> text{};
  std::string line = percent_text(explained(model), 3) + " % of the variance";
  if (const auto estimate = error_estimate(model); estimate && *estimate > 0.0) {
    std::snprintf(text.data(), text.size(), ", error about %.0e", *estimate);
    line += text.data();
  }
  return line;
}

template <typename T>
void print_summary(const Model<T>& model, const FitSettings& settings, double seconds, std::int64_t skipped) {
  // Standard output may already carry a result.
  const std::string path = settings.model_path();
  const bool is_taken = settings.scores == "-" || settings.sample == "-" || path == "-";
  std::FILE* const out = is_taken ? stderr : stdout;
  if (is_quiet() && !settings.json) return;
  if (settings.json) {
    JsonObject summary;
    summary.add("model", path);
    summary.add("rows", model.rows_before + model.rows);
    summary.add("rows_covered", model.rows);
    summary.add("skipped", skipped);
    summary.add("features", model.features());
    summary.add("components", model.n_components);
    summary.add("method", std::string(name(model.resolved.method)));
    summary.add("explained", explained(model));
    summary.add("passes", model.passes);
    if (const auto estimate = error_estimate(model)) summary.add("error_estimate", *estimate);
    if (const auto bound = error_bound(model)) summary.add("error_bound", *bound);
    summary.add("changes", model.change.count);
    if (model.change.count > 0) summary.add("change_row", model.change.row);
    if (model.change.rows > 0) summary.add("change_score", model.change.score);
    summary.add("seconds", seconds);
    summary.print(out, JsonObject::Layout::kOneLine);
    return;
  }
  const bool is_one = model.n_components == 1;
  std::fprintf(out, "%lld rows of %td features in %.2f s: %td %s (%s) %s %s of the variance\n",
               static_cast<long long>(model.rows_before + model.rows), model.features(), seconds,
               model.n_components, is_one ? "component" : "components",
               std::string(name(model.resolved.method)).c_str(), is_one ? "explains" : "explain",
               share_text(explained(model), 4).c_str());
  if (model.options.window) {
    std::fprintf(out, "the window covers the last %lld rows\n", static_cast<long long>(model.rows));
  }
  if (model.change.count > 0) {
    std::fprintf(out, "changes of the rows: %s\n", change_text(model.change).c_str());
  }
  if (const auto error = error_text(model); error && model.resolved.method != Method::kExact) {
    std::fprintf(out, "subspace error after %lld %s: %s\n", static_cast<long long>(model.passes),
                 model.passes == 1 ? "pass" : "passes", error->c_str());
  }
  if (model.resolved.method == Method::kExact && settings.passes.passes != "1") {
    std::fprintf(out, "exact after the first pass: no further pass was made\n");
  }
  if (path != "-") std::fprintf(out, "model in %s\n", path.c_str());
}

// Returns the checkpoint to start from: an empty one, or that of a run with the same options.
template <typename T>
FitCheckpoint<T> beginning(const FitSettings& settings, const Options& options, Index features) {
  if (settings.long_run.resume.empty()) return {.pca = OnlinePca<T>(options)};
  FitCheckpoint<T> start = load_fit<T>(settings.long_run.resume);
  if (start.pca.features() != features) {
    throw FileError(settings.long_run.resume + ": checkpoint of rows with " +
                    std::to_string(start.pca.features()) + " numbers, but the input has " +
                    std::to_string(features));
  }
  if (start.pca.options() != options) {
    throw UsageError("--resume " + settings.long_run.resume +
                     ": the checkpoint was written with other options for components, method or passes");
  }
  return start;
}

// Returns a bound on the time of model(), to use before it was measured: an eigenproblem of all features if
// they may be few enough for the exact method, otherwise one of the held components. 2 ns per operation is
// slow.
std::chrono::duration<double> seconds_to_read(const Options& options, Index features) {
  constexpr double kSecondsPerOperation = 2e-9;
  constexpr Index kMostForExact = 1000;
  const auto d = static_cast<double>(features);
  const auto k = static_cast<double>(options.n_components);
  const bool may_be_exact = options.method == Method::kExact || features <= kMostForExact;
  const double held = may_be_exact ? d : std::min(d, 3.0 * k + 30.0);
  return std::chrono::duration<double>(kSecondsPerOperation * d * held * held);
}

// Adds all rows of the source except those that `pca` has already seen. `scores` and `sample` may be null.
// The sample is taken from all rows.
template <typename T>
void learn(OnlinePca<T>& pca, RowSource<T>& source, RowWriter<T>* scores, RowSample<T>* sample,
           Resumption<T> resumption, Checkpoints checkpoints, ModelUpdates<T>& models, Progress& progress) {
  RareReading result_so_far([&] { return result_text(pca.model()); },
                            seconds_to_read(pca.options(), source.columns()));
  InputFingerprint input;
  try {
    while (const PlacedRows<T>* block = source.next([&] { models.on_request(pca); })) {
      check_interrupt();
      if (sample != nullptr) block->visit([&](const auto& rows) { sample->pass(rows); });
      const Index skipped = resumption.skip(*block);
      const bool has_more = skipped < block->count;
      if (has_more) source.learn(skipped, [&](const auto& rows) { pca.partial_fit(rows); });
      if (block->count == 0) continue;
      block->visit([&](const auto& rows) { input.add(rows); });
      if (!has_more) {
        if (sample == nullptr) resumption.jump(source);
        continue;
      }
      if (pca.rows_seen() == 0) {
        if (scores != nullptr) throw FileError("--scores: the first rows have no values at all");
        continue;
      }
      if (scores != nullptr) {
        block->visit([&](const auto& rows) { scores->write(pca.model().transform(rows), block->ids); },
                     skipped);
      }
      checkpoints.after_block(pca, pca.rows_seen(), input);
      models.after_block(pca);
      progress.update(pca.rows_seen(), block->fraction, &result_so_far);
    }
    check_interrupt();
  } catch (const Interrupted&) {
    if (resumption.is_done()) checkpoints.at_interrupt(pca, pca.rows_seen(), input);
    if (pca.rows_seen() > 0) models.at_interrupt(pca.model());
    throw;
  }
  resumption.require_done();
}

// Refuses to replace a model that nobody named, and to resume from nothing.
void require_no_surprise(const FitSettings& settings) {
  const std::string model = settings.model_path();
  if (settings.model.empty() && std::filesystem::exists(model)) {
    throw UsageError(model + " exists already: give -o " + model + " to replace it, or another name");
  }
  const std::string& resume = settings.long_run.resume;
  if (!resume.empty() && !std::filesystem::exists(resume)) {
    throw FileError(resume + ": there is no such checkpoint (one is written each time --every rows were " +
                    "added, and at Ctrl-C): fit without --resume");
  }
}

// Refuses wrong combinations of options and outputs that cannot be written, before the first row is read.
void check_settings(const FitSettings& settings, const Components& components) {
  const std::string model = settings.model_path();
  require_apart({model, settings.scores, settings.sample, settings.long_run.checkpoint},
                settings.input.paths);
  require_apart({model}, {settings.long_run.resume});
  if (settings.long_run.checkpoint == "-") throw UsageError("--checkpoint needs the name of a file");
  if (!settings.scores.empty())
    as_usage([&] { check_output_path(settings.scores, settings.input.has_ids()); });
  if (!settings.sample.empty()) as_usage([&] { check_output_path(settings.sample); });
  if (components.known_at_end() && !settings.scores.empty()) {
    throw UsageError("--scores needs -k as a number: with a fraction or auto, it is known only at the end");
  }
  if (!settings.long_run.resume.empty() && !settings.scores.empty()) {
    throw UsageError("--scores cannot be resumed: use roipca transform afterwards");
  }
  if (settings.long_run.model_every > 0 && model == "-")
    throw UsageError("--model-every needs a file: use -o");
  require_no_surprise(settings);
  require_writable_model(model);
  require_writable(settings.long_run.checkpoint);
}

// Returns work(). If that fails for lack of memory, says how much the exact method takes.
template <typename Work>
auto tell_memory_for_exact(const Options& options, Index features, Work work) {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    if (options.method != Method::kExact) throw;
    throw std::runtime_error(not_enough_memory() + ": the exact method takes about " +
                             std::to_string((memory_for_exact(features) >> 20U) + 1) + "M for " +
                             std::to_string(features) + " features" +
                             (options.threads > 1 ? ", and more with threads" : ""));
  }
}

template <typename T>
void fit(const FitSettings& settings) {
  const Components components = settings.components.parsed_components();
  Options options = settings.components.options();
  check_settings(settings, components);
  const Passes passes = parsed_passes(settings.passes, settings.input.paths);
  if (passes.number > 1 && !settings.scores.empty()) {
    throw UsageError("--scores are those of the first pass: with --passes, use roipca transform afterwards");
  }
  if (passes.number > 1 && (options.forgetting != 1.0 || options.window)) {
    throw UsageError(std::string("--passes ") + settings.passes.passes + " excludes " +
                     (options.window ? "--window: another pass does not know which rows it covers"
                                     : "--forgetting: another pass does not know the age of a row"));
  }
  InputSettings input = settings.input.settings();
  input.sharers = options.threads;
  input.learner_checks = settings.sample.empty() && settings.long_run.resume.empty();
  if (options.missing == Missing::kImpute) input.accept_gaps();
  RowSource<T> source(input);
  if (!source.caution().empty()) note(printable(source.caution()));
  options.n_components = components.to_hold(source.columns());
  if (passes.number > 1 && !source.is_sparse()) options = for_more_passes(options, source.columns());
  std::unique_ptr<RowWriter<T>> scores;
  if (!settings.scores.empty()) {
    scores = open_writer<T>(settings.scores, component_names(static_cast<std::size_t>(components.number)),
                            source.id_name());
  }

  std::unique_ptr<RowSample<T>> sample;
  if (!settings.sample.empty()) {
    sample = std::make_unique<RowSample<T>>(settings.sample, source.columns(), source.names());
  }

  auto progress = std::make_unique<Progress>();
  FitCheckpoint<T> start = beginning<T>(settings, options, source.columns());
  OnlinePca<T>& pca = start.pca;
  const bool is_later_pass = start.refinement.has_value();
  if (is_later_pass && sample)
    throw UsageError("--sample: the rows of the first pass have been read already");
  const std::string path = settings.model_path();
  if (settings.dry_run) {
    print_files(source.open_all());
    std::printf("would learn %s components and write %s\n",
                components.known_at_end() ? settings.components.components.c_str()
                                          : std::to_string(components.number).c_str(),
                path.c_str());
    return;
  }
  const auto finished = [&](Model<T> model, bool warns) {
    model = with_components_asked_for(std::move(model), components, warns);
    model.feature_names = storable(source.names());
    return model;
  };
  ModelUpdates<T> models(
      path, {.every = settings.long_run.model_every, .at_interrupt = !settings.model.empty()},
      pca.rows_seen(), [&](Model<T> model) { write_model(finished(std::move(model), false), path); });
  if (!is_later_pass) {
    tell_memory_for_exact(options, source.columns(), [&] {
      learn(pca, source, scores.get(), sample.get(), Resumption<T>(start, settings.long_run.resume),
            Checkpoints(settings.long_run.checkpoint, settings.long_run.every, pca.rows_seen()), models,
            *progress);
    });
  }
  const double seconds_of_first = progress->seconds();
  progress.reset();
  report_skipped(source.skipped());
  if (pca.rows_seen() == 0) throw FileError(no_rows_text(source.skipped()));
  const Progress more;
  const auto model_so_far = [&] { return is_later_pass ? start.refinement->model() : pca.model(); };
  Model<T> model = refined(tell_memory_for_exact(options, source.columns(), model_so_far), passes, input,
                           {settings.long_run.checkpoint, settings.long_run.every, settings.long_run.resume},
                           is_later_pass ? &start : nullptr,
                           KeepModel<T>([&](const Model<T>& so_far) { return models.at_interrupt(so_far); }));
  const double seconds = seconds_of_first + more.seconds();
  model = finished(std::move(model), true);
  if (const auto text = note_on_units(
          model, source.names(),
          {.units = "use --standardize", .scales = "let more rows determine the scales (--first-rows)"}))
    note(*text);
  check_interrupt();
  if (scores) scores->complete();
  if (sample) sample->complete();
  write_model(model, path);
  if (scores) scores->publish();
  if (sample) sample->publish();
  print_summary(model, settings, seconds, source.skipped().count);
}

}  // namespace

Command add_fit(CLI::App& program) {
  auto settings = std::make_shared<FitSettings>();
  Arguments arguments(program, "fit", "Learn principal components from rows",
                      "zcat big.csv.gz | roipca fit - -k 10 -o model.safetensors");
  add_input_options(arguments, settings->input);
  add_component_options(arguments.app(), settings->components);
  arguments.add(
      "-o,--output", settings->model,
      "Write the model to this file, or - for standard output (default: model.safetensors, unless it "
      "exists); an interrupted run writes it only if -o is given");
  add_pass_options(arguments, settings->passes, "Number of times to read the input, or auto");
  arguments.add("--scores", settings->scores,
                "Write the scores of each row, on the components so far, to this file: .npy, .csv, .tsv, .h5 "
                "or .parquet");
  arguments.add(
      "--sample", settings->sample,
      "Write up to 1,000 random rows, for roipca report, to this file: .npy, .csv, .tsv, .h5 or .parquet");
  add_long_run_options(arguments, settings->long_run, "rows was added",
                       "Resume from this checkpoint, with the same input and options");
  arguments.add_flag("--float32", settings->float32, "Compute in single precision");
  arguments.add_flag("--json", settings->json, "Print the summary as JSON");
  add_dry_run(arguments, settings->dry_run);
  return arguments.command([settings] {
    watch_for_interrupts();
    watch_for_requests();
    settings->input.begin();
    if (settings->float32) {
      fit<float>(*settings);
    } else {
      fit<double>(*settings);
    }
  });
}

}  // namespace roipca::cli
