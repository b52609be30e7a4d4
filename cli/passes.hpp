/// More passes over the input of a command.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "arguments.hpp"
#include "readers/row_source.hpp"
#include "resumption.hpp"
#include "roipca/refinement.hpp"

namespace roipca::cli {

/// As typed.
struct PassOptions {
  std::string passes = "1";
  std::string tolerance = "1e-6";
};

/// How often to read the input.
struct Passes {
  std::int64_t number = 1;          ///< at most
  std::int64_t least = 1;           ///< to make even if they are not expected to improve the model
  std::optional<double> tolerance;  ///< bound on the error at which to stop, for "auto"
};

/// Adds --passes and --tol.
void add_pass_options(Arguments& arguments, PassOptions& options, const std::string& passes_help);

/// Throws UsageError for text that is no number of passes, and for more than one over standard input.
Passes parsed_passes(const PassOptions& options, const std::vector<std::string>& inputs);

/// What a pass may write, and where it begins.
struct PassCheckpoints {
  std::string path = {};  ///< of a checkpoint, or empty
  std::int64_t every = 0;
  std::string resumed = {};  ///< the file of the checkpoint that the run began with
};

/// Takes the model that a pass was to improve, if the pass is interrupted.
template <typename T>
using KeepModel = std::function<void(const Model<T>&)>;

/// Refines the model until `passes` are done, counting those that it has had already. `start` is a checkpoint
/// of a pass to begin with, or null. Throws FileError if the rows are not those of the model; Interrupted.
template <typename T>
Model<T> refined(Model<T> model, const Passes& passes, const InputSettings& input,
                 const PassCheckpoints& checkpoints, const FitCheckpoint<T>* start = nullptr,
                 const KeepModel<T>& at_interrupt = {});

/// "about 2.0e-06, at most 3.1e-04", for people; nothing if the error is not known.
template <typename T>
std::optional<std::string> error_text(const Model<T>& model);

extern template Model<float> refined(Model<float>, const Passes&, const InputSettings&,
                                     const PassCheckpoints&, const FitCheckpoint<float>*,
                                     const KeepModel<float>&);
extern template Model<double> refined(Model<double>, const Passes&, const InputSettings&,
                                      const PassCheckpoints&, const FitCheckpoint<double>*,
                                      const KeepModel<double>&);
extern template std::optional<std::string> error_text(const Model<float>&);
extern template std::optional<std::string> error_text(const Model<double>&);

}  // namespace roipca::cli
