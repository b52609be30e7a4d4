#include "passes.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <new>
#include <optional>
#include <stdexcept>
#include <utility>

#include "interrupt.hpp"
#include "memory_limit.hpp"
#include "progress.hpp"
#include "readers/number.hpp"
#include "roipca/accuracy.hpp"

namespace roipca::cli {
namespace {

constexpr std::int64_t kMostPasses = 30;  // maximum for "auto"
constexpr double kConfidence = 0.999;     // of the bound on the error, where it has one

template <typename T>
void read_again(Refinement<T>& refinement, RowSource<T>& source, Resumption<T> resumption,
                Checkpoints checkpoints, const KeepModel<T>& keep) {
  Progress progress("pass " + std::to_string(refinement.model().passes + 1) + ": ");
  InputFingerprint input;
  try {
    while (const PlacedRows<T>* block = source.next()) {
      check_interrupt();
      const Index skipped = resumption.skip(*block);
      const bool has_more = skipped < block->count;
      if (has_more) source.learn(skipped, [&](const auto& rows) { refinement.add(rows); });
      block->visit([&](const auto& rows) { input.add(rows); });
      if (!has_more) {
        resumption.jump(source);
        continue;
      }
      checkpoints.after_block(refinement, refinement.rows(), input);
      progress.update(refinement.rows(), block->fraction);
    }
    check_interrupt();
  } catch (const Interrupted&) {
    if (resumption.is_done()) checkpoints.at_interrupt(refinement, refinement.rows(), input);
    if (keep) keep(refinement.model());
    throw;
  }
  resumption.require_done();
}

template <typename T>
Model<T> finish(const Refinement<T>& refinement, const InputSettings& input) {
  try {
    return refinement.finish();
  } catch (const std::invalid_argument& error) {
    throw FileError(input.paths.front() + ": " + error.what());
  }
}

}  // namespace

void add_pass_options(Arguments& arguments, PassOptions& options, const std::string& passes_help) {
  arguments.add("--passes", options.passes, passes_help);
  arguments.add("--tol", options.tolerance, "Bound on the subspace error at which --passes auto stops");
}

Passes parsed_passes(const PassOptions& options, const std::vector<std::string>& inputs) {
  Passes passes;
  double tolerance = 0.0;
  if (is_number(options.tolerance)) {
    parse_number(options.tolerance.data(), options.tolerance.data() + options.tolerance.size(), tolerance);
  }
  if (!(tolerance > 0.0)) throw UsageError("--tol \"" + options.tolerance + "\": must be a positive number");
  if (options.passes == "auto") {
    passes.number = kMostPasses;
    passes.tolerance = tolerance;
  } else {
    const char* const end = options.passes.data() + options.passes.size();
    const auto [stop, error] = std::from_chars(options.passes.data(), end, passes.number);
    if (error != std::errc() || stop != end || passes.number < 1) {
      throw UsageError("--passes \"" + options.passes + "\": must be auto or a whole number of at least 1");
    }
  }
  if (passes.number > 1 && std::find(inputs.begin(), inputs.end(), "-") != inputs.end()) {
    throw UsageError("--passes " + options.passes + ": standard input (-) can be read only once");
  }
  return passes;
}

template <typename T>
Model<T> refined(Model<T> model, const Passes& passes, const InputSettings& input,
                 const PassCheckpoints& checkpoints, const FitCheckpoint<T>* start,
                 const KeepModel<T>& keep) {
  const double tolerance = passes.tolerance.value_or(0.0);
  std::optional<double> before;
  while (start != nullptr || model.passes < passes.least ||
         (model.passes < passes.number && is_worth_another_pass(model, tolerance, before))) {
    if (passes.tolerance) before = error_estimate(model);
    const std::int64_t pass = model.passes + 1;
    std::optional<Refinement<T>> refinement;
    try {
      refinement.emplace(start != nullptr ? *start->refinement : Refinement<T>(model));
      const std::vector<std::string> names = model.feature_names;
      if (!keep) model = Model<T>();  // the refinement has a copy
      Resumption<T> resumption =
          start != nullptr ? Resumption<T>(*start, checkpoints.resumed) : Resumption<T>();
      RowSource<T> source(input);
      read_again(*refinement, source, std::move(resumption),
                 Checkpoints(checkpoints.path, checkpoints.every, refinement->rows()), keep);
      model = finish(*refinement, input);
      model.feature_names = names;
    } catch (const std::bad_alloc&) {
      // A pass takes more memory than the one before, whose model is complete.
      refinement.reset();
      const std::string file = keep ? keep(model) : "";
      throw std::runtime_error(
          "pass " + std::to_string(pass) + " failed: " + not_enough_memory() +
          (file.empty() ? "" : "; " + file + " has the model of pass " + std::to_string(pass - 1)));
    }
    start = nullptr;
  }
  return model;
}

template <typename T>
std::optional<std::string> error_text(const Model<T>& model) {
  const auto estimate = error_estimate(model);
  const auto bound = error_bound(model, kConfidence);
  if (!estimate || !bound) return std::nullopt;
  std::array<char, 96> text{};
  std::snprintf(text.data(), text.size(), "about %.1e, at most %.1e", *estimate, *bound);
  std::string line = text.data();
  // Only the bound that probes give depends on a confidence.
  if (*bound != error_bound(model, 0.5)) {
    std::snprintf(text.data(), text.size(), " (with %g %% confidence)", 100.0 * kConfidence);
    line += text.data();
  }
  return model.feature_weight.empty() ? line : line + " for the rows as their gaps were filled";
}

template Model<float> refined(Model<float>, const Passes&, const InputSettings&, const PassCheckpoints&,
                              const FitCheckpoint<float>*, const KeepModel<float>&);
template Model<double> refined(Model<double>, const Passes&, const InputSettings&, const PassCheckpoints&,
                               const FitCheckpoint<double>*, const KeepModel<double>&);
template std::optional<std::string> error_text(const Model<float>&);
template std::optional<std::string> error_text(const Model<double>&);

}  // namespace roipca::cli
