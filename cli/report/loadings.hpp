/// The loadings of the components as data for a plot.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "model_facts.hpp"

namespace roipca::cli {

enum class LoadingsForm {
  kBars,   ///< one bar per feature, with its name: for features without an order
  kLines,  ///< a line over the features: for features with an order
  kImages  ///< one pixel per feature
};

/// Height and width of an image whose pixels are the features.
using ImageSize = std::pair<Index, Index>;

/// The largest number of features that are all drawn as bars, and the number of bars if there are more.
inline constexpr Index kAllAsBars = 30;
inline constexpr Index kLargestAsBars = 20;

/// Returns the form that suits the features: bars for features with names and for few features, lines for
/// many features without names. Names that are increasing numbers, such as wavelengths, also give lines.
LoadingsForm suitable_form(const ModelFacts& facts);

/// Returns the loadings of the first `count` components. The size is bounded for any number of features:
///
/// - bars: all features in their order, or those with the largest loadings;
/// - lines: the range of loadings in each of at most 1,000 runs of features;
/// - images: means over squares of pixels, so that no side has more than 200.
///
/// `size` is required for images.
nlohmann::json loadings_data(const ModelFacts& facts, Index count, LoadingsForm form,
                             const std::optional<ImageSize>& size);

}  // namespace roipca::cli
