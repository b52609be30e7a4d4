/// Text cut into records: lines, except that a quoted field may go on over several.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "readers/byte_stream.hpp"

namespace roipca::cli {

struct Record {
  std::string_view text;  ///< without the end of the line; valid until the next record is read
  std::int64_t line = 0;  ///< of its beginning, counted from 1
  bool has_quotes = false;
};

/// Leaves out blank lines, lines that begin with #, and the byte order mark that some programs put first.
class CsvRecords {
 public:
  explicit CsvRecords(std::unique_ptr<PeekedStream> stream);

  /// False at the end. Throws FileError for a quoted field that never ends and for absurdly long records.
  bool next(Record& record);

  std::optional<double> fraction() const { return stream_->fraction(); }

 private:
  bool next_record(Record& record);
  // The place of the next end of a line from `from` on, or of the end of the text.
  std::size_t find_line_end(std::size_t from);
  bool refill();

  std::unique_ptr<PeekedStream> stream_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;  // of what was not yet given out
  std::size_t end_ = 0;
  std::int64_t line_ = 1;
  bool at_end_ = false;
};

/// The fields of a record, without quotes; a space as delimiter stands for any number of spaces and tabs.
std::vector<std::string> split_fields(const Record& record, char delimiter);

}  // namespace roipca::cli
