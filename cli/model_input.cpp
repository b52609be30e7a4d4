#include "model_input.hpp"

namespace roipca::cli {

void add_map_options(Arguments& arguments, MapSettings& settings, const std::string& output_help) {
  arguments.add_argument("MODEL", settings.model, "Model file, as written by roipca fit");
  arguments.add_arguments("INPUT", settings.input.paths, "Files of rows, or - for standard input");
  arguments.add("-o,--output", settings.output,
                output_help + " to this file: .npy, .csv, .tsv, .h5, or - for CSV on standard output");
  add_format_options(arguments, settings.input);
}

}  // namespace roipca::cli
