#include "readers/csv.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "readers/csv_columns.hpp"
#include "readers/csv_records.hpp"
#include "readers/number.hpp"
#include "roipca/errors.hpp"

namespace roipca::cli {
namespace {

template <typename T>
class CsvReader : public RowReader<T> {
 public:
  CsvReader(std::unique_ptr<PeekedStream> stream, const CsvOptions& options)
      : records_(std::move(stream)),
        max_columns_(options.max_columns),
        header_is_known_(options.header.has_value()),
        patience_(options.at_once),
        gaps_(options.gaps),
        missing_words_(options.gaps ? options.missing_words : std::vector<std::string>()),
        impute_advice_(options.impute_advice) {
    if (options.delimiter) records_.set_delimiter(*options.delimiter);
    if (!records_.next(record_)) throw FileError("there are no rows: the file is empty");
    layout_ = make_layout(record_, options);
    records_.set_delimiter(layout_.delimiter);
    first_line_ = record_.line;
    for (const bool wanted : layout_.wanted) columns_ += wanted ? 1 : 0;
    if (layout_.has_header && !records_.next(record_)) {
      throw FileError("there are no rows: line 1 has names, and nothing follows");
    }
    first_row_line_ = record_.line;
  }

  Index columns() const override { return columns_; }
  std::vector<std::string> names() const override { return layout_.names; }
  std::string id_name() const override { return layout_.id_name; }
  const char* place() const override { return "line"; }
  std::string caution() const override {
    if (!layout_.may_be_header) return {};
    return "line " + std::to_string(first_line_) +
           " was read as a row of data: use --header yes if it has column names, or --header no";
  }

  void read(PlacedRows<T>& block) override {
    block.places.clear();
    patience_.begin_block();
    while (block.taken() < block.capacity()) {
      if (!has_record_ && block.taken() > 0 && !records_.comes_in_time(patience_)) break;
      if (!has_record_ && !records_.next(record_)) break;
      T* const row = block.rows.data() + block.count * columns_;
      if (parse(row)) {
        block.places.push_back(record_.line);
        if (layout_.id) block.ids.push_back(field(*layout_.id));
        ++block.count;
      } else {
        block.bad.push_back({record_.line, explain()});
      }
      has_record_ = false;
    }
    block.fraction = records_.fraction();
  }

 private:
  const char* skip_blanks(const char* p, const char* end) const {
    while (p != end && (*p == ' ' || (*p == '\t' && layout_.delimiter != '\t'))) ++p;
    return p;
  }

  // Words for missing values are compared with whole fields, which parse_plain does not split off.
  bool parse(T* row) const {
    if (record_.has_quotes || !missing_words_.empty()) return parse_fields(row);
    return parse_plain(row) || (gaps_ && parse_fields(row));
  }

  // Without quotes, every delimiter character ends a field, so numbers are parsed in place.
  bool parse_plain(T* row) const {
    const char delimiter = layout_.delimiter;
    const char* p = record_.text.data();
    const char* const end = p + record_.text.size();
    for (std::size_t i = 0; i < layout_.fields; ++i) {
      p = skip_blanks(p, end);
      if (layout_.wanted[i]) {
        double value = 0.0;
        p = parse_number(p, end, value);
        if (p == nullptr) return false;
        *row++ = static_cast<T>(value);
      } else {
        p = find_delimiter(p, end);
      }
      if (i + 1 == layout_.fields) break;
      if (delimiter == ' ') {
        if (p == end || (*p != ' ' && *p != '\t')) return false;
        continue;
      }
      p = skip_blanks(p, end);
      if (p == end || *p != delimiter) return false;
      ++p;
    }
    return skip_blanks(p, end) == end;
  }

  const char* find_delimiter(const char* p, const char* end) const {
    if (layout_.delimiter == ' ') {
      while (p != end && *p != ' ' && *p != '\t') ++p;
      return p;
    }
    const void* found =
        p == end ? nullptr : std::memchr(p, layout_.delimiter, static_cast<std::size_t>(end - p));
    return found == nullptr ? end : static_cast<const char*>(found);
  }

  bool parse_fields(T* row) const {
    const auto fields = split_fields(record_, layout_.delimiter, max_columns_);
    if (fields.size() != layout_.fields) return false;
    for (std::size_t i = 0; i < fields.size(); ++i) {
      if (!layout_.wanted[i]) continue;
      if (gaps_ && means_missing(fields[i], missing_words_)) {
        *row++ = std::numeric_limits<T>::quiet_NaN();
        continue;
      }
      const char* const end = fields[i].data() + fields[i].size();
      double value = 0.0;
      if (parse_number(fields[i].data(), end, value) != end || fields[i].empty()) return false;
      *row++ = static_cast<T>(value);
    }
    return true;
  }

  std::string field(std::size_t number) const {
    if (record_.has_quotes || layout_.delimiter == ' ') {
      return split_fields(record_, layout_.delimiter, max_columns_)[number];
    }
    const char* p = record_.text.data();
    const char* const end = p + record_.text.size();
    for (; number > 0; --number) p = find_delimiter(p, end) + 1;
    p = skip_blanks(p, end);
    std::string text(p, find_delimiter(p, end));
    while (text.ends_with(' ')) text.pop_back();
    return text;
  }

  // Returns why the record is not a row. Slow; only called for a message.
  std::string explain() const {
    const auto fields = split_fields(record_, layout_.delimiter, max_columns_);
    if (fields.size() != layout_.fields) {
      return std::to_string(fields.size()) + " fields where the first line has " +
             std::to_string(layout_.fields);
    }
    std::size_t name = 0;
    for (std::size_t i = 0; i < fields.size(); ++i) {
      if (!layout_.wanted[i]) continue;
      const std::string column = "column " + std::to_string(i + 1) +
                                 (layout_.names.empty() ? std::string() : " (" + layout_.names[name] + ")");
      if (fields[i].empty()) return column + " is empty (to fill gaps, " + impute_advice_ + ")";
      if (!is_number(fields[i])) {
        const std::string hint = hint_at(fields[i], {i, name});
        return column + ": \"" + shortened(fields[i]) + "\" is not a number" +
               (hint.empty() ? hint : " (" + hint + ")");
      }
      ++name;
    }
    return "not a row of numbers";
  }

  // The number of a column in the file, and that among the wanted columns.
  struct Column {
    std::size_t field = 0;
    std::size_t wanted = 0;
  };

  // Returns what to do about a field that is not a number.
  std::string hint_at(const std::string& field, const Column& column) const {
    const bool may_be_name = record_.line == first_line_ && !header_is_known_;
    std::string header = may_be_name ? "if this line has column names, use --header yes" : "";
    if (means_missing(field, {})) return may_be_name ? header : "to fill gaps, " + impute_advice_;
    if (record_.line != first_row_line_) return header;
    const std::string choice = choice_of(column);
    return header + (may_be_name ? "; " : "") + "if the column is a time or a name, use --id " + choice +
           " or --exclude " + choice;
  }

  // Returns the name of a column, or its number if that is easier to type.
  std::string choice_of(const Column& column) const {
    std::string number = std::to_string(column.field + 1);
    if (layout_.names.empty()) return number;
    const std::string& name = layout_.names[column.wanted];
    const auto is_letter = [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    };
    const bool is_plain =
        !name.empty() && is_letter(name[0]) && !is_number(name) &&
        std::ranges::all_of(name, [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); });
    return is_plain && std::ranges::count(layout_.names, name) == 1 ? name : number;
  }

  static std::string shortened(const std::string& text) {
    constexpr std::size_t kLongest = 40;
    return text.size() <= kLongest ? text : text.substr(0, kLongest) + "...";
  }

  CsvRecords records_;
  CsvLayout layout_;
  Record record_;
  bool has_record_ = true;  // whether `record_` was not used yet
  std::int64_t max_columns_;
  bool header_is_known_;
  Patience patience_;
  bool gaps_;
  std::vector<std::string> missing_words_;
  std::string impute_advice_;
  std::int64_t first_line_ = 0;      // line of the first record, which may be a header
  std::int64_t first_row_line_ = 0;  // line of the first row
  Index columns_ = 0;
};

}  // namespace

template <typename T>
std::unique_ptr<RowReader<T>> open_csv(std::unique_ptr<PeekedStream> stream, const CsvOptions& options) {
  return std::make_unique<CsvReader<T>>(std::move(stream), options);
}

template std::unique_ptr<RowReader<float>> open_csv(std::unique_ptr<PeekedStream>, const CsvOptions&);
template std::unique_ptr<RowReader<double>> open_csv(std::unique_ptr<PeekedStream>, const CsvOptions&);

}  // namespace roipca::cli
