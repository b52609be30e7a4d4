/// The cross-validated learning rate of the paper's comparison, for GHA and Oja's rule.
#pragma once

#include "roipca/options.hpp"
#include "roipca/types.hpp"

namespace roipca {

/// Fewest rows that a learning rate can be tuned on.
inline constexpr Index kTuningMinimum = 25;

/// The c of the rate c/n with the least mean subspace error over five folds: for each, the rule starts from a
/// batch PCA of the first fifth of the fold's rows, streams the others, and is held against the batch PCA of
/// all rows. The candidates are spaced by thirds of a decade over four decades around 1 / (leading variance),
/// where the paper puts the optimum. Returns 0 if the rows have no variance, because any rate fits them.
/// Throws std::invalid_argument unless options.method is kGha or kOja and there are kTuningMinimum rows or
/// more.
template <typename T>
double tune_learning_rate(const Rows<T>& rows, const Options& options);

extern template double tune_learning_rate(const Rows<float>&, const Options&);
extern template double tune_learning_rate(const Rows<double>&, const Options&);

}  // namespace roipca
