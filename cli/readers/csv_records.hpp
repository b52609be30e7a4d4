/// Splits text into records: lines, except that a quoted field may span several.
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
  std::string_view text;  ///< without the newline; valid until the next record is read
  std::int64_t line = 0;  ///< line of its beginning, counted from 1
  bool has_quotes = false;
};

/// Tracks, character by character, whether a text is inside quotes. A quote opens a quoted field only at the
/// start of a field, after optional blanks; elsewhere it is an ordinary character, as in 5" or 6'2".
class QuoteScanner {
 public:
  /// `delimiters` are the characters that end a field outside quotes.
  explicit QuoteScanner(std::string_view delimiters) : delimiters_(delimiters) {}

  /// Returns whether `c` is outside quotes and not a quote itself.
  bool next(char c);
  bool inside_quotes() const { return state_ == State::kQuoted; }

 private:
  enum class State { kStart, kPlain, kQuoted, kQuoteInQuoted };

  bool is_delimiter(char c) const { return delimiters_.find(c) != std::string_view::npos; }

  std::string_view delimiters_;
  State state_ = State::kStart;
};

/// Reads records. Skips blank lines, lines that begin with #, and a byte order mark at the beginning.
class CsvRecords {
 public:
  /// Characters that can be detected as the delimiter.
  static constexpr std::string_view kCandidates = ",\t;|";

  explicit CsvRecords(std::unique_ptr<PeekedStream> stream);

  /// Sets the delimiter; a space also stands for tabs. Until then, every candidate counts as a delimiter.
  void set_delimiter(char delimiter);

  /// Makes every line one record: quotes have no meaning.
  void ignore_quotes() { has_quotes_ = false; }

  /// Reads the next record. Returns false at the end. Throws FileError for a quoted field without an end and
  /// for absurdly long records.
  bool next(Record& record);

  /// Returns whether the next line is already in memory, or input arrives within the patience.
  bool comes_in_time(const Patience& patience);

  std::optional<double> fraction() const { return stream_->fraction(); }

 private:
  bool next_record(Record& record);
  // Returns the position of the next newline from `from` on, or of the end of the text.
  std::size_t find_line_end(std::size_t from);
  bool refill();

  std::unique_ptr<PeekedStream> stream_;
  std::string delimiters_{kCandidates};
  std::vector<char> buffer_;
  std::size_t begin_ = 0;  // start of the text that was not yet returned
  std::size_t end_ = 0;
  std::int64_t line_ = 1;
  bool at_end_ = false;
  bool has_quotes_ = true;
};

/// Returns the fields of a record, without quotes. A space as delimiter stands for any run of spaces and
/// tabs. Throws FileError if there are more than `most`.
std::vector<std::string> split_fields(const Record& record, char delimiter, std::int64_t most);

}  // namespace roipca::cli
