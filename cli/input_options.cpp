#include "input_options.hpp"

#include <cstdio>

#include "command.hpp"
#include "memory_limit.hpp"
#include "printable.hpp"

namespace roipca::cli {
namespace {

char delimiter_from(const std::string& text) {
  if (text == "tab" || text == "\\t") return '\t';
  if (text == "space") return ' ';
  if (text.size() == 1 && text != "\"" && text != "\n") return text[0];
  throw UsageError("--delimiter \"" + text + "\": one character, tab or space");
}

}  // namespace

void InputOptions::apply_memory_limit() const {
  if (max_memory == "auto") {
    limit_memory(physical_memory());
  } else if (const auto bytes = parse_bytes(max_memory)) {
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
  result.format.csv.columns = columns;
  if (!delimiter.empty()) result.format.csv.delimiter = delimiter_from(delimiter);
  if (header != "auto") result.format.csv.header = header == "yes";
  if (on_bad_row == "skip") result.on_bad_row = OnBadRow::kSkip;
  result.format.max_columns = max_columns;
  result.format.allow_external = allow_external;
  as_usage([&] { check(result.format); });
  int from_pipe = 0;
  for (const std::string& path : paths) from_pipe += path == "-" ? 1 : 0;
  if (from_pipe > 1) throw UsageError("standard input (-) can be read only once");
  return result;
}

std::shared_ptr<InputOptions> add_input_options(CLI::App& app) {
  auto options = std::make_shared<InputOptions>();
  app.add_option("INPUT", options->paths, "Files of rows, or - for standard input")->required();
  add_format_options(app, *options);
  return options;
}

void add_format_options(CLI::App& app, InputOptions& options) {
  const char* const group = "Input";
  app.add_option("--format", options.format,
                 "auto, npy, csv, tsv, idx, hdf5 or raw:TYPE:COLUMNS (raw:f32:784)")
      ->group(group)
      ->capture_default_str();
  app.add_option("--columns", options.columns, "CSV: use these columns, by name or number: a,b or 1,3-5,9-")
      ->group(group);
  app.add_option("--delimiter", options.delimiter, "CSV: one character, tab or space; detected by default")
      ->group(group);
  app.add_option("--header", options.header, "CSV: whether the first line has column names: auto, yes or no")
      ->check(CLI::IsMember({"auto", "yes", "no"}))
      ->group(group)
      ->capture_default_str();
  app.add_option("--dataset", options.dataset, "HDF5: path of the dataset in the file")->group(group);
  app.add_flag("--allow-external", options.allow_external,
               "HDF5: allow datasets that take data from other files")
      ->group(group);
  app.add_option("--on-bad-row", options.on_bad_row,
                 "Stop at bad rows (error), or skip and count them (skip)")
      ->check(CLI::IsMember({"error", "skip"}))
      ->group(group)
      ->capture_default_str();
  app.add_option("--max-columns", options.max_columns, "Refuse files with more columns")
      ->check(CLI::PositiveNumber)
      ->group(group)
      ->capture_default_str();
  app.add_option("--max-memory", options.max_memory,
                 "Refuse to use more memory, such as 4G; auto: that of the machine")
      ->group(group)
      ->capture_default_str();
}

void report_skipped(const SkippedRows& skipped) {
  if (skipped.count == 0) return;
  std::fprintf(stderr, "roipca: skipped %lld bad %s:\n", static_cast<long long>(skipped.count),
               skipped.count == 1 ? "row" : "rows");
  for (const std::string& row : skipped.first) std::fprintf(stderr, "  %s\n", printable(row).c_str());
  if (skipped.count > static_cast<std::int64_t>(skipped.first.size())) std::fprintf(stderr, "  ...\n");
}

}  // namespace roipca::cli
