/// The main facts about a model in plain sentences.
#pragma once

#include <string>
#include <vector>

#include "model_facts.hpp"

namespace roipca::cli {

/// Returns sentences on how much of the variance the components explain, how many of them reach round
/// percentages, and what is left. Plain text that contains no text from the model file.
std::vector<std::string> summary_sentences(const ModelFacts& facts);

}  // namespace roipca::cli
