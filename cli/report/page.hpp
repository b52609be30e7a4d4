/// The HTML page of `report`.
#pragma once

#include <optional>
#include <string>

#include "report/loadings.hpp"
#include "report/score_sample.hpp"

namespace roipca::cli {

struct PageSettings {
  std::string title;
  Index shown = 10;  ///< components to draw
  LoadingsForm form = LoadingsForm::kBars;
  std::optional<ImageSize> image;     ///< for LoadingsForm::kImages
  std::optional<ScoreSample> scores;  ///< for the score plot
};

/// Returns an HTML page without external resources. Its security policy forbids all requests, and all scripts
/// and styles but its own. Text from the model and the title may contain anything.
std::string report_page(const ModelFacts& facts, const PageSettings& settings);

}  // namespace roipca::cli
