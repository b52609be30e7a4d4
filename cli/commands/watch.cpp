#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>

#include "arguments.hpp"
#include "component_options.hpp"
#include "components_asked_for.hpp"
#include "feature_names.hpp"
#include "input_options.hpp"
#include "interrupt.hpp"
#include "long_runs.hpp"
#include "model_input.hpp"
#include "model_updates.hpp"
#include "notes.hpp"
#include "output_paths.hpp"
#include "roipca/roipca.hpp"
#include "shares.hpp"
#include "watch/watch_checkpoint.hpp"
#include "watch/watch_site.hpp"
#include "watch/watch_state.hpp"

namespace roipca::cli {
namespace {

using namespace std::chrono_literals;

struct WatchSettings {
  InputOptions input;
  ComponentOptions components;
  std::string host = "127.0.0.1";
  std::int64_t port = 8000;
  std::string confidence = "0.99";
  std::string alarm = "1/1";
  std::int64_t hold = 0;
  std::int64_t warm_up = 100;
  std::string learn = "normal";
  std::string model;
  std::string start;
  std::string alarms;
  LongRunOptions long_run = {.every = 100000};
  bool no_follow = false;
};

MonitorOptions monitor_options(const WatchSettings& settings) {
  MonitorOptions options;
  options.confidence = to_confidence(settings.confidence);
  int end = 0;
  if (std::sscanf(settings.alarm.c_str(), "%d/%d%n", &options.rows_beyond, &options.rows_considered, &end) !=
          2 ||
      static_cast<std::size_t>(end) != settings.alarm.size() || options.rows_beyond < 1 ||
      options.rows_considered < options.rows_beyond || options.rows_considered > 64) {
    throw UsageError("--alarm \"" + settings.alarm + "\": must be M/N, such as 2/3, with N up to 64");
  }
  options.hold = settings.hold;
  options.warm_up = settings.warm_up;
  options.learn = settings.learn == "none"  ? Learn::kNone
                  : settings.learn == "all" ? Learn::kAll
                                            : Learn::kNormal;
  return options;
}

// Returns the stream that --resume or --start continues, if one of them is given.
std::optional<WatchCheckpoint> continued(const WatchSettings& settings) {
  if (!settings.long_run.resume.empty()) return load_watch(settings.long_run.resume);
  if (!settings.start.empty()) {
    const Model<double> model = load_model_of_doubles(settings.start);
    return WatchCheckpoint{.pca = OnlinePca<double>(model), .feature_names = model.feature_names};
  }
  return std::nullopt;
}

const std::string& continued_path(const WatchSettings& settings) {
  return settings.long_run.resume.empty() ? settings.start : settings.long_run.resume;
}

// Returns the names of the features: those of the rows, or of the model if rows come without names.
std::vector<std::string> names_for(const std::vector<std::string>& of_rows,
                                   const std::optional<WatchCheckpoint>& start) {
  return !start || start->feature_names.empty() ? storable(of_rows) : start->feature_names;
}

// Returns the state to start from: that of the stream that is continued, or an empty one.
WatchCheckpoint beginning(const WatchSettings& settings, std::optional<WatchCheckpoint> start,
                          Index features) {
  if (start) return std::move(*start);
  Options options = settings.components.options();
  options.n_components = settings.components.parsed_components().to_hold(features);
  return {OnlinePca<double>(options)};
}

// Returns the rows of a block as dense rows. Sparse rows are expanded into `expanded`.
Rows<double> dense_rows(const PlacedRows<double>& block, OwnedRows<double>& expanded) {
  if (!block.is_sparse) return block.rows.slice(0, block.count);
  const SparseRows<double> rows = block.sparse.view();
  expanded = OwnedRows<double>(block.count, rows.cols());
  for (Index i = 0; i < block.count; ++i) {
    for (Index e = rows.start(i); e < rows.start(i + 1); ++e) expanded(i, rows.column(e)) += rows.value(e);
  }
  return expanded.slice(0, block.count);
}

bool are_files(const std::vector<std::string>& paths) {
  return std::ranges::all_of(paths,
                             [](const std::string& path) { return std::filesystem::is_regular_file(path); });
}

// Returns the name of the stream for the page.
std::string title_of(const std::vector<std::string>& paths) {
  const std::string last = shown(paths.back());
  return paths.size() == 1 ? last
                           : last + " after " + std::to_string(paths.size() - 1) +
                                 (paths.size() == 2 ? " other file" : " other files");
}

// Scores and learns rows, and writes models and checkpoints.
class Watch {
 public:
  Watch(const WatchSettings& settings, const MonitorOptions& options, std::optional<WatchCheckpoint> start,
        const std::vector<std::string>& names, Index features)
      : components_(settings.components.components.empty() ? Components{.number = 1}
                                                           : settings.components.parsed_components()),
        options_(options),
        checkpoint_(settings.long_run.checkpoint),
        every_(settings.long_run.every),
        remedies_(
            start ? UnitRemedies{"fit with --standardize", "fit with more --first-rows"}
                  : UnitRemedies{"use --standardize", "let more rows determine the scales (--first-rows)"}),
        start_(beginning(settings, std::move(start), features)),
        monitor_(pca(), options),
        // Files are read again from their beginning; a pipe continues.
        to_skip_(are_files(settings.input.paths) ? start_.rows_read : 0),
        number_(start_.rows_read - to_skip_),
        last_checkpoint_(pca().rows_seen()),
        names_(names),
        models_(settings.model.empty() ? "-" : settings.model,
                {.every = settings.long_run.model_every, .at_interrupt = true}, pca().rows_seen(),
                [this, path = settings.model](Model<double> model) { write(std::move(model), path); }) {}
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  /// Number of rows so far.
  std::int64_t rows() const { return number_; }
  /// Number of rows without any value since this run began.
  std::int64_t empty_rows() const { return empty_rows_; }

  void take(const PlacedRows<double>& block, WatchState& state) {
    const Rows<double> rows = dense_rows(block, expanded_);
    for (Index i = 0; i < rows.rows(); ++i) {
      ++number_;
      if (to_skip_ > 0) {
        --to_skip_;
        continue;
      }
      if (is_warm()) after_warm_up();
      const MonitorReading reading = monitor_.watch(rows.row(i));
      if (reading.is_empty) {
        ++empty_rows_;
        state.pass_over(number_);
        continue;
      }
      std::string_view id;
      if (!block.ids.empty()) id = block.ids[static_cast<std::size_t>(i)];
      state.add(rows.row(i), {number_, id}, reading, monitor_.model());
    }
    if (pca().rows_seen() - last_checkpoint_ >= every_) keep_checkpoint();
    models_.after_block(pca());
  }

  void on_request() { models_.on_request(pca()); }

  /// Writes the last checkpoint and model.
  void end() {
    if (pca().rows_seen() == 0) return;
    keep_checkpoint();
    models_.at_interrupt(pca().model());
  }

 private:
  OnlinePca<double>& pca() { return start_.pca; }

  bool is_warm() {
    constexpr std::int64_t kFewest = 10;
    return pca().rows_seen() >= std::max(options_.warm_up, kFewest);
  }

  void after_warm_up() {
    if (components_.known_at_end()) choose_components();
    if (pca().rows_seen() >= look_at_units_at_) look_at_units();
  }

  // Gives a note once. Scales are wrong only beside later rows, so those of a standardized model are looked
  // at again whenever the rows have doubled.
  void look_at_units() {
    const auto text = note_on_units(pca().model(), names_, remedies_);
    if (text) note(*text);
    const bool looks_again = !text && pca().options().standardize;
    look_at_units_at_ = looks_again ? 2 * pca().rows_seen() : std::numeric_limits<std::int64_t>::max();
  }

  // Turns -k as a fraction or auto into a number.
  void choose_components() {
    components_ = {.number = with_components_asked_for(pca().model(), components_, true).n_components};
    options_.n_components = components_.number;
    monitor_ = Monitor<double>(pca(), options_);
    note("watching with " + std::to_string(components_.number) + " components");
  }

  void keep_checkpoint() {
    if (!checkpoint_.empty()) save_watch(pca(), number_, checkpoint_);
    last_checkpoint_ = pca().rows_seen();
  }

  void write(Model<double> model, const std::string& path) const {
    if (options_.n_components > 0) model = reporting(std::move(model), options_.n_components);
    model.feature_names = names_;
    save(model, path);
  }

  Components components_;
  MonitorOptions options_;
  std::string checkpoint_;
  std::int64_t every_;
  UnitRemedies remedies_;
  std::int64_t look_at_units_at_ = 0;
  WatchCheckpoint start_;
  Monitor<double> monitor_;
  std::int64_t to_skip_;  // rows of a file that the checkpoint has already seen
  std::int64_t number_;   // number of the last row
  std::int64_t empty_rows_ = 0;
  std::int64_t last_checkpoint_;
  std::vector<std::string> names_;
  ModelUpdates<double> models_;
  OwnedRows<double> expanded_;
};

// Refuses wrong combinations of options and outputs that cannot be written, before the first row is read.
void check_settings(const WatchSettings& settings, const std::optional<WatchCheckpoint>& start) {
  if (!settings.components.components.empty()) {
    settings.components.parsed_components();
  } else if (!start) {
    throw UsageError("-k is required, unless --start or --resume is given");
  }
  if (start) settings.components.require_no_change(start->pca.options(), continued_path(settings));
  if (settings.model == "-") throw UsageError("-o needs the name of a file");
  if (settings.long_run.model_every > 0 && settings.model.empty()) {
    throw UsageError("--model-every needs a file: use -o");
  }
  const std::vector<std::string>& paths = settings.input.paths;
  if (!settings.long_run.resume.empty() && paths.size() > 1 && !are_files(paths)) {
    throw UsageError("--resume reads files again or continues one pipe, but not both: give the pipe alone");
  }
  require_apart({settings.model, settings.long_run.checkpoint, settings.alarms}, settings.input.paths);
  if (!settings.model.empty()) require_writable_model(settings.model);
  require_writable(settings.long_run.checkpoint);
  require_writable(settings.alarms);
  for (const std::string& path : settings.input.paths) {
    if (path != "-" && !std::filesystem::exists(path)) throw FileError(path + ": there is no such file");
  }
}

void watch(const WatchSettings& settings) {
  const MonitorOptions options = monitor_options(settings);
  std::optional<WatchCheckpoint> start = continued(settings);
  check_settings(settings, start);
  InputSettings input = settings.input.settings();
  input.format.at_once = true;
  const Options learned = start ? start->pca.options() : settings.components.options();
  if (learned.missing == Missing::kImpute) input.accept_gaps();
  if (!start) input.format.csv.impute_advice = "give --missing impute";
  input.format.follow = !settings.no_follow;
  // The page can be opened before the first row arrives.
  const std::string title = title_of(settings.input.paths);
  WatchState state(title, options.confidence);
  const WatchSite site(state, settings.host, static_cast<int>(settings.port));
  std::fprintf(stderr, "roipca: watching %s at %s (Ctrl-C ends it)\n", title.c_str(), site.address().c_str());

  RowSource<double> source(input);
  if (start) require_features(source, start->pca.features(), start->feature_names);
  const std::vector<std::string> names = names_for(source.names(), start);
  state.begin(names, source.id_name());
  if (!settings.alarms.empty()) state.log_alarms(settings.alarms);
  Watch run(settings, options, std::move(start), names, source.columns());
  try {
    while (const PlacedRows<double>* block = source.next([&] { run.on_request(); })) {
      check_interrupt();
      run.take(*block, state);
      state.set_skipped(source.skipped().count);
    }
    state.set_status("ended");
    report_skipped(source.skipped());
    if (run.rows() == 0) throw FileError(no_rows_text(source.skipped()));
    note("the input ended after " + std::to_string(run.rows()) + " rows" +
         (run.empty_rows() == 0 ? "" : " (" + std::to_string(run.empty_rows()) + " without any value)") +
         " and " + std::to_string(state.alarms()) + (state.alarms() == 1 ? " alarm" : " alarms") +
         (settings.no_follow ? "" : "; the page stays until Ctrl-C (--no-follow ends)"));
    while (!settings.no_follow) {
      check_interrupt();
      run.on_request();
      std::this_thread::sleep_for(100ms);
    }
  } catch (const Interrupted&) {
    run.end();
    state.end_log();
    throw;
  }
  run.end();
  state.end_log();
}

}  // namespace

Command add_watch(CLI::App& program) {
  auto settings = std::make_shared<WatchSettings>();
  settings->input.on_bad_row = "skip";
  Arguments arguments(program, "watch",
                      "Learn and score the rows of a stream, raise alarms, and show a live page",
                      "sensors | roipca watch - -k 5");
  add_input_options(arguments, settings->input);
  add_component_options(arguments.app(), settings->components);
  arguments.make_optional("--components");
  arguments.add("--host", settings->host,
                "Listen on this address; the page is then at an address with a secret token unless only this "
                "machine can connect");
  arguments.add("--port", settings->port, {.least = 0, .most = 65535}, "Listen on this port; 0 for any");
  arguments.add("--confidence", settings->confidence,
                "Confidence of the limits: with 0.99, about one normal row in a hundred is beyond each",
                {.group = "Alarms"});
  arguments.add(
      "--alarm", settings->alarm,
      "Begin an alarm when M of the last N rows are beyond a limit: M/N, such as 3/5 against single outliers",
      {.group = "Alarms"});
  arguments.add("--hold", settings->hold, {.least = 0},
                "End an alarm after this number of successive rows within the limits", {.group = "Alarms"});
  arguments.add("--warm-up", settings->warm_up, {.least = 0},
                "Raise no alarm before this number of rows was learned", {.group = "Alarms"});
  arguments.add("--learn", settings->learn, "Which rows to learn: none, normal (those not in alarm) or all",
                {.group = "Alarms", .choices = {"none", "normal", "all"}});
  arguments.add(
      "--alarms", settings->alarms,
      "Append a line of CSV to this file when an alarm begins and when it ends; - for standard output",
      {.group = "Alarms"});
  arguments.add(
      "--start", settings->start,
      "Start with this model, as written by roipca fit, or that of a checkpoint; -k is then not needed");
  arguments.add_flag("--no-follow", settings->no_follow,
                     "End with exit code 0 at the end of the input, instead of waiting for more rows");
  arguments.add("-o,--output", settings->model,
                "Write the model to this file when the command ends and on SIGUSR1");
  add_long_run_options(arguments, settings->long_run, "rows was learned",
                       "Resume from this checkpoint of roipca watch");
  return arguments.command([settings] {
    watch_for_interrupts();
    watch_for_requests();
    settings->input.begin();
    watch(*settings);
  });
}

}  // namespace roipca::cli
