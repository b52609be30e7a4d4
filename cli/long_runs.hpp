/// The options of commands that run for a long time or without end.
#pragma once

#include <cstdint>
#include <string>

#include "arguments.hpp"

namespace roipca::cli {

/// The options, as given on the command line.
struct LongRunOptions {
  std::int64_t model_every = 0;  ///< rows between two models; 0: write none before the end
  std::string checkpoint = {};
  std::int64_t every = 1000000;  ///< rows between two checkpoints
  std::string resume = {};
};

/// Adds --model-every, --checkpoint, --every and --resume. `rows` completes the help: which rows are counted.
void add_long_run_options(Arguments& arguments, LongRunOptions& options, const std::string& rows,
                          const std::string& resume_help);

}  // namespace roipca::cli
