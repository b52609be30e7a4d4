#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <random>
#include <thread>

#include "arguments.hpp"
#include "component_options.hpp"
#include "feature_names.hpp"
#include "input_options.hpp"
#include "interrupt.hpp"
#include "model_input.hpp"
#include "model_output.hpp"
#include "output_paths.hpp"
#include "report/assets.hpp"
#include "roipca/roipca.hpp"
#include "watch/http_server.hpp"
#include "watch/watch_checkpoint.hpp"
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
  std::string checkpoint;
  std::int64_t every = 100000;
  std::string resume;
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

void require_features(Index have, Index features, const std::string& path) {
  if (have == features) return;
  throw FileError(path + ": it has " + std::to_string(have) + " features, but the rows have " +
                  std::to_string(features));
}

// Nothing, a model, or what an earlier run had learned.
WatchCheckpoint beginning(const WatchSettings& settings, Index features) {
  if (!settings.resume.empty()) {
    WatchCheckpoint start = load_watch(settings.resume);
    require_features(start.pca.features(), features, settings.resume);
    return start;
  }
  if (!settings.start.empty()) {
    const Model<double> model = load<double>(settings.start);
    require_features(model.features(), features, settings.start);
    return {OnlinePca<double>(model)};
  }
  Options options = settings.components.options();
  options.n_components = settings.components.parsed_components().to_hold(features);
  return {OnlinePca<double>(options)};
}

// Whether the stream goes on from one that takes missing values, or begins as such.
bool begins_with_gaps(const WatchSettings& settings) {
  if (!settings.resume.empty()) return load_watch(settings.resume).pca.options().missing == Missing::kImpute;
  if (!settings.start.empty()) return takes_gaps(load<double>(settings.start));
  return settings.components.options().missing == Missing::kImpute;
}

// 128 random bits, for an address that cannot be guessed.
std::string random_token() {
  std::random_device random;
  std::string token;
  for (int i = 0; i < 32; ++i) token += "0123456789abcdef"[random() % 16];
  return token;
}

bool is_same(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned char difference = 0;  // compared in full, so that the time says nothing
  for (std::size_t i = 0; i < a.size(); ++i) difference |= static_cast<unsigned char>(a[i] ^ b[i]);
  return difference == 0;
}

std::string page() {
  return std::string(
             "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
             "content=\"width=device-width, initial-scale=1\">\n<meta name=\"color-scheme\" content=\"light "
             "dark\">\n<title>roipca watch</title>\n<style>") +
         kWatchStyle.text + "</style>\n</head>\n<body>\n<main></main>\n<script>" + kWatchScript.text +
         "</script>\n</body>\n</html>\n";
}

std::string event(const nlohmann::json& data, const char* name) {
  // Names of features may not be UTF-8.
  return std::string("event: ") + name +
         "\ndata: " + data.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n\n";
}

// The rows of a block; sparse ones are expanded into `expanded`.
Rows<double> dense_rows(const PlacedRows<double>& block, OwnedRows<double>& expanded) {
  if (!block.is_sparse) return block.rows.slice(0, block.count);
  const SparseRows<double> rows = block.sparse.view();
  expanded = OwnedRows<double>(block.count, rows.cols());
  for (Index i = 0; i < block.count; ++i) {
    for (Index e = rows.start(i); e < rows.start(i + 1); ++e) expanded(i, rows.column(e)) += rows.value(e);
  }
  return expanded.slice(0, block.count);
}

class Site {
 public:
  Site(WatchState& state, const WatchSettings& settings)
      : state_(state),
        token_(random_token()),
        server_(settings.host, static_cast<int>(settings.port),
                [this](const HttpRequest& request) { return answer(request); }),
        publisher_([this](const std::stop_token& stop) { publish(stop); }) {
    const bool is_ipv6 = settings.host.find(':') != std::string::npos;
    const std::string host = is_ipv6 ? "[" + settings.host + "]" : settings.host;
    address_ = "http://" + host + ":" + std::to_string(server_.port()) + "/";
    if (!server_.is_loopback()) address_ += "?token=" + token_;
  }

  const std::string& address() const { return address_; }

 private:
  HttpResponse answer(const HttpRequest& request) {
    // Other sites must not read the page through a name of theirs for this machine.
    const bool is_allowed = server_.is_loopback() ? request.host == "127.0.0.1" ||
                                                        request.host == "localhost" || request.host == "[::1]"
                                                  : is_same(query_value(request.query, "token"), token_);
    if (!is_allowed) return {.status = 403, .body = "use the address that roipca watch has printed\n"};
    if (request.path == "/") {
      return {
          .type = "text/html; charset=utf-8",
          .body = page(),
          .headers = std::string("Content-Security-Policy: default-src 'none'; base-uri 'none'; form-action "
                                 "'none'; frame-ancestors 'none'; connect-src 'self'; style-src ") +
                     kWatchStyle.hash + "; script-src " + kWatchScript.hash + "\r\n"};
    }
    if (request.path == "/events") {
      return {.type = "text/event-stream",
              .body = "retry: 1000\n" + event(state_.snapshot(), "all"),
              .is_stream = true};
    }
    if (request.path == "/alarms.csv") {
      return {.type = "text/csv; charset=utf-8",
              .body = state_.alarms_csv(),
              .headers = "Content-Disposition: attachment; filename=\"alarms.csv\"\r\n"};
    }
    return {.status = 404, .body = "there is no such page\n"};
  }

  void publish(const std::stop_token& stop) {
    heed(stop);
    while (!stop.stop_requested()) {
      std::this_thread::sleep_for(200ms);
      server_.broadcast(event(state_.changes(), "news"));
    }
  }

  WatchState& state_;
  std::string token_;
  std::string address_;
  HttpServer server_;
  std::jthread publisher_;  // last: it uses all of the above
};

void watch(const WatchSettings& settings) {
  const MonitorOptions options = monitor_options(settings);
  require_apart({settings.model, settings.checkpoint}, settings.input.paths);
  if (!settings.model.empty()) require_writable_model(settings.model);
  require_writable(settings.checkpoint);
  InputSettings input = settings.input.settings();
  input.format.at_once = true;
  if (begins_with_gaps(settings)) input.accept_gaps();
  input.format.follow = !settings.no_follow;
  const std::string& path = settings.input.paths.front();
  if (path != "-" && !std::filesystem::exists(path)) throw FileError(path + ": there is no such file");
  // The page is there before the first row is.
  const std::string title = path == "-" ? "standard input" : path;
  WatchState state(title, options.confidence);
  const Site site(state, settings);
  std::fprintf(stderr, "roipca: watching %s at %s (Ctrl-C ends it)\n", title.c_str(), site.address().c_str());

  RowSource<double> source(input);
  state.begin(storable(source.names()));
  WatchCheckpoint start = beginning(settings, source.columns());
  OnlinePca<double>& pca = start.pca;
  Monitor<double> monitor(pca, options);
  // A file is read from its beginning again, a pipe goes on.
  std::int64_t to_skip = std::filesystem::is_regular_file(path) ? start.rows_read : 0;
  std::int64_t number = start.rows_read - to_skip;
  std::int64_t last_checkpoint = pca.rows_seen();
  OwnedRows<double> expanded;
  const auto keep = [&] {
    if (!settings.checkpoint.empty() && pca.rows_seen() > 0) save_watch(pca, number, settings.checkpoint);
    last_checkpoint = pca.rows_seen();
  };
  try {
    while (const PlacedRows<double>* block = source.next()) {
      check_interrupt();
      const Rows<double> rows = dense_rows(*block, expanded);
      for (Index i = 0; i < rows.rows(); ++i) {
        ++number;
        if (to_skip > 0) {
          --to_skip;
          continue;
        }
        const MonitorReading reading = monitor.watch(rows.row(i));
        state.add(rows.row(i), number, reading, monitor.model());
      }
      state.set_skipped(source.skipped().count);
      if (pca.rows_seen() - last_checkpoint >= settings.every) keep();
    }
    state.set_status("ended");
    std::fprintf(stderr, "roipca: the input ended after %lld rows; the page stays until Ctrl-C\n",
                 static_cast<long long>(number));
    while (true) {
      check_interrupt();
      std::this_thread::sleep_for(100ms);
    }
  } catch (const Interrupted&) {
    keep();
    if (!settings.model.empty() && pca.rows_seen() > 0) {
      Model<double> model = pca.model();
      model.feature_names = storable(source.names());
      save(model, settings.model);
      std::fprintf(stderr, "roipca: model of %lld rows in %s\n", static_cast<long long>(model.rows),
                   settings.model.c_str());
    }
    throw;
  }
}

}  // namespace

Command add_watch(CLI::App& program) {
  auto settings = std::make_shared<WatchSettings>();
  settings->input.on_bad_row = "skip";
  Arguments arguments(program, "watch", "Learn and score a stream, and show it on a page that is alive",
                      "sensors | roipca watch - -k 5");
  add_input_options(arguments, settings->input);
  add_component_options(arguments.app(), settings->components);
  arguments.add("--host", settings->host,
                "Listen on this address; the page is then at an address with a secret token unless only this "
                "machine can connect");
  arguments.add("--port", settings->port, {.least = 0, .most = 65535}, "Listen on this port; 0 for any");
  arguments.add("--confidence", settings->confidence, "Confidence of the limits, between 0 and 1",
                {.group = "Alarms"});
  arguments.add("--alarm", settings->alarm,
                "Begin an alarm when M of the last N rows are beyond a limit: M/N", {.group = "Alarms"});
  arguments.add("--hold", settings->hold, {.least = 0},
                "End an alarm after this number of successive rows within the limits", {.group = "Alarms"});
  arguments.add("--warm-up", settings->warm_up, {.least = 0},
                "No alarms before this number of rows was learned", {.group = "Alarms"});
  arguments.add("--learn", settings->learn, "Which rows to learn: none, normal (those not in alarm) or all",
                {.group = "Alarms", .choices = {"none", "normal", "all"}});
  arguments.add("--start", settings->start, "Start with this model instead of none");
  arguments.add_flag("--no-follow", settings->no_follow,
                     "Stop at the end of a file or FIFO instead of waiting for more rows");
  arguments.add("-o,--output", settings->model, "Write the model to this file when interrupted");
  arguments.add("--checkpoint", settings->checkpoint,
                "Write a checkpoint to this file at regular intervals and when interrupted");
  arguments.add("--every", settings->every, {.least = 1}, "Number of learned rows between two checkpoints");
  arguments.add("--resume", settings->resume, "Start with what this checkpoint had learned");
  return arguments.command([settings] {
    watch_for_interrupts();
    settings->input.begin();
    watch(*settings);
  });
}

}  // namespace roipca::cli
