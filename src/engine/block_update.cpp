#include "engine/block_update.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "rules/mu.hpp"

namespace roipca {
namespace {

constexpr int kUpdatesBetweenSettling = 16;
constexpr double kWide =
    1e4;  // ratio of eigenvalues beyond which one update may leave a drift worth taking out

// To which an iteration finds the directions of the subspace, in each block. (They are orthonormal to
// rounding in any case.)
template <typename T>
constexpr double kSubspaceTolerance = std::is_same_v<T, float> ? 0x1p-21 : 0x1p-40;

// Drift of Q^T Q from I above which the components are orthonormalised: a few hundred roundings.
template <typename T>
constexpr double kTolerance = 512.0 * double{std::numeric_limits<T>::epsilon()};

}  // namespace

template <typename T>
BlockUpdate<T>::BlockUpdate(Index capacity, Index max_rows)
    : projections_(max_rows, capacity),
      products_(std::max(max_rows, capacity), std::max(max_rows, capacity)),
      root_(Vector<double>::Zero(capacity)),
      along_(Vector<double>::Zero(std::max(max_rows, capacity))),
      eigen_(capacity + max_rows),
      values_(capacity),
      vectors_(capacity + max_rows, capacity),
      work_(kernels::active().leading_work(capacity, max_rows)),
      coefficients_(capacity + max_rows, capacity),
      panel_(kernels::panel_size<T>(capacity + max_rows)) {}

template <typename T>
double BlockUpdate<T>::mu_of(const HeldPairs<T>& pairs, const RowBlock<T>& block, const Mu& mu) const {
  const double smallest = pairs.rank > 0 ? pairs.values[pairs.rank - 1] : 0.0;
  return unheld_eigenvalue(mu, {pairs.rank, pairs.sum(), smallest, pairs.capacity(), pairs.features(),
                                pairs.trace, block.weight_before});
}

template <typename T>
void BlockUpdate<T>::apply(HeldPairs<T>& pairs, const RowBlock<T>& block, const Mu& mu, double shift) {
  if (!pairs.settled && ++since_settled_ >= kUpdatesBetweenSettling) settle(pairs);
  measure(pairs, block);
  const double added = products_.diagonal().head(block.count).sum();  // |X|^2, before products_ is used again
  bool advanced = advance(pairs, block, mu_of(pairs, block, mu), shift);
  if (!advanced && !pairs.settled) {
    // What is known of the smallest eigenvalue was too old.
    settle(pairs);
    measure(pairs, block);
    advanced = advance(pairs, block, mu_of(pairs, block, mu), shift);
  }
  if (!advanced) solve(pairs, block, mu_of(pairs, block, mu), shift);
  pairs.trace += added;
}

// X Z and the lower triangle of X X^T, for X = (I - pull u u^T) V.
template <typename T>
void BlockUpdate<T>::measure(const HeldPairs<T>& pairs, const RowBlock<T>& block) {
  const Index rank = pairs.rank;
  const Index count = block.count;
  kernels::table<T>().gram_and_dots(block.rows.view(count), pairs.components.view(rank),
                                    block.rows.padded_length(), products_.data(), products_.cols(),
                                    projections_.data(), projections_.cols());
  if (block.pull == 0.0) return;

  const auto u = block.roots.head(count);
  auto along = along_.head(rank);
  along.noalias() = block.pull * (projections_.topLeftCorner(count, rank).transpose() * u);
  for (Index i = 0; i < count; ++i) projections_.row(i).head(rank) -= u[i] * along.transpose();
  auto k = products_.topLeftCorner(count, count);
  auto shared = along_.head(count);
  shared.noalias() = block.pull * (k.template selfadjointView<Eigen::Lower>() * u);
  shared -= (0.5 * block.pull * u.dot(shared)) * u;
  for (Index i = 0; i < count; ++i) {
    k.row(i).head(i + 1) -= u[i] * shared.head(i + 1).transpose() + shared[i] * u.head(i + 1).transpose();
  }
}

// Where nothing grows any more and the rows weigh little.
template <typename T>
bool BlockUpdate<T>::advance(HeldPairs<T>& pairs, const RowBlock<T>& block, double mu, double shift) {
  const Index rank = pairs.rank;
  if (rank == 0 || rank < pairs.capacity()) return false;
  if (pairs.settled) {
    pairs.inner.setZero();
    pairs.inner.diagonal() = pairs.values;
    pairs.normal.setIdentity();
  }
  pairs.inner.diagonal().array() -= mu;
  const auto step = kernels::active().leading_solver({.k = rank,
                                                      .b = block.count,
                                                      .least = pairs.values[rank - 1] - mu,
                                                      .tolerance = kSubspaceTolerance<T>,
                                                      .inner = pairs.inner.data(),
                                                      .normal = pairs.normal.data(),
                                                      .stride = pairs.inner.rows(),
                                                      .dots = projections_.data(),
                                                      .dots_stride = projections_.cols(),
                                                      .products = products_.data(),
                                                      .products_stride = products_.cols(),
                                                      .coefficients = vectors_.data(),
                                                      .coefficients_stride = vectors_.rows(),
                                                      .work = work_.data()});
  const bool found = step != kernels::LeadingStep::kNone;
  pairs.inner.diagonal().array() += found ? mu + shift : mu;
  if (!found) return false;
  pairs.settled = false;
  take_coefficients(block, rank, rank);
  if (step == kernels::LeadingStep::kRotate) {
    rotate(pairs, block.rows.view(block.count), rank);
  } else {
    kernels::table<T>().add_rows(pairs.components.row(0), pairs.components.stride(),
                                 block.rows.view(block.count), coefficients_.row(rank).data(),
                                 coefficients_.cols(), rank, block.rows.padded_length(), panel_.data());
  }
  return true;
}

// By an eigenproblem of order k + b, from settled pairs to settled ones.
template <typename T>
void BlockUpdate<T>::solve(HeldPairs<T>& pairs, const RowBlock<T>& block, double mu, double shift) {
  Index kept = solve_small(pairs, block.count, mu);
  if (kept < pairs.rank && mu > 0.0) {
    // Components whose eigenvalue is mu itself are no less there for that.
    mu = 0.0;
    kept = solve_small(pairs, block.count, mu);
  }
  take_coefficients(block, pairs.rank, kept);
  rotate(pairs, block.rows.view(block.count), kept);
  pairs.rank = kept;
  pairs.values.head(kept) = values_.head(kept).array() + (mu + shift);
  // G squares the condition number: components i and j come out of it orthogonal to about epsilon sigma_1^2 /
  // (sigma_i sigma_j).
  const bool wide = kept > 0 && values_[0] > kWide * values_[kept - 1];
  if (!wide && ++since_settled_ < kUpdatesBetweenSettling) return;
  since_settled_ = 0;
  restore(pairs);
}

// Forms G, solves it, and returns how many of its eigenvalues are directions rather than rounding of the
// largest.
template <typename T>
Index BlockUpdate<T>::solve_small(const HeldPairs<T>& pairs, Index count, double mu) {
  const Index rank = pairs.rank;
  const Index order = rank + count;
  root_.head(rank) = (pairs.values.head(rank).array() - mu).max(0.0).sqrt();
  auto g = eigen_.matrix(order);
  g.topLeftCorner(rank, rank).setZero();
  for (Index j = 0; j < rank; ++j) {
    g(j, j) = root_[j] * root_[j];
    g.col(j).segment(rank, count) = root_[j] * projections_.col(j).head(count);
  }
  for (Index j = 0; j < count; ++j) {
    g.col(rank + j).segment(rank + j, count - j) = products_.col(j).segment(j, count - j);
  }
  eigen_.solve(order);

  const double noise = static_cast<double>(order) * double{std::numeric_limits<T>::epsilon()} *
                       std::max(eigen_.values()[0], 0.0);
  const Index kept = std::min(pairs.capacity(), (eigen_.values().array() > noise).count());
  values_.head(kept) = eigen_.values().head(kept);
  vectors_.topLeftCorner(order, kept) = eigen_.vectors(kept);
  for (Index j = 0; j < kept; ++j) {
    vectors_.col(j).head(rank).array() *= root_.head(rank).array();
    vectors_.col(j).head(order) /= std::sqrt(values_[j]);
  }
  return kept;
}

// Of [Z, V^T], from those of [Z, X^T].
template <typename T>
void BlockUpdate<T>::take_coefficients(const RowBlock<T>& block, Index rank, Index kept) {
  const auto u = block.roots.head(block.count);
  for (Index j = 0; j < kept; ++j) {
    auto of_rows = vectors_.col(j).segment(rank, block.count);
    if (block.pull != 0.0) of_rows -= (block.pull * u.dot(of_rows)) * u;
    coefficients_.col(j).head(rank + block.count) =
        vectors_.col(j).head(rank + block.count).template cast<T>();
  }
}

// Z <- [Z, rows^T] times the coefficients.
template <typename T>
void BlockUpdate<T>::rotate(HeldPairs<T>& pairs, kernels::RowsView<T> rows, Index kept) {
  kernels::table<T>().rotate(pairs.components.row(0), pairs.components.stride(), pairs.rank, rows,
                             coefficients_.data(), coefficients_.cols(), kept,
                             pairs.components.padded_length(), panel_.data());
}

template <typename T>
void BlockUpdate<T>::settle(HeldPairs<T>& pairs) {
  since_settled_ = 0;
  const Index rank = pairs.rank;
  if (rank == 0) return;
  if (!pairs.settled) {
    eigen_.compute(pairs.inner.topRows(rank));
    pairs.values = eigen_.values();
    // Lazily, because other products of Eigen's allocate.
    coefficients_.topRows(rank) =
        pairs.normal.topRows(rank).lazyProduct(eigen_.vectors(rank)).template cast<T>();
    rotate(pairs, {pairs.components.row(0), 0, 0}, rank);
    pairs.settled = true;
  }
  restore(pairs);
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
  rotate(pairs, {pairs.components.row(0), 0, 0}, rank);
}

template class BlockUpdate<float>;
template class BlockUpdate<double>;

}  // namespace roipca
