/// Shares of the variance, as text.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "roipca/model.hpp"

namespace roipca::cli {

/// Returns a share in [0, 1] with `digits` significant digits, or with as many more as it takes to show that
/// it is below 1: "0.9998", "0.999998". Returns "1" for 1, to rounding.
std::string share_text(double share, int digits);

/// Returns the same in percent, without the sign.
std::string percent_text(double share, int digits);

/// What cures features that have too much or too little of the variance.
struct UnitRemedies {
  std::string units;   ///< "use --standardize"
  std::string scales;  ///< "let more rows determine the scales (--first-rows)"
};

/// Returns a note on the feature that has nearly all of the variance or, if the model is standardized, on the
/// feature whose scale from the first rows is farthest off. Returns nothing if there is no such feature.
/// `names` may be empty.
template <typename T>
std::optional<std::string> note_on_units(const Model<T>& model, const std::vector<std::string>& names,
                                         const UnitRemedies& remedies);

extern template std::optional<std::string> note_on_units(const Model<float>&, const std::vector<std::string>&,
                                                         const UnitRemedies&);
extern template std::optional<std::string> note_on_units(const Model<double>&,
                                                         const std::vector<std::string>&,
                                                         const UnitRemedies&);

}  // namespace roipca::cli
