#include "long_runs.hpp"

namespace roipca::cli {

void add_long_run_options(Arguments& arguments, LongRunOptions& options, const std::string& rows,
                          const std::string& resume_help) {
  const OptionRules long_runs{.group = "Long runs"};
  arguments.add("--model-every", options.model_every, {.least = 0},
                "Also write the model so far each time this number of " + rows + "; 0: never", long_runs);
  arguments.add("--checkpoint", options.checkpoint,
                "Write a checkpoint to this file at regular intervals and when interrupted", long_runs);
  arguments.add("--every", options.every, {.least = 1}, "Write a checkpoint each time this number of " + rows,
                long_runs);
  arguments.add("--resume", options.resume, resume_help, long_runs);
}

}  // namespace roipca::cli
