#include "engine/block_update.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "rules/mu.hpp"

namespace roipca {
namespace {

constexpr int kUpdatesBetweenChecks = 8;
constexpr double kWide =
    1e4;  // ratio of eigenvalues beyond which one update may leave a drift worth taking out

// Drift of Q^T Q from I above which the components are orthonormalised: a few hundred roundings.
template <typename T>
constexpr double kTolerance = 512.0 * double{std::numeric_limits<T>::epsilon()};

}  // namespace

template <typename T>
BlockUpdate<T>::BlockUpdate(Index capacity, Index max_rows, Index features)
    : projections_(max_rows, capacity),
      products_(std::max(max_rows, capacity), std::max(max_rows, capacity)),
      root_(Vector<double>::Zero(capacity)),
      eigen_(std::min(capacity, features) + max_rows),
      coefficients_(capacity + max_rows, capacity),
      panel_(kernels::kLane<T> * capacity) {}

template <typename T>
void BlockUpdate<T>::apply(HeldPairs<T>& pairs, const kernels::AlignedRows<T>& rows,
                           const Vector<double>& factors, Index count, const Mu& mu_choice, double weight,
                           double shift) {
  const double mu = unheld_eigenvalue(mu_choice, pairs.values.head(pairs.rank), pairs.capacity(),
                                      pairs.features(), pairs.trace, weight);
  const Index kept = solve(pairs, rows, factors, count, mu);
  for (Index i = 0; i < count; ++i) pairs.trace += factors[i] * factors[i] * products_(i, i);
  rotate(pairs, rows, factors, count, kept);
  pairs.rank = kept;
  pairs.values.head(kept) = eigen_.values().head(kept).array() + (mu + shift);
  keep_orthonormal(pairs);
}

// Forms G, solves it, and returns how many of its eigenvalues are directions rather than rounding of the
// largest.
template <typename T>
Index BlockUpdate<T>::solve(const HeldPairs<T>& pairs, const kernels::AlignedRows<T>& rows,
                            const Vector<double>& factors, Index count, double mu) {
  const Index rank = pairs.rank;
  const auto& kernel = kernels::table<T>();
  const Index length = rows.padded_length();
  kernel.gram(rows.view(count), length, products_.data(), products_.cols());
  kernel.dots(rows.view(count), pairs.components.view(rank), length, projections_.data(),
              projections_.cols());

  root_.head(rank) = (pairs.values.head(rank).array() - mu).max(0.0).sqrt();
  auto g = eigen_.matrix(rank + count);
  g.topLeftCorner(rank, rank).setZero();
  for (Index j = 0; j < rank; ++j) {
    g(j, j) = root_[j] * root_[j];
    for (Index i = 0; i < count; ++i) g(rank + i, j) = factors[i] * projections_(i, j) * root_[j];
  }
  for (Index j = 0; j < count; ++j) {
    for (Index i = j; i < count; ++i) g(rank + i, rank + j) = factors[i] * factors[j] * products_(i, j);
  }
  eigen_.solve(rank + count);

  const auto values = eigen_.values();
  const double noise = static_cast<double>(values.size()) * double{std::numeric_limits<T>::epsilon()} *
                       std::max(values[0], 0.0);
  return std::min(pairs.capacity(), (values.array() > noise).count());
}

// Q <- H V / sigma.
template <typename T>
void BlockUpdate<T>::rotate(HeldPairs<T>& pairs, const kernels::AlignedRows<T>& rows,
                            const Vector<double>& factors, Index count, Index kept) {
  const Index rank = pairs.rank;
  const auto vectors = eigen_.vectors(kept);
  for (Index j = 0; j < kept; ++j) {
    const double scale = 1.0 / std::sqrt(eigen_.values()[j]);
    for (Index i = 0; i < rank; ++i) coefficients_(i, j) = static_cast<T>(root_[i] * vectors(i, j) * scale);
    for (Index i = 0; i < count; ++i) {
      coefficients_(rank + i, j) = static_cast<T>(factors[i] * vectors(rank + i, j) * scale);
    }
  }
  kernels::table<T>().rotate(pairs.components.row(0), pairs.components.stride(), rank, rows.view(count),
                             coefficients_.data(), coefficients_.cols(), kept, rows.padded_length(),
                             panel_.data());
}

template <typename T>
double BlockUpdate<T>::measure_drift(const HeldPairs<T>& pairs) {
  kernels::table<T>().gram(pairs.components.view(pairs.rank), pairs.components.padded_length(),
                           products_.data(), products_.cols());
  double drift = 0.0;
  for (Index i = 0; i < pairs.rank; ++i) {
    for (Index j = 0; j <= i; ++j) drift = std::max(drift, std::abs(products_(i, j) - (i == j ? 1.0 : 0.0)));
  }
  return drift;
}

// G squares the condition number: components i and j come out orthogonal to about epsilon sigma_1^2 /
// (sigma_i sigma_j). So drift is measured now and then, and at once where the spectrum is wide.
template <typename T>
void BlockUpdate<T>::keep_orthonormal(HeldPairs<T>& pairs) {
  if (pairs.rank == 0) return;
  const bool wide = eigen_.values()[0] > kWide * eigen_.values()[pairs.rank - 1];
  if (!wide && ++since_check_ < kUpdatesBetweenChecks) return;
  since_check_ = 0;
  restore(pairs);
}

template <typename T>
void BlockUpdate<T>::restore(HeldPairs<T>& pairs) {
  for (int pass = 0; pass < 3 && measure_drift(pairs) > kTolerance<T>; ++pass) orthonormalise(pairs);
}

// Q <- Q R^(-1) for the Cholesky factor R of Q^T Q, which measure_drift has left in products_. R is
// triangular: a component is corrected only by those before it, which are the more accurate ones.
template <typename T>
void BlockUpdate<T>::orthonormalise(HeldPairs<T>& pairs) {
  const Index rank = pairs.rank;
  auto& l = products_;  // R^T, row by row over the lower triangle of Q^T Q
  for (Index i = 0; i < rank; ++i) {
    for (Index j = 0; j <= i; ++j) {
      double left = l(i, j);
      for (Index m = 0; m < j; ++m) left -= l(i, m) * l(j, m);
      // A component that is lost in the others keeps its direction; the next pass finds it orthogonal.
      l(i, j) = i > j ? left / l(j, j) : std::sqrt(std::max(left, 0.01 * l(i, i)));
    }
  }
  // The columns of R^(-1), by forward substitution with R^T from the right.
  coefficients_.topLeftCorner(rank, rank).setZero();
  Vector<double>& column = root_;
  for (Index j = 0; j < rank; ++j) {
    column.head(rank).setZero();
    column[j] = 1.0 / l(j, j);
    for (Index i = j - 1; i >= 0; --i) {
      double left = 0.0;
      for (Index m = i + 1; m <= j; ++m) left -= l(m, i) * column[m];
      column[i] = left / l(i, i);
    }
    coefficients_.col(j).head(rank) = column.head(rank).template cast<T>();
  }
  kernels::table<T>().rotate(pairs.components.row(0), pairs.components.stride(), rank,
                             {pairs.components.row(0), 0, 0}, coefficients_.data(), coefficients_.cols(),
                             rank, pairs.components.padded_length(), panel_.data());
}

template class BlockUpdate<float>;
template class BlockUpdate<double>;

}  // namespace roipca
