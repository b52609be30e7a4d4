#include "sparse/sparse_update.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include "basis/orthonormal.hpp"
#include "linalg/operations.hpp"
#include "linalg/products.hpp"
#include "rules/mu.hpp"

namespace roipca {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
// See BlockUpdate.
constexpr int kUpdatesBetweenSettling = 16;
template <typename T>
constexpr double kSubspaceTolerance = std::is_same_v<T, float> ? 0x1p-21 : 0x1p-40;

// Fraction of a row's square that must remain after subtracting the mean for the difference of products to
// keep half of its digits.
constexpr double kEnough = 1e-8;
// The same for the remainder outside of the components and of other rows: see kClear of BlockSplit. The
// products among rows are in double; those with the components have the rounding of T.
constexpr double kClearOfRows = 0x1p-20;
template <typename T>
constexpr double kClearOfComponents = std::is_same_v<T, float> ? 0x1p-8 : 0x1p-20;
template <typename T>
constexpr double kRoundingOfComponents = 64.0 * double{std::numeric_limits<T>::epsilon()};

}  // namespace

template <typename T>
SparseUpdate<T>::SparseUpdate(const Mu& mu, Index features, Index capacity, Index max_rows)
    : mu_(mu),
      features_(features),
      capacity_(capacity),
      basis_(features, capacity, max_rows),
      values_(Eigen::VectorXd::Zero(capacity)),
      inner_(Small::Zero((capacity + 7) / 8 * 8, capacity)),
      normal_(inner_),
      inside_(max_rows + 1, capacity),
      products_(max_rows + 1, max_rows + 1),
      sizes_(max_rows + 1),
      outside_(max_rows + 1, max_rows + 1),
      eigen_(capacity + max_rows + 1),
      coefficients_(capacity + max_rows + 1, capacity),
      work_(linalg::operations().leading_work(capacity, max_rows + 1)),
      scorer_(capacity, max_rows + 1) {}

template <typename T>
void SparseUpdate<T>::start(const HeldPairs<T>& pairs, const SparseMoments<T>& moments) {
  rank_ = pairs.rank;
  values_ = pairs.values;
  trace_ = pairs.trace;
  settled_ = true;
  basis_.start(pairs.components, rank_, moments);
}

template <typename T>
void SparseUpdate<T>::rescale(double factor) {
  values_ *= factor;
  inner_ *= factor;
  trace_ *= factor;
}

template <typename T>
double SparseUpdate<T>::sum() const {
  return settled_ ? values_.head(rank_).sum() : inner_.diagonal().sum();
}

template <typename T>
HeldEigenvalues SparseUpdate<T>::held(double weight) const {
  const double smallest = rank_ > 0 ? values_[rank_ - 1] : 0.0;
  return {rank_, sum(), smallest, capacity_, features_, trace_, weight};
}

template <typename T>
bool SparseUpdate<T>::absorb(const SparseBlock<T>& block, const SparseMoments<T>& moments,
                             BlockScores& scores) {
  const double before = moments.weight() * block.rescale;
  const double alpha = before > 0.0 ? before / (before + block.weight) : 1.0;
  if (moments.center()) basis_.prepare(alpha, moments);
  basis_.measure(block.rows, moments);
  if (!centre(block, moments)) return false;
  if (!by_own_mean_) score_if_wanted(scores, [&] { score(moments, scores); });
  if (block.rescale != 1.0) rescale(block.rescale);
  const double added = products_.diagonal().head(count_).sum();
  if (!settled_ && ++since_settled_ >= kUpdatesBetweenSettling) find_values();
  const double in_unit = before * moments.unit() * moments.unit();
  if (!advance(block, moments, unheld_eigenvalue(mu_, held(in_unit)))) {
    bool advanced = false;
    if (!settled_) {
      settle();
      advanced = advance(block, moments, unheld_eigenvalue(mu_, held(in_unit)));
    }
    if (!advanced && !solve(block, moments, unheld_eigenvalue(mu_, held(in_unit)))) {
      rescale(1.0 / block.rescale);
      return false;
    }
  }
  trace_ += added;
  return true;
}

template <typename T>
std::optional<ManyRows<T>> SparseUpdate<T>::find_many(const SparseBlock<T>& block,
                                                      const SparseMoments<T>& moments, BlockScores& scores) {
  if (!settled_) {
    count_ = 0;
    settle();
  }
  basis_.collect(moments);
  const double in_unit = moments.weight() * moments.unit() * moments.unit();
  return solve_many(block, moments, basis_,
                    {capacity_, values_.head(rank_), trace_, unheld_eigenvalue(mu_, held(in_unit))}, scores);
}

template <typename T>
bool SparseUpdate<T>::absorb_many(const SparseBlock<T>& block, const SparseMoments<T>& moments,
                                  BlockScores& scores) {
  const auto found = find_many(block, moments, scores);
  if (!found) return false;
  basis_.rebuild(found->rebuilding(), moments);
  rank_ = found->values.size();
  values_.head(rank_) = found->values;
  trace_ = found->trace;
  return true;
}

template <typename T>
std::optional<typename SparseUpdate<T>::Reading> SparseUpdate<T>::read_many(const SparseBlock<T>& block,
                                                                            const SparseMoments<T>& moments,
                                                                            Index count,
                                                                            BlockScores& scores) {
  const auto found = find_many(block, moments, scores);
  if (!found) return std::nullopt;
  Reading reading;
  reading.is_orthonormal = rank_ == 0 && found->is_orthonormal;
  // Others matter if all are orthonormalised, or if the sum of all eigenvalues exceeds the trace by rounding.
  const bool are_independent = reading.is_orthonormal && found->values.sum() <= found->trace;
  const Index all = found->values.size();
  const Index read = are_independent ? std::min(count, all) : all;
  reading.trace = found->trace;
  reading.values = found->values.head(read);
  reading.components.resize_for_overwrite(read, features_);
  const Small turn = found->combination.turn.leftCols(read);
  const Eigen::VectorXd of_mean = found->combination.of_mean.head(read);
  basis_.rebuild_into(
      {turn, found->by_feature, found->combination.of_rows.data(), found->combination.stride, of_mean},
      moments, reading.components.data(), features_);
  return reading;
}

template <typename T>
void SparseUpdate<T>::score(const SparseMoments<T>& moments, BlockScores& scores) {
  const double freedom = moments.freedom();
  if (!(freedom > 0.0)) return;
  const Vector<double> variances = (settled_ ? values_ : inner_.diagonal().eval()) / freedom;
  scorer_.score({.count = count_,
                 .dots = inside_.data(),
                 .dots_stride = inside_.cols(),
                 .products = products_.data(),
                 .products_stride = products_.cols(),
                 .roots = roots_.data(),
                 .pull = pull_},
                rank_, settled_ ? nullptr : &normal_, variances, kScoreNoise<T> * trace_ / freedom, scores);
}

// Computes the coordinates of the rows about the mean, and their products, in the three ways of
// Moments::close.
template <typename T>
bool SparseUpdate<T>::centre(const SparseBlock<T>& block, const SparseMoments<T>& moments) {
  const Index rows = block.rows.count();
  const auto& gram = basis_.gram();
  const Eigen::Map<const Eigen::VectorXd> weights(block.weights.data(), rows);
  const double before = moments.weight() * block.rescale;
  const double after = before + block.weight;
  const double part = before / after;
  const bool centred = moments.center();

  roots_ = weights.cwiseSqrt();
  if (block.is_alone) roots_ *= std::sqrt(part);
  by_own_mean_ = centred && !block.is_alone && part < block_borders::kOutweighed;
  of_jump_ = by_own_mean_ && before > 0.0 ? std::sqrt(part * block.weight) : 0.0;
  pull_ = centred && !block.is_alone && !by_own_mean_ ? (1.0 - std::sqrt(part)) / block.weight : 0.0;
  shares_ = weights / block.weight;

  using Row = Eigen::Map<const Eigen::RowVectorXd>;
  Eigen::RowVectorXd reference = Eigen::RowVectorXd::Zero(rank_);
  Eigen::VectorXd with_reference = Eigen::VectorXd::Zero(rows);
  double reference_squared = 0.0;
  const Row of_mean(basis_.dots(rows), rank_);
  if (by_own_mean_) {
    for (Index i = 0; i < rows; ++i) reference += shares_[i] * Row(basis_.dots(i), rank_);
    with_reference = linalg::apply(gram.topLeftCorner(rows, rows), shares_);
    reference_squared = shares_.dot(with_reference);
  } else if (centred) {
    reference = of_mean;
    with_reference = gram.col(rows).head(rows);
    reference_squared = gram(rows, rows);
  }

  count_ = rows + (of_jump_ > 0.0 ? 1 : 0);
  for (Index i = 0; i < rows; ++i) {
    inside_.row(i).head(rank_) = roots_[i] * (Row(basis_.dots(i), rank_) - reference);
    for (Index j = 0; j <= i; ++j) {
      products_(i, j) = roots_[i] * roots_[j] *
                        ((gram(i, j) - with_reference[i]) - (with_reference[j] - reference_squared));
    }
    sizes_[i] = roots_[i] * roots_[i] * (gram(i, i) + reference_squared);
    if (products_(i, i) < kEnough * sizes_[i]) return false;
  }
  if (of_jump_ > 0.0) {
    const auto with_mean = gram.col(rows).head(rows);
    const double mean_with_reference = shares_.dot(with_mean);
    inside_.row(rows).head(rank_) = of_jump_ * (reference - of_mean);
    for (Index i = 0; i < rows; ++i) {
      products_(rows, i) = of_jump_ * roots_[i] *
                           ((with_reference[i] - with_mean[i]) - (reference_squared - mean_with_reference));
    }
    const double squared = reference_squared - 2.0 * mean_with_reference + gram(rows, rows);
    products_(rows, rows) = of_jump_ * of_jump_ * std::max(squared, 0.0);
    sizes_[rows] = of_jump_ * of_jump_ * (reference_squared + gram(rows, rows));
    if (products_(rows, rows) < kEnough * sizes_[rows]) return false;
  }
  if (pull_ == 0.0) return true;
  // X = (I - pull u u^T) V, as BlockSplit::measure.
  const Eigen::VectorXd along = pull_ * linalg::apply(inside_.topLeftCorner(rows, rank_).transpose(), roots_);
  for (Index i = 0; i < rows; ++i) inside_.row(i).head(rank_) -= roots_[i] * along.transpose();
  auto k = products_.topLeftCorner(rows, rows);
  Eigen::VectorXd shared = pull_ * (k.template selfadjointView<Eigen::Lower>() * roots_);
  shared -= (0.5 * pull_ * roots_.dot(shared)) * roots_;
  for (Index i = 0; i < rows; ++i) {
    k.row(i).head(i + 1) -=
        roots_[i] * shared.head(i + 1).transpose() + shared[i] * roots_.head(i + 1).transpose();
  }
  return true;
}

// See BlockUpdate::advance.
template <typename T>
bool SparseUpdate<T>::advance(const SparseBlock<T>& block, const SparseMoments<T>& moments, double mu) {
  if (rank_ == 0 || rank_ < capacity_) return false;
  const double largest = products_.diagonal().head(count_).maxCoeff();
  if (!(values_[rank_ - 1] > linalg::SymmetricEigen::kGraded * largest)) return false;
  if (settled_) {
    inner_.setZero();
    inner_.diagonal() = values_;
    normal_.setIdentity();
  }
  inner_.diagonal().array() -= mu;
  const Index taking_part = linalg::operations().leading_solver({.k = rank_,
                                                                 .b = count_,
                                                                 .least = values_[rank_ - 1] - mu,
                                                                 .unheld = unknown_of_unheld(held(0.0)),
                                                                 .tolerance = kSubspaceTolerance<T>,
                                                                 .inner = inner_.data(),
                                                                 .normal = normal_.data(),
                                                                 .stride = inner_.rows(),
                                                                 .dots = inside_.data(),
                                                                 .dots_stride = inside_.cols(),
                                                                 .products = products_.data(),
                                                                 .products_stride = products_.cols(),
                                                                 .coefficients = coefficients_.data(),
                                                                 .coefficients_stride = coefficients_.rows(),
                                                                 .work = work_.data()});
  inner_.diagonal().array() += mu;
  if (taking_part == linalg::kNoStep) return false;
  settled_ = false;
  Small turn = Small::Identity(rank_, rank_);
  turn.topRows(taking_part) += coefficients_.topLeftCorner(taking_part, rank_);
  apply(block, moments, taking_part > 0 ? &turn : nullptr,
        coefficients_.block(taking_part, 0, count_, rank_));
  return true;
}

// Computes the eigenvalues of what is held, for a bound on the smallest.
template <typename T>
void SparseUpdate<T>::find_values() {
  since_settled_ = 0;
  eigen_.matrix(rank_) = inner_.topRows(rank_);
  eigen_.solve_positive(rank_, rank_, static_cast<double>(rank_) * kEpsilon);
  values_ = eigen_.values();
}

// Computes the eigenvectors as well, also for the coordinates that were measured.
template <typename T>
void SparseUpdate<T>::settle() {
  since_settled_ = 0;
  eigen_.matrix(rank_) = inner_.topRows(rank_);
  const Index found = eigen_.solve_positive(rank_, rank_, static_cast<double>(rank_) * kEpsilon);
  values_ = eigen_.values();
  const Small turn = linalg::product(normal_.topRows(rank_), eigen_.vectors(found));
  basis_.turn(turn);
  inside_.topLeftCorner(count_, found) = linalg::product(inside_.topLeftCorner(count_, rank_), turn);
  rank_ = found;
  settled_ = true;
}

// See BlockUpdate::solve.
template <typename T>
bool SparseUpdate<T>::solve(const SparseBlock<T>& block, const SparseMoments<T>& moments, double mu) {
  if (!find_outside()) return false;
  const Index order = rank_ + directions_;
  const Index kept = std::min(capacity_, order);
  Small rows(count_, order);
  rows.leftCols(rank_) = inside_.topLeftCorner(count_, rank_);
  rows.rightCols(directions_) = outside_.topLeftCorner(count_, directions_);
  const Eigen::VectorXd diagonal = values_.head(rank_).array() - mu;
  Small vectors(order, kept);
  if (kept > 0) {
    auto a = eigen_.matrix(order);
    linalg::multiply(rows.transpose(), rows, a);
    a.diagonal().head(rank_) += diagonal;
    const Index found =
        eigen_.solve_positive(order, kept, static_cast<double>(order) * kEpsilon, diagonal, rows);
    values_.head(kept) = eigen_.values().head(kept).cwiseMax(0.0).array() + mu;
    vectors = eigen_.vectors(kept);
    if (found < kept) complete<double>(vectors, found);
  }
  // P = (X^T - Q Y^T) W^(-T), of the rows that were pivots.
  Small of_rows = Small::Zero(count_, kept);
  Small turn = vectors.topRows(rank_);
  Small combinations = vectors.bottomRows(directions_);
  for (Index i = directions_ - 1; i >= 0; --i) {
    const Index row = pivots_[static_cast<std::size_t>(i)];
    combinations.row(i) /= outside_(row, i);
    for (Index j = 0; j < i; ++j) combinations.row(j) -= outside_(row, j) * combinations.row(i);
    of_rows.row(row) = combinations.row(i);
    linalg::add_product(-1.0, inside_.row(row).head(rank_).transpose(),
                        Eigen::RowVectorXd(combinations.row(i)), turn);
  }
  rank_ = kept;
  settled_ = true;
  apply(block, moments, &turn, std::move(of_rows));
  return true;
}

// Computes the pivoted Cholesky factor of K - Y Y^T. Returns false if a pivot is neither clear nor rounding.
template <typename T>
bool SparseUpdate<T>::find_outside() {
  RowMajor left = products_.topLeftCorner(count_, count_).template selfadjointView<Eigen::Lower>();
  const auto y = inside_.topLeftCorner(count_, rank_);
  linalg::add_product(-1.0, y, y.transpose(), left);
  Eigen::VectorXd clear(count_);
  Eigen::VectorXd known(count_);
  Eigen::VectorXd rounding(count_);
  for (Index i = 0; i < count_; ++i) {
    const double inside = y.row(i).squaredNorm();
    clear[i] = kClearOfComponents<T> * inside + kClearOfRows * products_(i, i);
    known[i] = kClearOfComponents<T> * inside + kClearOfRows * sizes_[i];
    rounding[i] = kRoundingOfComponents<T> * inside +
                  64.0 * static_cast<double>(rank_ + count_) * kEpsilon * products_(i, i);
  }
  outside_.topLeftCorner(count_, count_).setZero();
  pivots_.clear();
  std::vector<bool> used(static_cast<std::size_t>(count_), false);
  Eigen::VectorXd rest = left.diagonal();
  directions_ = 0;
  while (rank_ + directions_ < features_) {
    // The row with the largest remainder, relative to its size before the mean was subtracted: others may
    // turn out to depend on it. A heavy row is close to the mean of its block, so its remainder has fewer
    // digits.
    Index pivot = -1;
    double best = 0.0;
    bool has_unclear = false;
    for (Index i = 0; i < count_; ++i) {
      if (used[static_cast<std::size_t>(i)] || !(rest[i] > rounding[i])) continue;
      if (!(rest[i] > clear[i])) {
        has_unclear = true;
      } else if (rest[i] > best * known[i]) {
        best = rest[i] / known[i];
        pivot = i;
      }
    }
    if (pivot < 0 && has_unclear) return false;
    if (pivot < 0) break;
    const Index q = directions_++;
    used[static_cast<std::size_t>(pivot)] = true;
    pivots_.push_back(pivot);
    const double root = std::sqrt(rest[pivot]);
    outside_(pivot, q) = root;
    for (Index i = 0; i < count_; ++i) {
      if (used[static_cast<std::size_t>(i)]) continue;
      outside_(i, q) = (left(i, pivot) - outside_.row(i).head(q).dot(outside_.row(pivot).head(q))) / root;
      rest[i] -= outside_(i, q) * outside_(i, q);
    }
  }
  return true;
}

// Sets B <- B turn + (rows about the mean)^T of_virtual, expressed by the rows and the mean.
template <typename T>
void SparseUpdate<T>::apply(const SparseBlock<T>& block, const SparseMoments<T>& moments, const Small* turn,
                            Small of_virtual) {
  const Index rows = block.rows.count();
  auto of_rows = of_virtual.topRows(rows);
  if (pull_ != 0.0) {
    const Eigen::VectorXd along = linalg::apply(of_rows.transpose(), roots_);
    for (Index j = 0; j < of_rows.cols(); ++j) of_rows.col(j) -= (pull_ * along[j]) * roots_;
  }
  const Eigen::VectorXd total = linalg::apply(of_rows.transpose(), roots_);
  typename SparseBasis<T>::Change change;
  change.turn = turn;
  change.of_rows = roots_.asDiagonal() * of_rows;
  change.of_mean = Eigen::VectorXd::Zero(total.size());
  change.beta = Eigen::VectorXd::Zero(rows);
  if (moments.center()) {
    if (by_own_mean_) {
      const Eigen::VectorXd jump = of_jump_ > 0.0 ? (of_jump_ * of_virtual.row(rows).transpose()).eval()
                                                  : Eigen::VectorXd::Zero(total.size()).eval();
      change.of_rows += shares_ * (jump - total).transpose();
      change.of_mean = jump;
    } else {
      change.of_mean = total;
    }
    const double before = moments.weight() * block.rescale;
    change.alpha = before > 0.0 ? before / (before + block.weight) : 1.0;
    change.beta = shares_ * (block.weight / (before + block.weight));
  }
  basis_.update(block.rows, std::move(change), moments);
}

template <typename T>
HeldPairs<T> SparseUpdate<T>::pairs(const SparseMoments<T>& moments) const {
  HeldPairs<T> pairs(basis_.gathered(moments), capacity_);
  pairs.values = values_;
  pairs.inner = inner_;
  pairs.normal = normal_;
  pairs.trace = trace_;
  pairs.rank = rank_;
  pairs.settled = settled_;
  return pairs;
}

template <typename T>
void SparseUpdate<T>::visit_state(state::Archive& archive) {
  archive.count(rank_, capacity_);
  archive(basis_, values_, trace_, settled_, since_settled_);
  if (!settled_) archive(inner_, normal_);
}

template class SparseUpdate<float>;
template class SparseUpdate<double>;

}  // namespace roipca
