#include <algorithm>
#include <stdexcept>
#include <string>

#include "roipca/options.hpp"

namespace roipca {
namespace {

// The scatter may take 16 times the memory of the reported components, or 8 MB. (What a reading of it costs
// is in reading_costs.hpp.)
constexpr Index kExactByReported = 16;
constexpr Index kFewFeatures = 1024;

// Two passes with so many more components take half to four fifths of the time of the sixteen products of
// scikit-learn's randomized PCA, and are more accurate unless the other variances are nearly equal.
constexpr Index kOversamplingForPasses = 60;

// Multiplications and additions per row by blocks. Those of small matrices are weighted by their cost
// relative to those of long rows: see docs/performance.md.
double cost_by_blocks(double features, double held) {
  const double rows = held / 2.0 + 14.0;
  const double small = held * (22.0 * held + 7.0 * held * held / rows + 12.0 * rows);
  return (4.0 * held + rows) * features + 1.3 * small;
}

// One product, which runs at a higher rate.
double cost_by_scatter(double features) { return 0.8 * features * features; }

// Components held beyond those reported, for accuracy if variances fall off slowly. Small matrices of order k
// limit their number if many are reported.
Index automatic_oversampling(Index reported) {
  return std::clamp<Index>(reported, 10, std::max<Index>(100, reported / 5));
}

// The other methods do not rotate components among each other, so components beyond the reported ones would
// never give up what belongs to the reported ones.
bool gains_from_oversampling(Method method) {
  return method == Method::kRoipca || method == Method::kIpca || method == Method::kFrequentDirections;
}

}  // namespace

Method resolve(const Options& options, Index features) {
  if (options.method != Method::kAuto) return options.method;
  // Panes of a window would merge matrices of order d.
  if (options.window) return Method::kRoipca;
  Options by_roipca = options;
  by_roipca.method = Method::kRoipca;
  const auto [reported, held] = capacity(by_roipca, features);
  if (options.missing == Missing::kImpute) return Method::kRoipca;  // filled values are not exact anyway
  const bool is_small = features <= kFewFeatures || features <= kExactByReported * reported;
  const auto d = static_cast<double>(features);
  const bool is_cheaper = cost_by_scatter(d) <= cost_by_blocks(d, static_cast<double>(held));
  return is_cheaper && is_small ? Method::kExact : Method::kRoipca;
}

Capacity capacity(const Options& options, Index features) {
  if (options.n_components > features) {
    throw std::invalid_argument("n_components is " + std::to_string(options.n_components) +
                                ", but the rows have only " + std::to_string(features) + " features");
  }
  const Index reported = options.n_components == 0 ? features : options.n_components;
  // The exact method has every eigenpair anyway, and needs them to resume from a model.
  const Method method = resolve(options, features);
  if (method == Method::kExact) return {reported, features};
  const Index automatic = gains_from_oversampling(method) ? automatic_oversampling(reported) : 0;
  const Index extra = std::min(options.oversampling.value_or(automatic), features - reported);
  return {reported, reported + extra};
}

Options for_more_passes(Options options, Index features) {
  const bool leaves_method =
      options.method == Method::kAuto && !options.window && options.missing == Missing::kError;
  if (!leaves_method) return options;
  const Index reported = capacity(options, features).reported;
  if (features <= kFewFeatures || resolve(options, features) == Method::kExact) {
    options.method = Method::kExact;
  } else if (!options.oversampling) {
    options.oversampling = std::max(kOversamplingForPasses, automatic_oversampling(reported));
  }
  return options;
}

Index rows_to_hold(const Options& options, Index features) {
  if (!options.standardize && options.missing == Missing::kError) return 0;
  constexpr Index kRows = 1000;
  constexpr Index kFewest = 100;
  constexpr Index kNumbers = Index{1} << 22;
  return options.first_rows.value_or(std::clamp(kNumbers / features, kFewest, kRows));
}

}  // namespace roipca
