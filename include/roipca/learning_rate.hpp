/// The cross-validated learning rate of the paper's comparison, for GHA and Oja's rule.
#pragma once

#include "roipca/options.hpp"
#include "roipca/types.hpp"

namespace roipca {

/// The least number of rows on which a learning rate can be tuned.
inline constexpr Index kTuningMinimum = 25;

/// Returns the c of the learning rate c/n with the least mean subspace error over five folds. For each fold,
/// the rule starts from a batch PCA of the first fifth of the fold's rows, streams the others, and is
/// compared with the batch PCA of all rows. The candidates are spaced by thirds of a decade over four decades
/// around 1 / (leading variance), where the paper puts the optimum. Returns 0 if the rows have no variance,
/// because any rate fits them. Throws std::invalid_argument unless options.method is kGha or kOja and there
/// are at least kTuningMinimum rows.
template <typename T>
double tune_learning_rate(const Rows<T>& rows, const Options& options);

extern template double tune_learning_rate(const Rows<float>&, const Options&);
extern template double tune_learning_rate(const Rows<double>&, const Options&);

}  // namespace roipca
