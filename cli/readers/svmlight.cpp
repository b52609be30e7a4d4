// The format: https://www.cs.cornell.edu/people/tj/svm_light/
#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>

#include "readers/csv_records.hpp"
#include "readers/number.hpp"
#include "readers/sparse_files.hpp"
#include "readers/words.hpp"
#include "roipca/errors.hpp"

namespace roipca::cli {
namespace {

std::string_view without_comment(std::string_view line) { return line.substr(0, line.find('#')); }

struct Entry {
  std::int64_t index = 0;
  double value = 0.0;
};

// Parses "7:0.5". Returns nothing for other words.
std::optional<Entry> entry_of(std::string_view word) {
  const std::size_t colon = word.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const auto index = whole_number(word.substr(0, colon));
  const std::string_view number = word.substr(colon + 1);
  Entry entry;
  const char* const end = number.data() + number.size();
  if (!index || number.empty() || parse_number(number.data(), end, entry.value) != end) return std::nullopt;
  entry.index = *index;
  return entry;
}

// Whether the word is one label or several: "1", "1,3".
bool is_label(std::string_view word) {
  while (true) {
    const std::size_t comma = word.find(',');
    if (!is_number(word.substr(0, comma))) return false;
    if (comma == std::string_view::npos) return true;
    word.remove_prefix(comma + 1);
  }
}

// Calls take(index, value) for each entry of a line. Returns what is wrong with the line, or an empty text.
template <typename Take>
std::string take_line(std::string_view line, Take&& take) {
  Words words(without_comment(line));
  std::string_view word = words.next();
  if (word.find(':') == std::string_view::npos) {
    if (!is_label(word)) return "\"" + std::string(word) + "\" is not a label";
    word = words.next();
  }
  for (; !word.empty(); word = words.next()) {
    if (word.starts_with("qid:")) continue;
    const auto entry = entry_of(word);
    if (!entry) return "\"" + std::string(word) + "\" is not index:value";
    std::string problem = take(*entry);
    if (!problem.empty()) return problem;
  }
  return {};
}

// Reads the next line that holds a row. Blank lines and comments are skipped.
bool next_line(CsvRecords& lines, Record& record) {
  while (lines.next(record)) {
    if (without_comment(record.text).find_first_not_of(" \t\r") != std::string_view::npos) return true;
  }
  return false;
}

// Returns the number of columns that the largest index needs. Lines that cannot be parsed are left to the
// reader.
Index count_columns(std::unique_ptr<PeekedStream> stream, bool zero_based) {
  CsvRecords lines(std::move(stream));
  lines.ignore_quotes();
  std::int64_t largest = -1;
  Record record;
  while (next_line(lines, record)) {
    take_line(record.text, [&](const Entry& entry) {
      largest = std::max(largest, entry.index - (zero_based ? 0 : 1));
      return std::string();
    });
  }
  if (largest < 0) throw FileError("there are no rows with entries");
  return static_cast<Index>(largest + 1);
}

template <typename T>
class SvmlightReader : public RowReader<T> {
 public:
  SvmlightReader(std::unique_ptr<PeekedStream> stream, Index columns, const SvmlightOptions& options)
      : lines_(std::move(stream)),
        columns_(columns),
        first_(options.zero_based ? 0 : 1),
        patience_(options.at_once) {
    lines_.ignore_quotes();
  }

  Index columns() const override { return columns_; }
  const char* place() const override { return "line"; }
  bool is_sparse() const override { return true; }

  void read(PlacedRows<T>& block) override {
    Record record;
    patience_.begin_block();
    while (!block.is_full() && static_cast<Index>(block.bad.size()) < block.room &&
           (block.taken() == 0 || lines_.comes_in_time(patience_)) && next_line(lines_, record)) {
      const std::string problem =
          take_line(record.text, [&](const Entry& entry) { return add(entry, block); });
      if (problem.empty()) {
        block.end_sparse_row(record.line);
      } else {
        block.sparse.drop_open_row();
        block.bad.push_back({record.line, problem});
      }
    }
    block.fraction = lines_.fraction();
  }

 private:
  std::string add(const Entry& entry, PlacedRows<T>& block) const {
    if (entry.index == 0 && first_ == 1) {
      return "index 0, but indices begin with 1: for indices from 0, use --format svmlight0";
    }
    if (entry.index < first_ || entry.index - first_ >= columns_) {
      return "index " + std::to_string(entry.index) + " is out of range: there are " +
             std::to_string(columns_) + " columns";
    }
    block.sparse.add(static_cast<Index>(entry.index - first_), static_cast<T>(entry.value));
    return {};
  }

  CsvRecords lines_;
  Index columns_;
  std::int64_t first_;
  Patience patience_;
};

}  // namespace

template <typename T>
std::unique_ptr<RowReader<T>> open_svmlight(const std::string& path, std::unique_ptr<PeekedStream> stream,
                                            const SvmlightOptions& options) {
  Index columns = options.features;
  if (columns == 0) {
    if (path == "-" || !std::filesystem::is_regular_file(path)) {
      throw FileError(
          "the number of columns of an svmlight file on a pipe is known only at its end: give it "
          "with --features");
    }
    columns = count_columns(std::move(stream), options.zero_based);
    stream = open_stream(path);
  }
  return std::make_unique<SvmlightReader<T>>(std::move(stream), columns, options);
}

bool looks_like_svmlight(std::string_view start) {
  while (start.starts_with('#') && start.find('\n') != std::string_view::npos) {
    start.remove_prefix(start.find('\n') + 1);
  }
  const std::size_t end = start.find('\n');
  Words words(without_comment(start.substr(0, end)));
  if (!is_label(words.next())) return false;
  int entries = 0;
  while (true) {
    const std::string_view word = words.next();
    if (word.empty()) return entries > 0;
    // If the line is longer than the known part, its last word may be incomplete.
    const bool is_cut =
        end == std::string_view::npos && word.data() + word.size() == start.data() + start.size();
    if (!word.starts_with("qid:") && !entry_of(word)) return is_cut && entries > 0;
    ++entries;
  }
}

template std::unique_ptr<RowReader<float>> open_svmlight(const std::string&, std::unique_ptr<PeekedStream>,
                                                         const SvmlightOptions&);
template std::unique_ptr<RowReader<double>> open_svmlight(const std::string&, std::unique_ptr<PeekedStream>,
                                                          const SvmlightOptions&);

}  // namespace roipca::cli
