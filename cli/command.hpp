/// The commands of the program, one file each under commands/.
#pragma once

#include <functional>
#include <stdexcept>

namespace CLI {
class App;
}

namespace roipca::cli {

/// What the user typed makes no sense, whatever the files contain.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct Command {
  CLI::App* app = nullptr;    ///< its options
  std::function<void()> run;  ///< after they were parsed; throws UsageError,
                              ///< FileError, Interrupted
};

Command add_fit(CLI::App& program);
Command add_transform(CLI::App& program);
Command add_inverse(CLI::App& program);
Command add_impute(CLI::App& program);
Command add_score(CLI::App& program);
Command add_info(CLI::App& program);
Command add_export(CLI::App& program);
Command add_merge(CLI::App& program);
Command add_compare(CLI::App& program);
Command add_refine(CLI::App& program);
Command add_report(CLI::App& program);
Command add_watch(CLI::App& program);
Command add_demo(CLI::App& program);
Command add_completions(CLI::App& program);
Command add_manual(CLI::App& program);

/// Turns std::invalid_argument, which functions that check options throw, into
/// UsageError.
template <typename Check>
auto as_usage(Check check) {
  try {
    return check();
  } catch (const std::invalid_argument& error) {
    throw UsageError(error.what());
  }
}

}  // namespace roipca::cli
