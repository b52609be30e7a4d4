/// The loadings of the components, in the form in which a page draws them.
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

/// Height and width, for features that are pixels.
using ImageSize = std::pair<Index, Index>;

/// The most features that are all drawn as bars, and the number of bars if there are more features.
inline constexpr Index kAllAsBars = 30;
inline constexpr Index kLargestAsBars = 20;

/// The form that suits the features: bars for names and for few features, lines for more features
/// without names. Names that are increasing numbers, such as wavelengths, are an order.
LoadingsForm suitable_form(const ModelFacts& facts);

/// The loadings of the first `count` components. The size is bounded for any number of features:
///
/// - bars: all features in their order, or those with the largest loadings;
/// - lines: the range of loadings in each of at most 1,000 runs of features;
/// - images: means of squares of pixels, so that no side has more than 200.
///
/// `image` is required for images.
nlohmann::json loadings_data(const ModelFacts& facts, Index count, LoadingsForm form,
                             const std::optional<ImageSize>& image);

}  // namespace roipca::cli
