/// Text cut into records: lines, except that a quoted field may span several.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "readers/byte_stream.hpp"
#include "readers/patience.hpp"

namespace roipca::cli {

struct Record {
  std::string_view text;  ///< without the end of the line; valid until the next record is read
  std::int64_t line = 0;  ///< of its beginning, counted from 1
  bool has_quotes = false;
};

/// Tells, character by character, whether a text is inside quotes. A quote opens a quoted field only at the
/// start of a field, after blanks at most; elsewhere it is a character like any other, as in 5" or 6'2".
class QuoteScanner {
 public:
  /// `delimiters` end a field outside of quotes.
  explicit QuoteScanner(std::string_view delimiters) : delimiters_(delimiters) {}

  /// Returns whether `c` is outside of quotes and no quote itself.
  bool next(char c);
  bool inside_quotes() const { return state_ == State::kQuoted; }

 private:
  enum class State { kStart, kPlain, kQuoted, kQuoteInQuoted };

  bool is_delimiter(char c) const { return delimiters_.find(c) != std::string_view::npos; }

  std::string_view delimiters_;
  State state_ = State::kStart;
};

/// Leaves out blank lines, lines that begin with #, and the byte order mark that some programs put first.
class CsvRecords {
 public:
  /// Characters that may turn out to be the delimiter.
  static constexpr std::string_view kCandidates = ",\t;|";

  explicit CsvRecords(std::unique_ptr<PeekedStream> stream);

  /// Until it is called, every candidate counts as a delimiter. A space stands for tabs, too.
  void set_delimiter(char delimiter);

  /// Makes every line a record: quotes mean nothing.
  void ignore_quotes() { has_quotes_ = false; }

  /// False at the end. Throws FileError for a quoted field that never ends and for absurdly long records.
  bool next(Record& record);

  /// Whether the next line was read already, so that `next` does not wait for it, or there is input in time.
  bool comes_in_time(const Patience& patience);

  std::optional<double> fraction() const { return stream_->fraction(); }

 private:
  bool next_record(Record& record);
  // The place of the next end of a line from `from` on, or of the end of the text.
  std::size_t find_line_end(std::size_t from);
  bool refill();

  std::unique_ptr<PeekedStream> stream_;
  std::string delimiters_{kCandidates};
  std::vector<char> buffer_;
  std::size_t begin_ = 0;  // of what was not yet given out
  std::size_t end_ = 0;
  std::int64_t line_ = 1;
  bool at_end_ = false;
  bool has_quotes_ = true;
};

/// Returns the fields of a record, without quotes; a space as delimiter stands for any number of spaces and
/// tabs. Throws FileError if there are more than `most`.
std::vector<std::string> split_fields(const Record& record, char delimiter, std::int64_t most);

}  // namespace roipca::cli
