#include "model_input.hpp"

#include <fstream>

#include "fit_checkpoint.hpp"
#include "output_paths.hpp"
#include "watch/watch_checkpoint.hpp"

namespace roipca::cli {

void add_map_options(Arguments& arguments, MapSettings& settings, const std::string& output_help) {
  arguments.add_argument("MODEL", settings.model, "Model file, as written by roipca fit, or a checkpoint");
  arguments.add_arguments("INPUT", settings.input.paths, "Files of rows, or - for standard input");
  arguments.add("-o,--output", settings.output,
                output_help + " to this file: .npy, .csv, .tsv, .h5, or - for CSV on standard output");
  add_format_options(arguments, settings.input);
}

AnyModel begin_map(const MapSettings& settings) {
  watch_for_interrupts();
  settings.input.apply_memory_limit();
  as_usage([&] { check_output_path(settings.output); });
  require_apart({settings.output}, settings.input.paths);
  require_apart({settings.output}, {settings.model});
  return load_model(settings.model);
}

AnyModel load_model(const std::string& path) {
  std::string start(14, '\0');
  std::ifstream(path, std::ios::binary).read(start.data(), static_cast<std::streamsize>(start.size()));
  if (start == "roipca-watch-1") return load_watch(path).pca.model();
  if (!start.starts_with("roipca-fit-1")) return load_any(path);
  try {
    return load_fit<double>(path).pca.model();
  } catch (const FileError&) {
    return load_fit<float>(path).pca.model();
  }
}

}  // namespace roipca::cli
