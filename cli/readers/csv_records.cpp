#include "readers/csv_records.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "roipca/errors.hpp"

namespace roipca::cli {
namespace {

constexpr std::size_t kFirstBuffer = std::size_t{1} << 18U;
constexpr std::size_t kLongestRecord = std::size_t{1} << 28U;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

bool is_blank(std::string_view text) { return text.find_first_not_of(" \t") == std::string_view::npos; }

}  // namespace

bool QuoteScanner::next(char c) {
  if (state_ == State::kQuoted) {
    if (c == '"') state_ = State::kQuoteInQuoted;
    return false;
  }
  if (c == '"' && state_ != State::kPlain) {
    state_ = State::kQuoted;  // at the start of a field, or the second of a doubled quote
    return false;
  }
  if (is_delimiter(c)) {
    state_ = State::kStart;
  } else if (state_ == State::kQuoteInQuoted || (c != ' ' && c != '\t')) {
    state_ = State::kPlain;
  }
  return true;
}

void CsvRecords::set_delimiter(char delimiter) {
  delimiters_ = delimiter == ' ' ? " \t" : std::string(1, delimiter);
}

CsvRecords::CsvRecords(std::unique_ptr<PeekedStream> stream)
    : stream_(std::move(stream)), buffer_(kFirstBuffer) {
  if (stream_->peek(kByteOrderMark.size()) == kByteOrderMark) {
    stream_->read_fully(std::span(buffer_).first(kByteOrderMark.size()));
  }
}

bool CsvRecords::next(Record& record) {
  while (next_record(record)) {
    if (!record.text.starts_with('#') && !is_blank(record.text)) return true;
  }
  return false;
}

bool CsvRecords::comes_in_time(const Patience& patience) {
  const bool has_line = begin_ < end_ && std::memchr(buffer_.data() + begin_, '\n', end_ - begin_) != nullptr;
  return has_line || patience.lasts(*stream_);
}

bool CsvRecords::next_record(Record& record) {
  record.line = line_;
  record.has_quotes = false;
  std::size_t length = 0;  // counted from begin_, which moves when the buffer is refilled
  QuoteScanner quotes(delimiters_);
  while (true) {
    const std::size_t from = length;
    length = find_line_end(begin_ + from) - begin_;
    const std::string_view line(buffer_.data() + begin_ + from, length - from);
    const bool is_comment = from == 0 && line.starts_with('#');
    if (has_quotes_ && !is_comment && (quotes.inside_quotes() || line.find('"') != std::string_view::npos)) {
      record.has_quotes = true;
      for (const char c : line) quotes.next(c);
    }
    if (begin_ + length == end_) break;
    ++line_;
    if (!quotes.inside_quotes()) break;
    quotes.next('\n');
    ++length;  // this newline is inside a quoted field
  }
  const bool ended = begin_ + length == end_;
  if (ended && length == 0) return false;
  if (quotes.inside_quotes() && ended) {
    throw FileError("line " + std::to_string(record.line) + ": a quoted field never ends");
  }
  record.text = std::string_view(buffer_.data() + begin_, length);
  if (record.text.ends_with('\r')) record.text.remove_suffix(1);
  begin_ += length + (ended ? 0 : 1);
  return true;
}

std::size_t CsvRecords::find_line_end(std::size_t from) {
  while (true) {
    const void* found = from < end_ ? std::memchr(buffer_.data() + from, '\n', end_ - from) : nullptr;
    if (found != nullptr) return static_cast<std::size_t>(static_cast<const char*>(found) - buffer_.data());
    const std::size_t searched = end_ - begin_;
    if (at_end_ || !refill()) return end_;
    from = begin_ + searched;
  }
}

bool CsvRecords::refill() {
  if (begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  if (end_ == buffer_.size()) {
    if (buffer_.size() >= kLongestRecord) {
      throw FileError("line " + std::to_string(line_) + ": longer than " + std::to_string(kLongestRecord) +
                      " bytes: not a line of numbers");
    }
    buffer_.resize(2 * buffer_.size());
  }
  const std::size_t count = stream_->read(std::span(buffer_).subspan(end_));
  end_ += count;
  at_end_ = count == 0;
  return !at_end_;
}

std::vector<std::string> split_fields(const Record& record, char delimiter, std::int64_t most) {
  const std::string_view text = record.text;
  const bool by_spaces = delimiter == ' ';
  const auto is_delimiter = [&](char c) { return c == delimiter || (by_spaces && c == '\t'); };
  std::vector<std::string> fields;
  std::size_t i = 0;
  const auto skip_spaces = [&] {
    while (i < text.size() && (text[i] == ' ' || (text[i] == '\t' && delimiter != '\t'))) ++i;
  };
  while (true) {
    skip_spaces();
    if (by_spaces && i == text.size()) return fields;
    std::string field;
    if (i < text.size() && text[i] == '"') {
      for (++i; i < text.size(); ++i) {
        if (text[i] != '"') {
          field += text[i];
        } else if (i + 1 < text.size() && text[i + 1] == '"') {
          field += text[++i];  // a doubled quote stands for one
        } else {
          break;
        }
      }
      i = std::min(i + 1, text.size());
    }
    while (i < text.size() && !is_delimiter(text[i])) field += text[i++];
    while (field.ends_with(' ')) field.pop_back();
    if (static_cast<std::int64_t>(fields.size()) == most) {
      throw FileError("line " + std::to_string(record.line) + ": more columns than --max-columns " +
                      std::to_string(most));
    }
    fields.push_back(std::move(field));
    if (i == text.size()) return fields;
    ++i;
  }
}

}  // namespace roipca::cli
