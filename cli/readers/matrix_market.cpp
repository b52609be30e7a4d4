// The format: https://math.nist.gov/MatrixMarket/formats.html
#include <algorithm>
#include <cctype>
#include <string>
#include <utility>
#include <vector>

#include "readers/csv_records.hpp"
#include "readers/number.hpp"
#include "readers/sparse_files.hpp"
#include "readers/words.hpp"
#include "roipca/errors.hpp"

namespace roipca::cli {
namespace {

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

std::string at_line(std::int64_t line) { return "line " + std::to_string(line) + ": "; }

template <typename T>
class MatrixMarketReader : public RowReader<T> {
 public:
  MatrixMarketReader(std::unique_ptr<PeekedStream> stream, bool transpose)
      : lines_(std::move(stream)), transpose_(transpose) {
    lines_.ignore_quotes();
    read_header();
    read_sizes();
  }

  Index columns() const override { return static_cast<Index>(columns_); }
  std::optional<std::int64_t> rows() const override { return rows_; }
  bool is_sparse() const override { return true; }

  void read(PlacedRows<T>& block) override {
    while (!block.is_full() && static_cast<Index>(block.bad.size()) < block.room && next_ < rows_) {
      read_row(block);
    }
    block.fraction = static_cast<double>(read_) / static_cast<double>(std::max<std::int64_t>(entries_, 1));
  }

 private:
  struct Entry {
    std::int64_t row = 0;
    std::int64_t column = 0;
    T value{1};
    std::string problem;
  };

  void read_header() {
    Record record;
    if (!lines_.next(record)) throw FileError("there are no rows: the file is empty");
    Words words(record.text);
    words.next();
    const std::string object = lower(words.next());
    const std::string form = lower(words.next());
    const std::string field = lower(words.next());
    const std::string symmetry = lower(words.next());
    if (object != "matrix" || form != "coordinate") {
      throw FileError("MatrixMarket kind \"" + object + " " + form +
                      "\": only \"matrix coordinate\" can be read");
    }
    if (field != "real" && field != "integer" && field != "pattern" && field != "double") {
      throw FileError("MatrixMarket file of " + field +
                      " numbers: only real, integer and pattern can be read");
    }
    if (symmetry != "general") {
      throw FileError("a " + symmetry + " matrix with only half of its entries: write all of them (general)");
    }
    has_values_ = field != "pattern";
  }

  // Reads the next line that is not a comment.
  bool next_line(Record& record) {
    while (lines_.next(record)) {
      if (!record.text.starts_with('%')) return true;
    }
    return false;
  }

  void read_sizes() {
    Record record;
    if (!next_line(record)) throw FileError("the file is cut off before the line of sizes");
    Words words(record.text);
    const auto rows = whole_number(words.next());
    const auto columns = whole_number(words.next());
    const auto entries = whole_number(words.next());
    if (!rows || !columns || !entries || *rows < 0 || *columns < 0 || *entries < 0 || !words.next().empty()) {
      throw FileError(at_line(record.line) + "not the sizes of a matrix: rows, columns and entries");
    }
    rows_ = transpose_ ? *columns : *rows;
    columns_ = transpose_ ? *rows : *columns;
    entries_ = *entries;
    if (rows_ == 0 || columns_ == 0) throw FileError("there are no rows: the matrix is empty");
  }

  // Reads row next_, whose entries are the next lines.
  void read_row(PlacedRows<T>& block) {
    std::string problem;
    while (fetch() && ahead_.row == next_) {
      if (problem.empty()) problem = ahead_.problem;
      if (ahead_.problem.empty()) block.sparse.add(static_cast<Index>(ahead_.column), ahead_.value);
      is_ahead_ = false;
    }
    if (problem.empty()) {
      block.end_sparse_row(next_);
    } else {
      block.sparse.drop_open_row();
      block.bad.push_back({next_, problem});
    }
    ++next_;
  }

  // Makes `ahead_` the next entry. Returns false at the end.
  bool fetch() {
    if (is_ahead_) return true;
    Record record;
    if (!next_line(record)) {
      if (read_ != entries_) {
        throw FileError("row " + std::to_string(next_) +
                        ": the file is cut off: " + std::to_string(entries_) +
                        " entries are expected, but there are " + std::to_string(read_));
      }
      return false;
    }
    if (++read_ > entries_) {
      throw FileError(at_line(record.line) + "more than the " + std::to_string(entries_) +
                      " entries that the header announces");
    }
    ahead_ = parsed(record);
    is_ahead_ = true;
    return true;
  }

  Entry parsed(const Record& record) {
    Words words(record.text);
    const std::string_view first = words.next();
    const std::string_view second = words.next();
    const std::string_view number = has_values_ ? words.next() : std::string_view();
    const auto row = whole_number(transpose_ ? second : first);
    const auto column = whole_number(transpose_ ? first : second);
    if (!row || *row < 1 || *row > rows_) {
      throw FileError(at_line(record.line) + "\"" + std::string(transpose_ ? second : first) +
                      "\" is not a " + (transpose_ ? "column" : "row") + " from 1 to " +
                      std::to_string(rows_));
    }
    if (*row - 1 < next_) {
      const std::string what = transpose_ ? "column" : "row";
      throw FileError(
          at_line(record.line) + what + " " + std::to_string(*row) + " after " + what + " " +
          std::to_string(next_ + 1) + ": entries must be sorted by " + what +
          (transpose_ ? "" : ". If they are sorted by column, --transpose makes rows of the columns"));
    }
    Entry entry;
    entry.row = *row - 1;
    double value = 1.0;
    const char* const end = number.data() + number.size();
    if (!column || *column < 1 || *column > columns_) {
      entry.problem = at_line(record.line) + "\"" + std::string(transpose_ ? first : second) +
                      "\" is not a " + (transpose_ ? "row" : "column") + " from 1 to " +
                      std::to_string(columns_);
    } else if (has_values_ && (number.empty() || parse_number(number.data(), end, value) != end)) {
      entry.problem = at_line(record.line) + "\"" + std::string(number) + "\" is not a number";
    } else if (!words.next().empty()) {
      entry.problem = at_line(record.line) + "unexpected text after the entry";
    } else {
      entry.column = *column - 1;
      entry.value = static_cast<T>(value);
    }
    return entry;
  }

  CsvRecords lines_;
  bool transpose_;
  bool has_values_ = true;
  std::int64_t rows_ = 0;
  std::int64_t columns_ = 0;
  std::int64_t entries_ = 0;
  std::int64_t next_ = 0;  // number of the next row
  std::int64_t read_ = 0;  // number of entries read
  bool is_ahead_ = false;
  Entry ahead_;
};

}  // namespace

template <typename T>
std::unique_ptr<RowReader<T>> open_matrix_market(std::unique_ptr<PeekedStream> stream, bool transpose) {
  return std::make_unique<MatrixMarketReader<T>>(std::move(stream), transpose);
}

template std::unique_ptr<RowReader<float>> open_matrix_market(std::unique_ptr<PeekedStream>, bool);
template std::unique_ptr<RowReader<double>> open_matrix_market(std::unique_ptr<PeekedStream>, bool);

}  // namespace roipca::cli
