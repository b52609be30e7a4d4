#include "model_input.hpp"

namespace roipca::cli {

void add_map_options(CLI::App& app, MapSettings& settings, const std::string& output_help) {
  app.add_option("MODEL", settings.model, "A file that roipca fit wrote")->required();
  app.add_option("INPUT", settings.input.paths, "Files of rows, or - for standard input")->required();
  add_format_options(app, settings.input);
  app.add_option("-o,--output", settings.output, output_help + ": .npy, .csv, .tsv, .h5, or - for CSV")
      ->capture_default_str();
}

}  // namespace roipca::cli
