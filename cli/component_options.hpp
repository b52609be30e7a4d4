/// What `fit` computes: the library's options as typed, and how many components to hold and to report.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "command.hpp"
#include "roipca/model.hpp"
#include "roipca/options.hpp"

namespace roipca::cli {

/// "10", "0.95" or "auto".
struct Components {
  Index number = 0;                               ///< 0 if it is known only at the end
  std::optional<double> fraction = std::nullopt;  ///< of the variance, between 0 and 1
  bool automatic = false;                         ///< as many as the rows support

  /// To hold for rows of `features` numbers: as many as are asked for or, if the number is known only at the
  /// end, 100 at most. (Up to 1,024 features the automatic method is then exact and holds all.) Throws
  /// UsageError where there are fewer features.
  Index to_hold(Index features) const;
  bool known_at_end() const { return number == 0; }
};

/// The options of the library's table, as typed.
struct ComponentOptions {
  ComponentOptions();  ///< all defaults

  std::string components;
  std::vector<std::string> texts;  ///< in the order of the table

  /// Throws UsageError.
  Components parsed_components() const;
  /// Without n_components. Throws UsageError.
  Options options() const;
};

/// The words that an option of the table accepts, by its name on the command line; none for other options.
std::vector<std::string> table_words(const std::string& option);

/// Adds -k and an option for each row of the table. `options` must outlive `app`.
void add_component_options(CLI::App& app, ComponentOptions& options);

}  // namespace roipca::cli
