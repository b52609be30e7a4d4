/// Commands that apply a model to rows.
#pragma once

#include <cstdio>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "input_options.hpp"
#include "interrupt.hpp"
#include "progress.hpp"
#include "readers/name_difference.hpp"
#include "roipca/errors.hpp"
#include "roipca/model_file.hpp"
#include "writers/row_writer.hpp"

namespace roipca::cli {

using AnyModel = std::variant<Model<double>, Model<float>>;

/// The options of such a command, as given on the command line.
struct MapSettings {
  std::string model;
  InputOptions input;
  std::string output = "-";
  bool flush = false;
  bool follow = false;
  bool dry_run = false;

  /// Returns the settings of the input, for rows that must have this many features. With `gaps`, NaN means a
  /// missing value. Throws like InputOptions::settings.
  InputSettings input_for(Index features, bool gaps = false) const;
};

/// Adds the arguments MODEL INPUT..., the options of the input, and -o.
void add_map_options(Arguments& arguments, MapSettings& settings, const std::string& output_help);

/// Starts the command: checks its output, limits its memory, watches for interrupts and loads the model.
/// Throws UsageError and FileError.
AnyModel begin_map(MapSettings& settings);

/// Loads a model file, or the model of a checkpoint of `roipca fit` or `roipca watch`. Throws FileError.
AnyModel load_model(const std::string& path);
/// Loads a model file of doubles, or the model of such a checkpoint. Throws FileError.
Model<double> load_model_of_doubles(const std::string& path);

/// Throws FileError unless the rows have this number of features, with these names if both have names.
template <typename T>
void require_features(const RowSource<T>& source, Index features, const std::vector<std::string>& names) {
  const std::string difference = difference_from_model(source.names(), names);
  if (source.columns() == features && difference.empty()) return;
  const std::string what = source.columns() == features
                               ? "its column names are not those of the model"
                               : "rows of " + std::to_string(source.columns()) +
                                     " numbers, but the model has " + std::to_string(features) + " features";
  throw FileError(source.first_file() + ": " + what + (difference.empty() ? "" : "; " + difference));
}

template <typename T>
void require_features(const RowSource<T>& source, const Model<T>& model) {
  require_features(source, model.features(), model.feature_names);
}

/// Opens the output for rows with these columns and with the ids of the source.
template <typename U, typename T>
std::unique_ptr<RowWriter<U>> open_output(const MapSettings& settings, const RowSource<T>& source,
                                          const std::vector<std::string>& names) {
  return open_writer<U>(settings.output, names, source.id_name());
}

/// Whether NaN in the rows means a missing value for this model.
template <typename T>
bool takes_gaps(const Model<T>& model) {
  return model.options.missing == Missing::kImpute;
}

/// Writes map(rows) for all rows of the source, where the argument is Rows<T> or SparseRows<T>. In a dry run,
/// only prints what it would do.
template <typename T, typename U, typename Map>
void map_rows(const MapSettings& settings, RowSource<T>& source, RowWriter<U>& writer, Map&& map) {
  if (settings.dry_run) {
    print_files(source.open_all());
    std::printf("would write %s\n", settings.output == "-" ? "standard output" : settings.output.c_str());
    return;
  }
  {
    Progress progress;
    std::int64_t rows = 0;
    while (const PlacedRows<T>* block = source.next()) {
      check_interrupt();
      writer.write(block->visit(map), block->ids);
      rows += block->count;
      progress.update(rows, block->fraction);
    }
  }
  check_interrupt();
  report_skipped(source.skipped());
  writer.finish();
}

}  // namespace roipca::cli
