/// The options of every command that reads rows.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "arguments.hpp"
#include "readers/row_source.hpp"

namespace roipca::cli {

/// The options as text and numbers from the command line. settings() interprets them.
struct InputOptions {
  std::vector<std::string> paths;
  std::string files_from;
  std::string format = "auto";
  ColumnChoice choice;
  bool number_rows = false;
  std::string delimiter;
  std::string header = "auto";
  std::string dataset;
  std::string on_bad_row = "error";
  std::string missing_words;
  std::string max_memory = "auto";
  std::int64_t max_rows = 0;
  std::int64_t max_columns = InputFormat::kMaxColumns;
  bool allow_external = false;
  bool transpose = false;
  std::int64_t features = 0;
  std::string target_sum;
  bool log1p = false;
  std::string feature_weights;
  std::string feature_mask;

  /// Whether each row of an output begins with an id.
  bool has_ids() const { return number_rows || !choice.id.empty(); }
  /// Throws UsageError, and FileError for the files of weights and mask.
  InputSettings settings() const;
  /// Returns the settings for rows that must have this many features once they are prepared. With `gaps`, NaN
  /// means a missing value.
  InputSettings settings_for(Index features_prepared, bool gaps = false) const;
  enum class Need { kFiles, kNone };
  /// Adds the files of --files-from to the paths and limits the memory of this process. Call this first.
  /// Throws FileError, and UsageError, also if files are needed and there are none.
  void begin(Need need = Need::kFiles);
};

/// Adds --dry-run.
void add_dry_run(Arguments& arguments, bool& value);

/// Prints the files and their numbers of rows and columns, for a dry run.
void print_files(const std::vector<InputFile>& files);

/// Adds the argument INPUT... and the options of the input.
void add_input_options(Arguments& arguments, InputOptions& options);

/// Adds only the options, for a command whose input argument has another name.
void add_format_options(Arguments& arguments, InputOptions& options);

/// Lists the skipped rows on standard error, if there are any.
void report_skipped(const SkippedRows& skipped);

}  // namespace roipca::cli
