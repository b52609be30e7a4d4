#include "input_options.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <sstream>
#include <string>

#include "available_memory.hpp"
#include "command.hpp"
#include "feature_file.hpp"
#include "file_list.hpp"
#include "memory_limit.hpp"
#include "notes.hpp"
#include "printable.hpp"
#include "readers/number.hpp"

namespace roipca::cli {
namespace {

char delimiter_from(const std::string& text) {
  if (text == "tab" || text == "\\t") return '\t';
  if (text == "space") return ' ';
  if (text.size() == 1 && text != "\"" && text != "\n") return text[0];
  throw UsageError("--delimiter \"" + text + "\": must be one character, tab or space");
}

PreparationSteps steps_of(const InputOptions& options, std::vector<std::string>& feature_choice) {
  PreparationSteps steps;
  steps.log1p = options.log1p;
  if (!options.target_sum.empty()) {
    double sum = 0.0;
    const char* const end = options.target_sum.data() + options.target_sum.size();
    if (parse_number(options.target_sum.data(), end, sum) != end || !(sum > 0.0) || std::isinf(sum)) {
      throw UsageError("--target-sum must be a number above 0, not \"" + options.target_sum + "\"");
    }
    steps.target_sum = sum;
  }
  if (!options.feature_weights.empty()) steps.feature_weights = read_feature_weights(options.feature_weights);
  if (!options.feature_mask.empty()) {
    FeatureMask mask = read_feature_mask(options.feature_mask);
    steps.feature_mask = std::move(mask.flags);
    feature_choice = std::move(mask.names);
  }
  return steps;
}

void add_limit_options(Arguments& arguments, InputOptions& options) {
  const OptionRules rules{.group = "Bad rows and limits"};
  arguments.add("--on-bad-row", options.on_bad_row, "Stop at a bad row, or skip and count bad rows",
                {.group = rules.group, .choices = {"error", "skip"}});
  arguments.add("--max-rows", options.max_rows, {.least = 0},
                "Stop after this number of rows; bad rows do not count; 0: read all", rules);
  arguments.add("--max-columns", options.max_columns, {.least = 1},
                "Refuse files with more columns than this", rules);
  arguments.add(
      "--max-memory", options.max_memory,
      "Use at most this much memory for data, such as 4G, beside up to 11 MB of code; auto: as much as "
      "the machine has",
      rules);
}

void add_column_options(Arguments& arguments, InputOptions& options) {
  const OptionRules rules{.group = "Columns"};
  arguments.add("--columns", options.choice.columns,
                "Use these columns, by name, number or regular expression: a,b or 1,3-5,9- or /^x/", rules);
  arguments.add("--exclude", options.choice.exclude, "Leave out these columns, written in the same way",
                rules);
  arguments.add("--id", options.choice.id,
                "Column that identifies rows, such as a time; it is not a feature, outputs begin each row "
                "with it, and alarms name it",
                rules);
  arguments.add_flag("--number-rows", options.number_rows,
                     "Begin each row of outputs with its number in its file: row from 0, or line from 1",
                     rules);
}

void add_preparation_options(Arguments& arguments, InputOptions& options) {
  const OptionRules rules{.group = "Preparation of rows, in this order"};
  arguments.add("--target-sum", options.target_sum, "Multiply each row so that its sum is this number",
                rules);
  arguments.add_flag("--log1p", options.log1p, "Replace each number x by log(1 + x)", rules);
  arguments.add("--feature-weights", options.feature_weights,
                "Multiply each feature by its weight: a file of one number per line, or .npy", rules);
  arguments.add("--feature-mask", options.feature_mask,
                "Keep some features: a file of one 0 or 1 per feature, of the names to keep, or .npy", rules);
}

}  // namespace

void InputOptions::begin(Need need) {
  if (!files_from.empty()) {
    if (files_from == "-" && std::find(paths.begin(), paths.end(), "-") != paths.end()) {
      throw UsageError("standard input (-) can be read only once");
    }
    for (std::string& path : read_file_list(files_from)) paths.push_back(std::move(path));
  }
  if (paths.empty() && need == Need::kFiles)
    throw UsageError("no input: give files of rows, or --files-from");
  if (max_memory == "auto") {
    limit_memory(physical_memory());
  } else if (const auto bytes = parse_bytes(max_memory)) {
    if (*bytes < least_memory()) {
      throw UsageError("--max-memory " + max_memory + ": must be at least " +
                       std::to_string(least_memory() >> 20U) + "M");
    }
    make_stacks_small();
    limit_memory(*bytes);
  } else {
    throw UsageError("--max-memory \"" + max_memory + "\": must be auto or a size such as 500M or 4G");
  }
}

InputSettings InputOptions::settings() const {
  InputSettings result;
  result.paths = paths;
  result.format.format = format;
  result.format.dataset = dataset;
  result.format.csv.choice = choice;
  result.number_rows = number_rows;
  if (number_rows && !choice.id.empty()) throw UsageError("--id and --number-rows exclude each other");
  if (!delimiter.empty()) result.format.csv.delimiter = delimiter_from(delimiter);
  if (header != "auto") result.format.csv.header = header == "yes";
  std::istringstream words(missing_words);
  for (std::string word; std::getline(words, word, ',');) result.format.csv.missing_words.push_back(word);
  if (on_bad_row == "skip") result.on_bad_row = OnBadRow::kSkip;
  result.max_rows = max_rows;
  result.format.max_columns = max_columns;
  result.format.allow_external = allow_external;
  result.format.transpose = transpose;
  result.preparation = steps_of(*this, result.feature_choice);
  const auto& [sum, logarithm, weights, mask] = result.preparation;
  if (features > 0) {
    result.format.features = static_cast<Index>(features);
  } else if (choice.is_empty()) {
    result.format.features = static_cast<Index>(std::max(weights.size(), mask.size()));
  }
  as_usage([&] { check(result.format); });
  int from_pipe = 0;
  for (const std::string& path : paths) from_pipe += path == "-" ? 1 : 0;
  if (from_pipe > 1) throw UsageError("standard input (-) can be read only once");
  return result;
}

InputSettings InputOptions::settings_for(Index features_prepared, bool gaps) const {
  InputSettings result = settings();
  if (gaps) result.accept_gaps();
  if (result.format.features == 0 && result.feature_choice.empty() && choice.is_empty()) {
    result.format.features = features_prepared;
  }
  return result;
}

void add_input_options(Arguments& arguments, InputOptions& options) {
  arguments.add_arguments("INPUT", options.paths, "Files of rows, or - for standard input", 0);
  add_format_options(arguments, options);
}

void add_format_options(Arguments& arguments, InputOptions& options) {
  const auto rules = [](std::vector<std::string> choices = {}) {
    return OptionRules{.group = "Input", .choices = std::move(choices)};
  };
  arguments.add_quiet();
  arguments.add("--files-from", options.files_from,
                "Also read the files that this file lists, one per line; - for standard input", rules());
  arguments.add(
      "--format", options.format,
      "Format: auto, npy, csv, tsv, jsonl, idx, hdf5, npz, mtx, svmlight (svmlight0 for indices from 0), "
      "parquet, arrow or raw:TYPE:COLUMNS (raw:f32:784)",
      rules());
  arguments.add("--delimiter", options.delimiter, "CSV: one character, tab or space; detected by default",
                rules());
  arguments.add("--header", options.header, "CSV: whether the first line has column names",
                rules({"auto", "yes", "no"}));
  arguments.add("--dataset", options.dataset,
                "HDF5: path of the dataset or sparse matrix in the file, such as layers/counts", rules());
  arguments.add_flag("--transpose", options.transpose, "MatrixMarket: read the columns as rows", rules());
  arguments.add("--features", options.features, {.least = 0},
                "svmlight: number of columns; 0: enough for the largest index", rules());
  arguments.add_flag("--allow-external", options.allow_external,
                     "HDF5: allow datasets with data in other files", rules());
  arguments.add(
      "--missing-words", options.missing_words,
      "CSV: more words for a missing value, in addition to an empty field, NA, nan and others: -999,x",
      rules());
  add_limit_options(arguments, options);
  add_column_options(arguments, options);
  add_preparation_options(arguments, options);
}

void add_dry_run(Arguments& arguments, bool& value) {
  arguments.add_flag("--dry-run", value, "Check options, inputs and outputs, and say what would be done");
}

void print_files(const std::vector<InputFile>& files) {
  for (const InputFile& file : files) {
    const std::string count = file.rows ? std::to_string(*file.rows) + " " : "";
    std::printf("%s: %srows of %td columns\n", printable(file.path).c_str(), count.c_str(), file.columns);
  }
}

void report_skipped(const SkippedRows& skipped) {
  if (skipped.count == 0 || is_quiet()) return;
  std::fprintf(stderr, "roipca: skipped %lld bad %s:\n", static_cast<long long>(skipped.count),
               skipped.count == 1 ? "row" : "rows");
  for (const std::string& row : skipped.first) std::fprintf(stderr, "  %s\n", printable(row).c_str());
  if (skipped.count > static_cast<std::int64_t>(skipped.first.size())) std::fprintf(stderr, "  ...\n");
}

}  // namespace roipca::cli
