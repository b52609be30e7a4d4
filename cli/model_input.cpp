#include "model_input.hpp"

#include "output_paths.hpp"

namespace roipca::cli {

void add_map_options(Arguments& arguments, MapSettings& settings, const std::string& output_help) {
  arguments.add_argument("MODEL", settings.model, "Model file, as written by roipca fit");
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
  return load_any(settings.model);
}

}  // namespace roipca::cli
