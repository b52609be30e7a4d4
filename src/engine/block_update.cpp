#include "engine/block_update.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "basis/orthonormal.hpp"
#include "monitor/filled_values.hpp"
#include "rules/mu.hpp"

namespace roipca {
namespace {

constexpr int kUpdatesBetweenSettling = 16;
// Ratio of eigenvalues above which one update may leave a drift worth removing.
constexpr double kWide = 1e4;
// Accuracy to which an iteration computes the directions of the subspace in each block. (They are orthonormal
// to rounding in any case.)
template <typename T>
constexpr double kSubspaceTolerance = std::is_same_v<T, float> ? 0x1p-21 : 0x1p-40;

// Number of features from which products in single precision save a tenth of the time or more.
constexpr Index kFewestRounded = 640;
// Parts of the trace that the last eigenvalue held and all those that are not held exceed before products
// are computed in single precision.
constexpr double kClearOfRounding = 0x1p-12;
// Largest square of a row in multiples of the last eigenvalue.
constexpr double kMostOfRow = 16.0;
// Factor by which the largest square of a block may differ from 1, so that products of floats neither
// overflow nor lose digits.
constexpr double kFloatRange = 0x1p80;

// Drift of Q^T Q from I above which the components are orthonormalised: a few hundred roundings.
template <typename T>
constexpr double kTolerance = 512.0 * double{std::numeric_limits<T>::epsilon()};

// Drift that one correction leaves to rounding, because the factor of the Gram matrix is close to the
// identity.
constexpr double kSmallDrift = 0x1p-10;
// Cancellation in an eigenvector of Z turn_ from which on its drift must be measured again: the sum of the
// squared lengths of what is added up, which is 1 for an orthonormal Z.
constexpr double kMostCancellation = 4.0;

template <typename T>
HeldEigenvalues held(const HeldPairs<T>& pairs, const RowBlock<T>& block) {
  const double smallest = pairs.rank > 0 ? pairs.values[pairs.rank - 1] : 0.0;
  return {pairs.rank,
          pairs.sum(),
          smallest,
          pairs.capacity(),
          pairs.features(),
          pairs.trace,
          block.scaled_weight_before()};
}

}  // namespace

template <typename T>
BlockUpdate<T>::BlockUpdate(Index capacity, Index max_rows, Index features)
    : split_(capacity, max_rows),
      copies_(capacity, max_rows, !std::is_same_v<T, float> && features >= kFewestRounded ? features : 0),
      coordinates_(capacity + max_rows, max_rows),
      small_(capacity + max_rows, capacity + max_rows),
      of_rows_(capacity, max_rows),
      of_components_(capacity, capacity),
      eigen_(capacity + max_rows),
      values_(capacity),
      vectors_(capacity + max_rows, capacity),
      work_(linalg::operations().leading_work(capacity, max_rows)),
      coefficients_(capacity + max_rows, capacity),
      panel_(simd::panel_size<T>(capacity + max_rows)),
      gram_(capacity, capacity),
      turn_(capacity, capacity),
      turned_(capacity, capacity),
      variances_(capacity) {}

template <typename T>
double BlockUpdate<T>::mu_of(const HeldPairs<T>& pairs, const RowBlock<T>& block, const Mu& mu) const {
  return unheld_eigenvalue(mu, held(pairs, block));
}

template <typename T>
void BlockUpdate<T>::apply(HeldPairs<T>& pairs, RowBlock<T>& block, const Mu& mu, double shift,
                           BlockScorer* scorer) {
  if (!pairs.settled && ++since_settled_ >= kUpdatesBetweenSettling) settle(pairs);
  const bool rounds = may_round(pairs, block);
  measure(pairs, block, rounds);
  if (scorer != nullptr) score_if_wanted(block.scores, [&] { score(pairs, block, *scorer); });
  const double added = square_of_all(block, rounds);
  advanced_ = advance(pairs, block, mu_of(pairs, block, mu), shift, rounds);
  if (!advanced_ && (rounds || !pairs.settled)) {
    // The bound on the smallest eigenvalue was too old, or the eigenproblem needs all digits.
    if (!pairs.settled) settle(pairs);
    measure(pairs, block, false);
    advanced_ = advance(pairs, block, mu_of(pairs, block, mu), shift, false);
  }
  if (!advanced_) solve(pairs, block, mu_of(pairs, block, mu), shift);
  pairs.trace += added;
}

template <typename T>
bool BlockUpdate<T>::may_round(const HeldPairs<T>& pairs, const RowBlock<T>& block) {
  if constexpr (std::is_same_v<T, double>) {
    if (!copies_.exist() || !advanced_ || pairs.rank < pairs.capacity()) return false;
    const double least = pairs.values[pairs.rank - 1];
    const double unheld = pairs.trace - pairs.sum();
    if (!(std::min(least, unheld) > kClearOfRounding * pairs.trace)) return false;
    copies_.take_rows(block);
    const double largest = copies_.squares().head(block.count).maxCoeff();
    return largest < kMostOfRow * least && largest > 1.0 / kFloatRange && largest < kFloatRange;
  }
  return false;
}

template <typename T>
void BlockUpdate<T>::measure(const HeldPairs<T>& pairs, const RowBlock<T>& block, bool rounds) {
  if constexpr (std::is_same_v<T, double>) {
    if (rounds) {
      if (pairs.settled) copies_.outdate();  // settled components may come from anywhere
      copies_.take_components(pairs.components, pairs.rank);
      return split_.measure(pairs.rank, copies_, block);
    }
  }
  split_.measure(pairs.components.view(pairs.rank), block);
}

// Returns |X|^2.
template <typename T>
double BlockUpdate<T>::square_of_all(const RowBlock<T>& block, bool rounds) const {
  if constexpr (std::is_same_v<T, double>) {
    if (rounds) return copies_.square_of_all(block);
  }
  return split_.products().diagonal().head(block.count).sum();
}

template <typename T>
void BlockUpdate<T>::score(const HeldPairs<T>& pairs, RowBlock<T>& block, BlockScorer& scorer) {
  if (!(block.freedom > 0.0)) return;
  if (pairs.settled) {
    variances_ = pairs.values / block.freedom;
  } else {
    variances_ = pairs.inner.diagonal() / block.freedom;
  }
  const FilledValuesOf<T, T> filled(block, pairs.components, pairs.rank);
  scorer.score({.count = block.count,
                .dots = split_.inside().data(),
                .dots_stride = split_.inside().cols(),
                .products = split_.products().data(),
                .products_stride = split_.products().cols(),
                .roots = block.roots.data(),
                .pull = block.pull},
               pairs.rank, pairs.settled ? nullptr : &pairs.normal, variances_,
               kScoreNoise<T> * pairs.trace / block.freedom, block.scores,
               block.has_gaps() ? &filled : nullptr);
}

// Advances the pairs if the rank no longer grows and the rows weigh little.
template <typename T>
bool BlockUpdate<T>::advance(HeldPairs<T>& pairs, const RowBlock<T>& block, double mu, double shift,
                             bool rounds) {
  const Index rank = pairs.rank;
  if (rank == 0 || rank < pairs.capacity()) return false;
  // Entries of `inner` are accurate to rounding of the squares of the rows that were added to them.
  const double largest = split_.products().diagonal().head(block.count).maxCoeff();
  if (!(pairs.values[rank - 1] > linalg::SymmetricEigen::kGraded * largest)) return false;
  if (pairs.settled) {
    pairs.inner.setZero();
    pairs.inner.diagonal() = pairs.values;
    pairs.normal.setIdentity();
  }
  pairs.inner.diagonal().array() -= mu;
  const Index taking_part =
      linalg::operations().leading_solver({.k = rank,
                                           .b = block.count,
                                           .least = pairs.values[rank - 1] - mu,
                                           .unheld = unknown_of_unheld(held(pairs, block)),
                                           .tolerance = kSubspaceTolerance<T>,
                                           .inner = pairs.inner.data(),
                                           .normal = pairs.normal.data(),
                                           .stride = pairs.inner.rows(),
                                           .dots = split_.inside().data(),
                                           .dots_stride = split_.inside().cols(),
                                           .products = split_.products().data(),
                                           .products_stride = split_.products().cols(),
                                           .coefficients = vectors_.data(),
                                           .coefficients_stride = vectors_.rows(),
                                           .work = work_.data()});
  const bool found = taking_part != linalg::kNoStep;
  pairs.inner.diagonal().array() += found ? mu + shift : mu;
  if (!found) return false;
  pairs.settled = false;
  take_coefficients(block, block.count, taking_part, rank);
  if constexpr (std::is_same_v<T, double>) {
    if (rounds && taking_part == 0) {
      copies_.add_rows(coefficients_, block.count, pairs.components, rank);
      return true;
    }
  }
  copies_.outdate();
  simd::table<T>().add_rows(pairs.components.row(0), pairs.components.stride(), taking_part,
                            block.rows.view(block.count), coefficients_.data(), coefficients_.cols(), rank,
                            block.rows.padded_length(), panel_.data());
  return true;
}

// Solves an eigenproblem of order k + b; the pairs are settled before and after.
template <typename T>
void BlockUpdate<T>::solve(HeldPairs<T>& pairs, RowBlock<T>& block, double mu, double shift) {
  const Index rank = pairs.rank;
  split_.split(pairs.components.view(rank), block);
  const Index directions = split_.directions();
  const Index kept = solve_small(pairs, block.count, mu);
  if (split_.by_products()) express_by_rows(block.count, rank, kept);
  take_coefficients(block, directions, rank, kept);
  rotate(pairs, block.rows.view(directions), kept);
  pairs.rank = kept;
  pairs.values.head(kept) = values_.head(kept).array() + (mu + shift);
  const bool wide = kept > 0 && pairs.values[0] > kWide * pairs.values[kept - 1];
  if (!wide && ++since_settled_ < kUpdatesBetweenSettling) return;
  since_settled_ = 0;
  restore(pairs);
}

// Forms A, solves it, and returns the number of its eigenpairs to keep.
template <typename T>
Index BlockUpdate<T>::solve_small(const HeldPairs<T>& pairs, Index count, double mu) {
  const Index rank = pairs.rank;
  const Index directions = split_.directions();
  const Index order = rank + directions;
  const Index kept = std::min(pairs.capacity(), order);
  if (kept == 0) return 0;
  auto rows = coordinates_.columns(order);
  rows.bottomRows(coordinates_.length() - count).setZero();
  rows.topLeftCorner(count, rank) = split_.inside().topLeftCorner(count, rank);
  rows.block(0, rank, count, directions) = split_.outside().topLeftCorner(count, directions);
  simd::table<double>().gram(coordinates_.view(order), coordinates_.padded_length(), small_.data(),
                             small_.cols());
  auto a = eigen_.matrix(order);
  a.template triangularView<Eigen::Lower>() = small_.topLeftCorner(order, order);
  a.diagonal().head(rank) += (pairs.values.head(rank).array() - mu).matrix();
  // Sums of `count` products, and as many eliminations.
  const double noise = static_cast<double>(order) * std::numeric_limits<double>::epsilon();
  values_.head(rank) = (pairs.values.head(rank).array() - mu).matrix();
  const Index found = eigen_.solve_positive(order, kept, noise, values_.head(rank), rows.topRows(count));
  values_.head(kept) = eigen_.values().head(kept).cwiseMax(0.0);
  vectors_.topLeftCorner(order, kept) = eigen_.vectors(kept);
  // Components whose eigenvalue is mu itself were not found, but are still held.
  if (found < kept) complete<double>(vectors_.topLeftCorner(order, kept), found);
  return kept;
}

// Converts coefficients of [Q, P] to those of [Q, X^T]: P = (X^T - Q Y^T) W^(-T).
template <typename T>
void BlockUpdate<T>::express_by_rows(Index count, Index rank, Index kept) {
  auto combinations = vectors_.block(rank, 0, count, kept);
  split_.divide_by_outside(combinations);
  auto rows = of_rows_.columns(kept);
  rows.topRows(count) = combinations;
  rows.bottomRows(of_rows_.length() - count).setZero();
  simd::table<double>().dots(coordinates_.view(rank), of_rows_.view(kept), coordinates_.padded_length(),
                             of_components_.data(), of_components_.cols());
  vectors_.topLeftCorner(rank, kept) -= of_components_.topLeftCorner(rank, kept);
}

// Converts coefficients of [Z, X^T], with `count` rows, to those of [Z, V^T].
template <typename T>
void BlockUpdate<T>::take_coefficients(const RowBlock<T>& block, Index count, Index rank, Index kept) {
  for (Index j = 0; j < kept; ++j) {
    auto of_rows = vectors_.col(j).segment(rank, count);
    if (block.pull != 0.0) {
      const auto u = block.roots.head(count);
      of_rows -= (block.pull * u.dot(of_rows)) * u;
    }
    coefficients_.col(j).head(rank + count) = vectors_.col(j).head(rank + count).template cast<T>();
  }
}

// Sets Z <- [Z, rows^T] times the coefficients.
template <typename T>
void BlockUpdate<T>::rotate(HeldPairs<T>& pairs, simd::RowsView<T> rows, Index kept) {
  copies_.outdate();
  simd::table<T>().rotate(pairs.components.row(0), pairs.components.stride(), pairs.rank, rows,
                          coefficients_.data(), coefficients_.cols(), kept, pairs.components.padded_length(),
                          panel_.data());
}

template <typename T>
void BlockUpdate<T>::settle(HeldPairs<T>& pairs) {
  since_settled_ = 0;
  if (pairs.rank == 0) return;
  if (pairs.settled) return restore(pairs);
  const Index rank = pairs.rank;
  eigen_.matrix(rank) = pairs.inner.topRows(rank);
  const double noise = static_cast<double>(rank) * std::numeric_limits<double>::epsilon();
  const Index found = eigen_.solve_positive(rank, rank, noise);
  pairs.values = eigen_.values();
  const auto vectors = eigen_.vectors(found);
  linalg::operations().multiplier(linalg::padded(rank), found, rank, pairs.normal.data(), pairs.normal.rows(),
                                  vectors.data(), vectors.outerStride(), turn_.row(0), turn_.stride());
  const double drift = find_drift_after_turn(pairs, found);
  if (drift > kTolerance<T>) divide_turn(found);
  apply_turn(pairs, found);
  pairs.rank = found;
  pairs.settled = true;
  if (!(drift < kSmallDrift && cancellation_ < kMostCancellation)) restore(pairs);
}

// Leaves Z^T Z in gram_.
template <typename T>
void BlockUpdate<T>::find_gram(const HeldPairs<T>& pairs) {
  simd::table<T>().gram(pairs.components.view(pairs.rank), pairs.components.padded_length(), gram_.row(0),
                        gram_.stride());
}

// Returns the largest difference between gram_ and the identity.
template <typename T>
double BlockUpdate<T>::drift_of_gram(Index rank) const {
  double drift = 0.0;
  for (Index i = 0; i < rank; ++i) {
    for (Index j = 0; j <= i; ++j) drift = std::max(drift, std::abs(gram_.row(i)[j] - (i == j ? 1.0 : 0.0)));
  }
  return drift;
}

// Returns the drift that Z turn_ would have, and leaves its Gram matrix in gram_: products with the long
// components are computed once, and not for each of the two bases. Also finds cancellation_.
template <typename T>
double BlockUpdate<T>::find_drift_after_turn(const HeldPairs<T>& pairs, Index found) {
  find_gram(pairs);
  auto gram = gram_.columns(pairs.rank).topRows(pairs.rank);
  for (Index i = 0; i < pairs.rank; ++i) {
    for (Index j = 0; j < i; ++j) gram(i, j) = gram(j, i);
  }
  cancellation_ = 0.0;
  for (Index j = 0; j < found; ++j) {
    const auto squares = turn_.columns(found).col(j).head(pairs.rank).cwiseAbs2();
    cancellation_ = std::max(cancellation_, squares.dot(gram.diagonal()));
  }
  const auto padding = turn_.padded_length() - pairs.rank;
  for (Index j = 0; j < found; ++j) std::fill_n(turn_.row(j) + pairs.rank, padding, 0.0);
  const auto& loops = simd::table<double>();
  loops.dots(turn_.view(found), gram_.view(pairs.rank), turn_.padded_length(), turned_.row(0),
             turned_.stride());
  loops.dots(turn_.view(found), turned_.view(found), turn_.padded_length(), gram_.row(0), gram_.stride());
  return drift_of_gram(found);
}

template <typename T>
void BlockUpdate<T>::restore(HeldPairs<T>& pairs) {
  for (int pass = 0; pass < 3; ++pass) {
    find_gram(pairs);
    const double drift = drift_of_gram(pairs.rank);
    if (drift <= kTolerance<T>) return;
    turn_.columns(pairs.rank).setIdentity();
    divide_turn(pairs.rank);
    apply_turn(pairs, pairs.rank);
    if (drift < kSmallDrift) return;
  }
}

// Divides turn_ by the Cholesky factor R of gram_ = R^T R: Z turn_ is then orthonormal. R is triangular, so a
// component is corrected only by those before it, which are more accurate.
template <typename T>
void BlockUpdate<T>::divide_turn(Index count) {
  auto r = gram_.columns(count);
  auto turn = turn_.columns(count);
  for (Index j = 0; j < count; ++j) {
    auto of_j = r.col(j);
    for (Index i = 0; i < j; ++i) of_j[i] = (of_j[i] - of_j.head(i).dot(r.col(i).head(i))) / r(i, i);
    // A component that nearly depends on the others keeps its direction; the next pass orthogonalises it.
    of_j[j] = std::sqrt(std::max(of_j[j] - of_j.head(j).squaredNorm(), 0.01 * of_j[j]));
    for (Index i = 0; i < j; ++i) turn.col(j) -= of_j[i] * turn.col(i);
    turn.col(j) /= of_j[j];
  }
}

// Sets Z <- Z turn_.
template <typename T>
void BlockUpdate<T>::apply_turn(HeldPairs<T>& pairs, Index count) {
  coefficients_.topLeftCorner(pairs.rank, count) =
      turn_.columns(count).topRows(pairs.rank).template cast<T>();
  rotate(pairs, {pairs.components.row(0), 0, 0}, count);
}

template class BlockUpdate<float>;
template class BlockUpdate<double>;

}  // namespace roipca
