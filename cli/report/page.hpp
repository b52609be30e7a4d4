/// The page that `report` writes.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "model_facts.hpp"

namespace roipca::cli {

struct PageSettings {
  std::string title;
  Index shown = 10;                                ///< components to draw
  std::optional<std::pair<Index, Index>> picture;  ///< height and width, where features are pixels
};

/// One HTML page that needs nothing else: no script, and no request leaves it. Names and title are escaped.
std::string report_page(const ModelFacts& facts, const PageSettings& settings);

}  // namespace roipca::cli
