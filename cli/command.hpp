/// The commands of the program. Each one is implemented in its own file under commands/.
#pragma once

#include <functional>
#include <stdexcept>

namespace CLI {
class App;
}

namespace roipca::cli {

/// Thrown when the command line itself is wrong, whatever the files contain.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct Command {
  CLI::App* app = nullptr;    ///< holds the command's options
  std::function<void()> run;  ///< called after parsing; throws UsageError,
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

/// Calls `check` and turns std::invalid_argument, which the library's checks of options throw, into
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
