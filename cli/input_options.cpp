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

void add_input_options(Arguments& arguments, InputOptions& options) {
  arguments.add_arguments("INPUT", options.paths, "Files of rows, or - for standard input");
  add_format_options(arguments, options);
}

void add_format_options(Arguments& arguments, InputOptions& options) {
  const auto rules = [](std::vector<std::string> choices = {}) {
    return OptionRules{.group = "Input", .choices = std::move(choices)};
  };
  arguments.add("--format", options.format,
                "Format: auto, npy, csv, tsv, idx, hdf5 or raw:TYPE:COLUMNS (raw:f32:784)", rules());
  arguments.add("--columns", options.columns, "CSV: use these columns, by name or number: a,b or 1,3-5,9-",
                rules());
  arguments.add("--delimiter", options.delimiter, "CSV: one character, tab or space; detected by default",
                rules());
  arguments.add("--header", options.header, "CSV: whether the first line has column names",
                rules({"auto", "yes", "no"}));
  arguments.add("--dataset", options.dataset, "HDF5: path of the dataset inside the file", rules());
  arguments.add_flag("--allow-external", options.allow_external,
                     "HDF5: allow datasets with data in other files", rules());
  arguments.add("--on-bad-row", options.on_bad_row, "Stop at a bad row, or skip and count bad rows",
                rules({"error", "skip"}));
  arguments.add("--max-columns", options.max_columns, {.least = 1}, "Refuse files with more columns",
                rules());
  arguments.add("--max-memory", options.max_memory,
                "Use at most this much memory, such as 4G; auto: as much as the machine has", rules());
}

void report_skipped(const SkippedRows& skipped) {
  if (skipped.count == 0) return;
  std::fprintf(stderr, "roipca: skipped %lld bad %s:\n", static_cast<long long>(skipped.count),
               skipped.count == 1 ? "row" : "rows");
  for (const std::string& row : skipped.first) std::fprintf(stderr, "  %s\n", printable(row).c_str());
  if (skipped.count > static_cast<std::int64_t>(skipped.first.size())) std::fprintf(stderr, "  ...\n");
}

}  // namespace roipca::cli
