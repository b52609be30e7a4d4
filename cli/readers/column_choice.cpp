#include "readers/column_choice.hpp"

#include <algorithm>
#include <charconv>
#include <regex>
#include <stdexcept>
#include <utility>

#include "readers/number.hpp"
#include "roipca/errors.hpp"

namespace roipca::cli {
namespace {

// Returns the text up to the comma that ends the first choice. Commas inside quotes or slashes do not count.
std::string_view first_choice(std::string_view text) {
  const char mark = text.empty() ? '\0' : text[0];
  if (mark == '"' || mark == '/') {
    const std::string end = {mark, ','};
    const std::size_t place = text.find(end, 1);
    return place == std::string_view::npos ? text : text.substr(0, place + 1);
  }
  return text.substr(0, text.find(','));
}

std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> choices;
  while (true) {
    std::string_view choice = first_choice(text);
    const std::size_t length = choice.size();
    if (choice.size() > 1 && choice.starts_with('"') && choice.ends_with('"')) {
      choice = choice.substr(1, choice.size() - 2);
    }
    choices.emplace_back(choice);
    if (length == text.size()) return choices;
    text.remove_prefix(length + 1);
  }
}

bool is_expression(const std::string& choice) {
  return choice.size() > 2 && choice.starts_with('/') && choice.ends_with('/');
}

std::regex expression_in(const std::string& choice) {
  return std::regex(choice.substr(1, choice.size() - 2), std::regex::ECMAScript | std::regex::nosubs);
}

struct Span {
  std::size_t first = 0;
  std::size_t last = 0;
};

// Parses "3", "3-5" and "3-" as first and last column, counted from 0. Returns nothing for other texts.
std::optional<Span> parse_range(const std::string& text, std::size_t columns) {
  Span span;
  const char* const end = text.data() + text.size();
  auto [stop, error] = std::from_chars(text.data(), end, span.first);
  if (error != std::errc() || span.first == 0) return std::nullopt;
  span.last = span.first;
  if (stop != end && *stop == '-') {
    ++stop;
    span.last = columns;
    if (stop != end) {
      const auto [last_stop, last_error] = std::from_chars(stop, end, span.last);
      if (last_error != std::errc()) return std::nullopt;
      stop = last_stop;
    }
  }
  if (stop != end || span.last < span.first) return std::nullopt;
  return Span{span.first - 1, span.last - 1};
}

class Chooser {
 public:
  Chooser(const std::vector<std::string>& names, std::size_t columns) : names_(names), columns_(columns) {}

  bool by_name() const { return by_name_; }

  // Sets the flags of the columns that the text lists.
  void set(const std::string& text, bool value, std::vector<bool>& flags) {
    for (const std::string& choice : split(text)) {
      if (const auto place = named(choice)) {
        flags[*place] = value;
      } else if (is_expression(choice)) {
        set_matching(choice, value, flags);
      } else {
        const Span span = numbered(choice);
        for (std::size_t i = span.first; i <= span.last; ++i) flags[i] = value;
      }
    }
  }

  std::size_t one(const std::string& choice) {
    if (const auto place = named(choice)) return *place;
    const Span span = numbered(choice);
    if (span.first != span.last) throw FileError("\"" + choice + "\" is more than one column");
    return span.first;
  }

 private:
  // A number is taken as a position, even if a column has it as its name.
  std::optional<std::size_t> named(const std::string& choice) {
    const auto place = std::find(names_.begin(), names_.end(), choice);
    if (place == names_.end() || is_number(choice)) return std::nullopt;
    if (std::find(place + 1, names_.end(), choice) != names_.end()) {
      throw FileError("line 1: there are two columns \"" + choice + "\": choose by number");
    }
    by_name_ = true;
    return static_cast<std::size_t>(place - names_.begin());
  }

  void set_matching(const std::string& choice, bool value, std::vector<bool>& flags) {
    const std::regex expression = expression_in(choice);
    bool matches = false;
    for (std::size_t i = 0; i < names_.size(); ++i) {
      // std::regex_search uses stack space for each character.
      const std::string name = names_[i].substr(0, kLongestName);
      if (is_number(name) || !std::regex_search(name, expression)) continue;
      flags[i] = value;
      matches = true;
    }
    if (!matches) {
      throw FileError("no column has a name that matches " + choice +
                      (names_.empty() ? ": the columns have no names" : ""));
    }
    by_name_ = true;
  }

  Span numbered(const std::string& choice) const {
    const auto span = parse_range(choice, columns_);
    if (!span) throw FileError("there is no column \"" + choice + "\"");
    if (span->last >= columns_) {
      throw FileError("there is no column " + choice + ": there are " + std::to_string(columns_));
    }
    return *span;
  }

  static constexpr std::size_t kLongestName = 1000;

  const std::vector<std::string>& names_;
  std::size_t columns_;
  bool by_name_ = false;
};

}  // namespace

void check(const ColumnChoice& choice) {
  for (const auto& [option, text] :
       {std::pair("--columns", &choice.columns), {"--exclude", &choice.exclude}}) {
    for (const std::string& word : split(*text)) {
      if (!is_expression(word)) continue;
      try {
        expression_in(word);
      } catch (const std::regex_error&) {
        throw std::invalid_argument(std::string(option) + " " + word + ": not a regular expression");
      }
    }
  }
}

ChosenColumns chosen_columns(const ColumnChoice& choice, const std::vector<std::string>& names,
                             std::size_t columns) {
  ChosenColumns chosen;
  Chooser chooser(names, columns);
  chosen.wanted.assign(columns, choice.columns.empty());
  if (!choice.columns.empty()) chooser.set(choice.columns, true, chosen.wanted);
  if (!choice.exclude.empty()) chooser.set(choice.exclude, false, chosen.wanted);
  if (!choice.id.empty()) {
    chosen.id = chooser.one(choice.id);
    chosen.id_name = names.empty() ? "id" : names[*chosen.id];
    chosen.wanted[*chosen.id] = false;
  }
  chosen.by_name = chooser.by_name();
  if (std::find(chosen.wanted.begin(), chosen.wanted.end(), true) == chosen.wanted.end()) {
    throw FileError("no columns are left");
  }
  return chosen;
}

}  // namespace roipca::cli
