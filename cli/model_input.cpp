#include "model_input.hpp"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>
#include <variant>

#include "components_asked_for.hpp"
#include "fit_checkpoint.hpp"
#include "output_paths.hpp"
#include "printable.hpp"
#include "roipca/checkpoint.hpp"
#include "watch/watch_checkpoint.hpp"

namespace roipca::cli {
namespace {

// The first bytes of checkpoints.
constexpr std::string_view kWatchStart = "roipca-watch-1";
constexpr std::string_view kStateStart = "roipca-state";
constexpr std::string_view kFitStart = "roipca-fit-1";
constexpr std::string_view kPassStart = "roipca-pass1";

// Returns the first bytes of a file.
std::string start_of(const std::string& path) {
  std::string start(kWatchStart.size(), '\0');
  std::ifstream(path, std::ios::binary).read(start.data(), static_cast<std::streamsize>(start.size()));
  return start;
}

bool is_checkpoint(std::string_view start) {
  return start == kWatchStart || start.starts_with(kStateStart) || start.starts_with(kFitStart) ||
         start.starts_with(kPassStart);
}

// Returns load(double()), or load(float()) if the file holds floats. Both refuse a damaged file with the same
// message.
template <typename Load>
AnyModel of_either_type(Load load) {
  try {
    return load(double());
  } catch (const FileError&) {
    return load(float());
  }
}

// Returns the model with the number of components that Python reports. If this depends on the rows, Python
// saves a model with more, and decides whenever it reads them.
template <typename T>
Model<T> as_python_reports(Model<T> model) {
  const auto json = nlohmann::json::parse(model.parameters, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object() || !json.contains("n_components")) return model;
  const nlohmann::json& wish = json["n_components"];
  if (wish.is_null()) {
    const Index count = static_cast<Index>(std::min<std::int64_t>(model.rows, model.n_components));
    return count == model.n_components ? std::move(model) : reporting(std::move(model), count);
  }
  Components asked;
  asked.automatic = wish == "auto";
  if (wish.is_number_float() && wish > 0.0 && wish < 1.0) asked.fraction = wish.get<double>();
  return with_components_asked_for(std::move(model), asked, /*warns=*/false);
}

}  // namespace

void add_map_options(Arguments& arguments, MapSettings& settings, const std::string& output_help) {
  arguments.add_argument("MODEL", settings.model, "Model file, as written by roipca fit, or a checkpoint");
  arguments.add_arguments("INPUT", settings.input.paths, "Files of rows, or - for standard input", 0);
  arguments.add(
      "-o,--output", settings.output,
      output_help + " to this file: .npy, .csv, .tsv, .h5, .parquet, or - for CSV on standard output");
  arguments.add_flag("--flush", settings.flush, "Write each row as it comes");
  arguments.add_flag("--follow", settings.follow,
                     "Write each row as it comes, and wait for more at the end of a file or named pipe");
  add_dry_run(arguments, settings.dry_run);
  add_format_options(arguments, settings.input);
}

InputSettings MapSettings::input_for(Index features, bool gaps) const {
  InputSettings result = features > 0 ? input.settings_for(features, gaps) : input.settings();
  result.format.at_once = flush || follow;
  result.format.follow = follow;
  return result;
}

AnyModel begin_map(MapSettings& settings) {
  watch_for_interrupts();
  settings.input.begin();
  as_usage([&] { check_output_path(settings.output, settings.input.has_ids()); });
  if ((settings.flush || settings.follow) && settings.output != "-") {
    throw UsageError(std::string(settings.flush ? "--flush" : "--follow") +
                     " writes to standard output (-o -): other files appear when they are complete");
  }
  require_apart({settings.output}, settings.input.paths);
  require_apart({settings.output}, {settings.model});
  return load_model(settings.model);
}

AnyModel load_model(const std::string& path) {
  const std::string start = start_of(path);
  if (start == kWatchStart) return load_watch(path).pca.model();
  if (start.starts_with(kStateStart)) {
    return of_either_type([&]<typename T>(T) { return load_checkpoint<T>(path).model(); });
  }
  if (start.starts_with(kFitStart) || start.starts_with(kPassStart)) {
    return of_either_type([&]<typename T>(T) { return load_fit<T>(path).pca.model(); });
  }
  return std::visit([](auto&& model) -> AnyModel { return as_python_reports(std::move(model)); },
                    load_any(path));
}

Model<double> load_model_of_doubles(const std::string& path) {
  if (!is_checkpoint(start_of(path))) return as_python_reports(load<double>(path));
  AnyModel model = load_model(path);
  if (auto* of_doubles = std::get_if<Model<double>>(&model)) return std::move(*of_doubles);
  throw FileError(path + ": a checkpoint in single precision, but double precision is needed");
}

}  // namespace roipca::cli
