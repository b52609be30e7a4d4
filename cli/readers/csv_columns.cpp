#include "readers/csv_columns.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include "readers/number.hpp"
#include "readers/words.hpp"
#include "roipca/errors.hpp"

namespace roipca::cli {
namespace {

// Returns the most frequent candidate outside quotes, or a space if there is none.
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

// Whether the first record has names rather than data: it has text that does not stand for a missing value,
// and any numbers in it count columns, 0, 1, 2 ... or 1, 2, 3 ..., as pandas and R name them.
bool looks_like_header(const std::vector<std::string>& fields, const std::vector<bool>& wanted,
                       const std::vector<std::string>& missing_words) {
  bool has_text = false;
  std::vector<double> numbers;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (!wanted[i] || fields[i].empty()) continue;
    const std::string& field = fields[i];
    double value = 0.0;
    if (is_number(field)) {
      parse_number(field.data(), field.data() + field.size(), value);
      numbers.push_back(value);
    } else if (!means_missing(field, missing_words)) {
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

// Whether the wanted fields are whole numbers, each one more than the one before: 0, 1, 2 ... or 2001, 2002
// ... Data of fewer than three columns begin like that too often.
bool counts_columns(const std::vector<std::string>& fields, const std::vector<bool>& wanted) {
  constexpr std::int64_t kFewest = 3;
  std::optional<std::int64_t> first;
  std::int64_t count = 0;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (!wanted[i]) continue;
    const auto number = whole_number(fields[i]);
    if (!number || *number < 0 || *number - first.value_or(*number) != count) return false;
    if (!first) first = number;
    ++count;
  }
  return count >= kFewest;
}

}  // namespace

bool means_missing(std::string_view text, const std::vector<std::string>& words) {
  constexpr std::string_view kMarks[] = {"NA",   "N/A", "#N/A", "n/a", "na", "NULL", "null",   "None",
                                         "none", "NaT", "<NA>", "?",   "-",  ".",    "missing"};
  return text.empty() || std::find(std::begin(kMarks), std::end(kMarks), text) != std::end(kMarks) ||
         std::find(words.begin(), words.end(), text) != words.end();
}

CsvLayout make_layout(const Record& first, const CsvOptions& options) {
  CsvLayout layout;
  layout.delimiter = options.delimiter.value_or(find_delimiter(first.text));
  const std::vector<std::string> fields = split_fields(first, layout.delimiter, options.max_columns);
  layout.fields = fields.size();
  const bool may_be_names = options.header.value_or(true);
  ChosenColumns chosen =
      chosen_columns(options.choice, may_be_names ? fields : std::vector<std::string>(), layout.fields);
  layout.wanted = std::move(chosen.wanted);
  layout.id = chosen.id;

  layout.has_header = options.header.value_or(
      chosen.by_name || looks_like_header(fields, layout.wanted, options.missing_words));
  layout.may_be_header = !options.header && !layout.has_header && counts_columns(fields, layout.wanted);
  if (layout.id) layout.id_name = layout.has_header ? chosen.id_name : "id";
  if (!layout.has_header) return layout;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (layout.wanted[i]) layout.names.push_back(fields[i]);
  }
  return layout;
}

}  // namespace roipca::cli
