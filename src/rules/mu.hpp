/// The value assumed for the eigenvalues that are not held.
#pragma once

#include <algorithm>
#include <limits>

#include "linalg/eigen_types.hpp"
#include "roipca/options.hpp"

namespace roipca {

/// The quantities on which mu depends: the held eigenvalues, and the rest of the scatter.
struct HeldEigenvalues {
  Index rank;
  double sum;
  double smallest;
  Index capacity;
  Index features;
  double trace;   // of the scatter matrix
  double weight;  // of the rows so far
};

/// Returns the paper's mu before a row is absorbed: mu_mean (its equation for the mean of the unknown
/// eigenvalues), zero, or a given variance times the weight so far. It is between 0 and the smallest held
/// eigenvalue, and 0 while nothing has been cut off, because the rank is still below the capacity or there is
/// no complement.
inline double unheld_eigenvalue(const Mu& mu, const HeldEigenvalues& held) {
  const bool is_zero = mu.kind == Mu::Kind::kZero || (mu.kind == Mu::Kind::kFixed && mu.variance == 0.0);
  if (is_zero || held.rank < held.capacity || held.rank == 0 || held.rank == held.features) return 0.0;
  // The trace and the sum are each right to some roundings: a smaller difference has no meaning.
  constexpr double kRounding = 64.0 * std::numeric_limits<double>::epsilon();
  const double rest = held.trace - held.sum;
  const double mean =
      rest > kRounding * held.trace ? rest / static_cast<double>(held.features - held.rank) : 0.0;
  const double wanted = mu.kind == Mu::Kind::kFixed ? mu.variance * held.weight : mean;
  return std::clamp(wanted, 0.0, held.smallest);
}

/// Returns about how much mu_mean leaves unknown of an eigenvalue that is not held: nothing of a single one.
inline double unknown_of_unheld(const HeldEigenvalues& held) {
  const auto directions = static_cast<double>(held.features - held.rank);
  return directions < 2.0 ? 0.0 : unheld_eigenvalue(Mu::mean(), held) * (1.0 - 1.0 / directions);
}

inline double unheld_eigenvalue(const Mu& mu, const Eigen::Ref<const Vector<double>>& values, Index capacity,
                                Index features, double trace, double weight) {
  const Index rank = values.size();
  return unheld_eigenvalue(
      mu, {rank, values.sum(), rank > 0 ? values[rank - 1] : 0.0, capacity, features, trace, weight});
}

}  // namespace roipca
