/// What `fit` computes: the library's options as typed, and how many components a fraction of variance takes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "command.hpp"
#include "roipca/model.hpp"
#include "roipca/options.hpp"

namespace roipca::cli {

/// "10" or "0.95".
struct Components {
  Index number = 0;                ///< 0 where a fraction was asked for
  std::optional<double> fraction;  ///< of the variance, between 0 and 1

  /// To hold for rows of `features` numbers: as many as are asked for or, for a fraction, 100 at most, since
  /// nobody knows beforehand how many it takes. (Up to 1,024 features the automatic method is then exact and
  /// holds all.) Throws UsageError where there are fewer features.
  Index to_hold(Index features) const;
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

/// Adds -k and an option for each row of the table. `options` must outlive `app`.
void add_component_options(CLI::App& app, ComponentOptions& options);

}  // namespace roipca::cli
