/// The table of options: name, type, range, default and help text of each member of Options.
///
/// Range checks, model files, checkpoints, the command line and the Python package are derived from this
/// table, so that a new option is described in one place: src/options/table.cpp.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "roipca/options.hpp"

namespace roipca {

/// The value of an option: one of its words, or a number. A flag has the words "true" and "false".
using OptionValue = std::variant<std::string, std::int64_t, double>;

/// The numbers that an option accepts. Infinities and NaN are never among them.
struct NumberRange {
  bool integer = false;  ///< accepts integers only
  double least = 0.0;
  double most = std::numeric_limits<double>::infinity();
  bool above_least = false;  ///< excludes `least` itself

  bool contains(double number) const;
  /// Returns the range as text, for example "an integer from 1 to 4096".
  std::string text() const;
};

/// One row of the table.
///
/// Thread safety: the functions are const and may be called from many threads at once.
class OptionRow {
 public:
  using Get = std::function<OptionValue(const Options&)>;
  using Set = std::function<void(Options&, const OptionValue&)>;

  /// `get` reads the member of Options, and `set` assigns a value that the row accepts.
  OptionRow(std::string name, std::vector<std::string> words, std::optional<NumberRange> numbers,
            std::string help, Get get, Set set);

  /// Name of the member of Options.
  const std::string& name() const { return name_; }
  /// Words that the option accepts.
  const std::vector<std::string>& words() const { return words_; }
  /// Numbers that the option accepts, if any.
  const std::optional<NumberRange>& numbers() const { return numbers_; }
  /// One phrase, without a full stop, that says what the option does.
  const std::string& help() const { return help_; }
  bool is_flag() const;
  /// Returns all values that the option accepts as text, for example "auto or an integer from 1 to 4096".
  std::string accepted() const;

  /// Returns the option's value. Throws std::invalid_argument for an enumerator that does not exist.
  OptionValue get(const Options& options) const;
  /// Sets the option. Returns false, and changes nothing, if the option does not accept the value. An integer
  /// is also accepted as a real number.
  bool set(Options& options, const OptionValue& value) const;

  /// Returns the value as text: a word, or the fewest digits that read back to the same bits.
  std::string to_text(const Options& options) const;
  /// The inverse of `to_text`. Returns false, and changes nothing, if the option does not accept the text.
  bool from_text(Options& options, std::string_view text) const;

  /// Throws std::invalid_argument that names the option, the values that it accepts and its value, if it does
  /// not accept its value.
  void check(const Options& options) const;

 private:
  bool accepts(const OptionValue& value) const;

  std::string name_;
  std::vector<std::string> words_;
  std::optional<NumberRange> numbers_;
  std::string help_;
  Get get_;
  Set set_;
};

/// Returns the rows of the table, in the order of the members of Options.
const std::vector<OptionRow>& option_table();

}  // namespace roipca
