/// Scores of a random sample of rows, for the score plot.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "model_input.hpp"

namespace roipca::cli {

struct ScoredRow {
  std::int64_t row = 0;               ///< zero-based position among the good rows of the input
  std::array<double, 2> scores = {};  ///< on the first two components; with one component, the second is 0
};

struct ScoreSample {
  std::int64_t rows = 0;          ///< number of rows of the input
  std::vector<ScoredRow> chosen;  ///< at most 1,000 rows, in the order of the input
};

/// Reads all rows of the input and scores a random sample. Throws FileError and Interrupted.
ScoreSample sample_scores(const AnyModel& model, const InputOptions& input);

}  // namespace roipca::cli
