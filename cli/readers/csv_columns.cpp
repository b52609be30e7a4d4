#include "readers/csv_columns.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "readers/number.hpp"
#include "roipca/errors.hpp"

namespace roipca::cli {
namespace {

// The one that stands most often outside of quotes; spaces only where there is no other.
char find_delimiter(std::string_view text) {
  constexpr std::string_view kCandidates = CsvRecords::kCandidates;
  std::array<std::size_t, kCandidates.size()> counts{};
  QuoteScanner quotes(kCandidates);
  for (const char c : text) {
    const bool is_outside = quotes.next(c);
    const std::size_t candidate = kCandidates.find(c);
    if (is_outside && candidate != std::string_view::npos) ++counts[candidate];
  }
  const auto most = std::max_element(counts.begin(), counts.end());
  return *most == 0 ? ' ' : kCandidates[static_cast<std::size_t>(most - counts.begin())];
}

// "3", "3-5" and "3-" as first and last field, from 0; false for another text.
bool parse_range(const std::string& text, std::size_t fields, std::size_t& first, std::size_t& last) {
  const char* const end = text.data() + text.size();
  auto [stop, error] = std::from_chars(text.data(), end, first);
  if (error != std::errc() || first == 0) return false;
  last = first;
  if (stop != end && *stop == '-') {
    ++stop;
    last = fields;
    if (stop != end) {
      const auto [last_stop, last_error] = std::from_chars(stop, end, last);
      if (last_error != std::errc()) return false;
      stop = last_stop;
    }
  }
  if (stop != end || last < first) return false;
  --first;
  --last;
  return true;
}

std::vector<bool> find_wanted(const std::string& columns, const std::vector<std::string>& first_record,
                              bool may_be_names, bool& by_name) {
  const std::size_t fields = first_record.size();
  if (columns.empty()) return std::vector<bool>(fields, true);
  std::vector<bool> wanted(fields, false);
  for (const std::string& choice :
       split_fields({columns, 1, true}, ',', static_cast<std::int64_t>(columns.size()) + 1)) {
    const auto place = std::find(first_record.begin(), first_record.end(), choice);
    if (may_be_names && place != first_record.end() && !is_number(choice)) {
      if (std::find(place + 1, first_record.end(), choice) != first_record.end()) {
        throw FileError("line 1: there are two columns \"" + choice + "\": choose by number");
      }
      wanted[static_cast<std::size_t>(place - first_record.begin())] = true;
      by_name = true;
      continue;
    }
    std::size_t first = 0;
    std::size_t last = 0;
    if (!parse_range(choice, fields, first, last)) {
      throw FileError("there is no column \"" + choice + "\"");
    }
    if (last >= fields) {
      throw FileError("there is no column " + choice + ": there are " + std::to_string(fields));
    }
    std::fill(wanted.begin() + static_cast<std::ptrdiff_t>(first),
              wanted.begin() + static_cast<std::ptrdiff_t>(last) + 1, true);
  }
  return wanted;
}

// As programs write values that are missing.
bool means_missing(std::string_view text) {
  constexpr std::string_view kMarks[] = {"NA",   "N/A", "#N/A", "n/a", "na", "NULL", "null",   "None",
                                         "none", "NaT", "<NA>", "?",   "-",  ".",    "missing"};
  return std::find(std::begin(kMarks), std::end(kMarks), text) != std::end(kMarks);
}

// Whether the first record has names rather than data: there is text that does not stand for a missing value,
// and what numbers there are count columns, 0, 1, 2 ... or 1, 2, 3 ..., as pandas and R name them.
bool looks_like_header(const std::vector<std::string>& fields, const std::vector<bool>& wanted) {
  bool has_text = false;
  std::vector<double> numbers;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (!wanted[i] || fields[i].empty()) continue;
    const std::string& field = fields[i];
    double value = 0.0;
    if (is_number(field)) {
      parse_number(field.data(), field.data() + field.size(), value);
      numbers.push_back(value);
    } else if (!means_missing(field)) {
      has_text = true;
    }
  }
  if (!has_text) return false;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const bool counts =
        (numbers[0] == 0.0 || numbers[0] == 1.0) && numbers[i] == numbers[0] + static_cast<double>(i);
    if (!counts) return false;
  }
  return true;
}

}  // namespace

CsvLayout make_layout(const Record& first, const CsvOptions& options) {
  CsvLayout layout;
  layout.delimiter = options.delimiter.value_or(find_delimiter(first.text));
  const std::vector<std::string> fields = split_fields(first, layout.delimiter, options.max_columns);
  layout.fields = fields.size();
  bool by_name = false;
  layout.wanted = find_wanted(options.columns, fields, options.header.value_or(true), by_name);

  layout.has_header = options.header.value_or(by_name || looks_like_header(fields, layout.wanted));
  if (!layout.has_header) return layout;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (layout.wanted[i]) layout.names.push_back(fields[i]);
  }
  return layout;
}

}  // namespace roipca::cli
