/// The options of `fit` that decide what is computed: the number of components, and the options of the
/// library.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "command.hpp"
#include "roipca/model.hpp"
#include "roipca/options.hpp"

namespace roipca::cli {

/// The value of -k: "10", "0.95" or "auto".
struct Components {
  Index number = 0;                               ///< 0 if it is only known at the end
  std::optional<double> fraction = std::nullopt;  ///< fraction of the variance to explain, between 0 and 1
  bool automatic = false;                         ///< as many components as the rows support

  /// Returns the number of components to hold for rows of `features` numbers: the number asked for or, if it
  /// is only known at the end, at most 100. (With up to 1,600 features the automatic method is then exact and
  /// holds all.) Throws UsageError if more components are asked for than there are features.
  Index to_hold(Index features) const;
  bool known_at_end() const { return number == 0; }
};

/// The values of the options in the library's table, as text from the command line.
struct ComponentOptions {
  ComponentOptions();  ///< every option at its default

  std::string components;
  std::vector<std::string> texts;  ///< one per option, in the order of the table
  std::vector<char> is_given;      ///< whether the option was on the command line, in the same order

  /// Throws UsageError.
  Components parsed_components() const;
  /// Returns all options except n_components. Throws UsageError.
  Options options() const;
  /// Throws UsageError if an option, or -k as a number, was given with another value than in `fixed`, the
  /// options of the stream in the file `path`, which is continued.
  void require_no_change(const Options& fixed, const std::string& path) const;
};

/// Returns the words that an option accepts, given its name on the command line; empty if it takes other
/// values.
std::vector<std::string> table_words(const std::string& option);

/// Adds -k and one option per row of the library's table. `options` must outlive `app`.
void add_component_options(CLI::App& app, ComponentOptions& options);

}  // namespace roipca::cli
