/// The options of every command that reads rows.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "arguments.hpp"
#include "readers/row_source.hpp"

namespace roipca::cli {

/// As typed.
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

  /// Whether outputs begin each row with its id.
  bool has_ids() const { return number_rows || !choice.id.empty(); }
  /// Throws UsageError, and FileError for the files of weights and mask.
  InputSettings settings() const;
  /// The same for rows that must have this many features once they are prepared.
  /// `gaps`: NaN are missing values.
  InputSettings settings_for(Index features_prepared, bool gaps = false) const;
  enum class Need { kFiles, kNone };
  /// Call it first: adds the files of --files-from to the paths, and limits the memory of this process from
  /// now on. Throws UsageError, also if files are needed and there are none, and FileError.
  void begin(Need need = Need::kFiles);
};

/// Adds --dry-run.
void add_dry_run(Arguments& arguments, bool& value);

/// Prints files and their sizes, for a dry run.
void print_files(const std::vector<InputFile>& files);

/// Adds the argument INPUT... and the options.
void add_input_options(Arguments& arguments, InputOptions& options);

/// Adds only the options, for a command whose input has another name.
void add_format_options(Arguments& arguments, InputOptions& options);

/// Lists skipped rows on standard error, if there are any.
void report_skipped(const SkippedRows& skipped);

}  // namespace roipca::cli
