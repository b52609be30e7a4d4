/// Further passes over the input, which improve a model.
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

/// The options, as given on the command line.
struct PassOptions {
  std::string passes = "1";
  std::string tolerance = "1e-6";
};

/// How often to read the input.
struct Passes {
  std::int64_t number = 1;          ///< maximum number of passes
  std::int64_t least = 1;           ///< passes to make even if they are not expected to improve the model
  std::optional<double> tolerance;  ///< for "auto": stop once the error is below this bound
};

/// Adds --passes and --tol.
void add_pass_options(Arguments& arguments, PassOptions& options, const std::string& passes_help);

/// Throws UsageError for text that is not a number of passes, and for several passes over standard input.
Passes parsed_passes(const PassOptions& options, const std::vector<std::string>& inputs);

/// Where and how often a pass writes checkpoints, and the checkpoint it resumes.
struct PassCheckpoints {
  std::string path = {};  ///< file to write checkpoints to; empty: write none
  std::int64_t every = 0;
  std::string resumed = {};  ///< file of the checkpoint that the run resumed from; for messages
};

/// Receives the model that a pass was about to improve, if the pass cannot be completed. Returns the file
/// that has the model, or an empty text if it was not kept.
template <typename T>
using KeepModel = std::function<std::string(const Model<T>&)>;

/// Refines the model until it has had `passes` passes in all, including earlier ones. `start` is the
/// checkpoint of a pass to resume, or null. Throws FileError if the rows are not those of the model,
/// Interrupted, and std::runtime_error if there is not enough memory for a pass.
template <typename T>
Model<T> refined(Model<T> model, const Passes& passes, const InputSettings& input,
                 const PassCheckpoints& checkpoints, const FitCheckpoint<T>* start = nullptr,
                 const KeepModel<T>& keep = {});

/// Describes the error of a model, "about 2.0e-06, at most 3.1e-04", with the confidence of the bound if it
/// has one. Returns nothing if the error is not known.
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
