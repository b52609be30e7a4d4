/// The main facts about a model in plain sentences.
#pragma once

#include <string>
#include <vector>

#include "model_facts.hpp"

namespace roipca::cli {

/// How much of the variance the components explain, how many of them suffice for round parts of it, and
/// what is left. Plain text, without text from the model file.
std::vector<std::string> summary_sentences(const ModelFacts& facts);

}  // namespace roipca::cli
