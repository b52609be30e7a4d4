/// The stand-in for the eigenvalues that are not held.
#pragma once

#include <algorithm>

#include "roipca/options.hpp"

namespace roipca {

/// The paper's mu before a row is absorbed: mu_mean (its equation for the mean of the unknown eigenvalues),
/// zero, or a given variance times the weight so far. Between 0 and the smallest eigenvalue held, and 0 while
/// nothing has been cut off, because the rank is still below the capacity or there is no complement.
inline double unheld_eigenvalue(const Mu& mu, const Eigen::Ref<const Vector<double>>& values, Index capacity,
                                Index features, double trace, double scatter_weight) {
  const Index rank = values.size();
  const bool is_zero = mu.kind == Mu::Kind::kZero || (mu.kind == Mu::Kind::kFixed && mu.variance == 0.0);
  if (is_zero || rank < capacity || rank == 0 || rank == features) return 0.0;
  const double wanted = mu.kind == Mu::Kind::kFixed
                            ? mu.variance * scatter_weight
                            : (trace - values.sum()) / static_cast<double>(features - rank);
  return std::clamp(wanted, 0.0, values[rank - 1]);
}

}  // namespace roipca
