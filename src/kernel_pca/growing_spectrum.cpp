#include "kernel_pca/growing_spectrum.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "rules/mu.hpp"
#include "simd/table.hpp"

namespace roipca {
namespace {

constexpr double kNoise = 16.0;  // a number below this many roundings counts as rounding

constexpr Index round_up(Index x, Index to) { return (x + to - 1) / to * to; }

// The part of a column that the loops of simd read.
Index padded(Index rows) { return round_up(rows, simd::kLane<double>); }

// The space of a column for a number of rows, so that columns are an odd number of cache lines apart.
Index room_for(Index rows) {
  constexpr Index kLine = 8;
  return (padded(rows) / kLine | 1) * kLine;
}

// basis <- basis * coefficients.
void turn_columns(Matrix<double>& basis, Index rows, const RowMatrix<double>& coefficients, Index order,
                  Index columns, Vector<double>& panel) {
  simd::table<double>().rotate(basis.data(), basis.outerStride(), order, {basis.data(), 0, 0},
                               coefficients.data(), coefficients.outerStride(), columns, padded(rows),
                               panel.data());
}

std::span<const double> span_of(const Vector<double>& v, Index size) {
  return {v.data(), static_cast<std::size_t>(size)};
}

Eigen::Map<const Matrix<double>> vectors_of(const secular::RankOneEigen& eigen) {
  const auto order = static_cast<Index>(eigen.order());
  return {eigen.vectors().data(), order, order};
}

}  // namespace

GrowingSpectrum::GrowingSpectrum(std::optional<Index> capacity, bool center)
    : capacity_(capacity), center_(center) {
  reserve(1, std::min<Index>(16, capacity.value_or(16)));
}

// Grows by half, so that an appended row costs O(k) on average. All allocations are here, before anything
// changes.
void GrowingSpectrum::reserve(Index size, Index columns) {
  if (padded(size) > basis_.rows()) {
    const Index before = basis_.rows();
    const Index room = room_for(std::max<Index>({64, size, before + before / 2}));
    sums_.conservativeResize(room);
    border_.conservativeResize(room);
    basis_.conservativeResize(room, basis_.cols());
    basis_.bottomRows(room - before).setZero();
  }
  if (columns + 2 > basis_.cols()) {
    const Index before = basis_.cols();
    const Index grown = std::max(columns, rank_ + rank_ / 2);
    const Index room = std::min(grown, capacity_.value_or(grown)) + 2;
    for (auto* v : {&values_, &z_, &poles_, &up_, &down_, &down_turned_}) v->conservativeResize(room);
    places_.resize(static_cast<std::size_t>(room));
    kept_.reserve(static_cast<std::size_t>(room));
    turn_.setZero(room_for(room), room);
    coefficients_.resize(room, room);
    panel_.resize(simd::panel_size<double>(room));
    upward_ = secular::RankOneEigen(static_cast<std::size_t>(room));
    downward_ = secular::RankOneEigen(static_cast<std::size_t>(room));
    guard_ = DriftGuard<double>(room);
    basis_.conservativeResize(basis_.rows(), room);
    basis_.rightCols(room - before).setZero();
  }
}

void GrowingSpectrum::append(const Eigen::Ref<const Vector<double>>& column, double diagonal) {
  reserve(size_ + 1, std::min(rank_ + 1, capacity_.value_or(rank_ + 1)));
  const double column_norm = column.norm();
  const double corner = set_border(column, diagonal);
  const double residual = split_border(column_norm);
  const Index order = rank_ + (residual > 0.0 ? 2 : 1);
  add_new_coordinate(order - 1);
  solve(corner, residual, order);

  sums_.head(size_) += column;
  sums_[size_] = column.sum() + diagonal;
  total_ += 2.0 * column.sum() + diagonal;
  largest_diagonal_ = std::max(largest_diagonal_, std::abs(diagonal));
  trace_ += corner;
  ++size_;
  choose(order, kNoise * kEpsilon * std::max(largest_diagonal_, std::abs(poles_[0])));
  rotate(order);
  guard_.watch(basis_.topLeftCorner(size_, rank_), size_ - 1);
}

// Computes the border of the old matrix in the basis extended by u: |u| c, and the corner |u|^2 beta.
double GrowingSpectrum::set_border(const Eigen::Ref<const Vector<double>>& column, double diagonal) {
  auto border = border_.head(size_);
  border = column;
  if (!center_) return diagonal;
  if (size_ == 0) return 0.0;
  const auto n = static_cast<double>(size_);
  const double column_mean = column.sum() / n;
  const double mean_squared = total_ / (n * n);
  const double length = std::sqrt(n / (n + 1.0));  // |u|
  border -= sums_.head(size_) / n;
  border.array() += mean_squared - column_mean;
  border *= length;
  return length * length * (diagonal - 2.0 * column_mean + mean_squared);
}

// Splits border = Q z + r, and appends r to the columns of Q as a unit vector. Returns |r|, or 0 if r is only
// rounding.
double GrowingSpectrum::split_border(double column_norm) {
  const auto q = basis_.topLeftCorner(size_, rank_);
  auto z = z_.head(rank_);
  auto r = basis_.col(rank_).head(size_);
  r = border_.head(size_);
  const double whole = r.norm();
  z.setZero();
  const Index free = size_ - rank_ - (center_ ? 1 : 0);
  double rest = whole;
  for (int pass = 0; pass < 2; ++pass) {
    poles_.head(rank_).noalias() = q.transpose() * r;
    z += poles_.head(rank_);
    r.noalias() -= q * poles_.head(rank_);
    if (center_ && size_ > 0) r.array() -= r.mean();
    rest = r.norm();
    if (rest >= 0.7 * whole) break;
  }
  if (free <= 0 || rest <= kNoise * kEpsilon * std::max(whole, column_norm)) return 0.0;
  r /= rest;
  return rest;
}

// Appends -u / |u| to the basis, and the missing last entry to the other columns.
void GrowingSpectrum::add_new_coordinate(Index place) {
  basis_.row(size_).head(place).setZero();
  auto added = basis_.col(place).head(size_ + 1);
  added.setZero();
  added[size_] = 1.0;
  if (!center_ || size_ == 0) return;
  const auto n = static_cast<double>(size_);
  added.head(size_).setConstant(-1.0 / std::sqrt(n * (n + 1.0)));
  added[size_] = std::sqrt(n / (n + 1.0));
}

// Computes the eigenpairs of diag(lambda, mu, 0) with a border (z, |r|) and the corner added to its last
// entry: poles_ and their vectors. The border is the difference of two rank-one matrices along its own
// eigenvectors, which are orthonormal, so neither is larger than the border itself, and nothing cancels.
void GrowingSpectrum::solve(double corner, double residual, Index order) {
  const Index last = order - 1;
  double mu = 0.0;
  if (capacity_ && rank_ > 0 && values_[rank_ - 1] > 0.0) {
    mu = unheld_eigenvalue(Mu::mean(), values(), *capacity_, size_ - (center_ ? 1 : 0), trace_, 0.0);
  }
  if (residual > 0.0) z_[rank_] = residual;
  const auto border = z_.head(last);
  const double length = border.norm();
  const double larger = 0.5 * (std::abs(corner) + std::hypot(corner, 2.0 * length));
  const double smaller = larger > 0.0 ? length * (length / larger) : 0.0;
  const double norm = std::hypot(larger, length);
  const double cosine = norm > 0.0 ? larger / norm : 1.0;
  const double sine = norm > 0.0 ? length / norm : 0.0;
  const double sign = corner >= 0.0 ? 1.0 : -1.0;  // of the larger eigenvalue
  Vector<double>& major = sign > 0.0 ? up_ : down_;
  Vector<double>& minor = sign > 0.0 ? down_ : up_;

  const auto pole = [&](Index i) { return i < rank_ ? values_[i] : (i < last ? mu : 0.0); };
  const auto places = std::span(places_).first(static_cast<std::size_t>(order));
  std::iota(places.begin(), places.end(), Index{0});
  std::stable_sort(places.begin(), places.end(), [&](Index a, Index b) { return pole(a) > pole(b); });
  for (Index i = 0; i < order; ++i) {
    const Index place = places[static_cast<std::size_t>(i)];
    poles_[i] = pole(place);
    const bool is_new = place == last;
    const double along = is_new || length == 0.0 ? 0.0 : border[place] / length;
    major[i] = is_new ? sign * cosine : sine * along;
    minor[i] = is_new ? -sign * sine : cosine * along;
  }

  upward_.compute(span_of(poles_, order), span_of(up_, order), sign > 0.0 ? larger : smaller);
  down_turned_.head(order).noalias() = vectors_of(upward_).transpose() * down_.head(order);
  downward_.compute(upward_.values(), span_of(down_turned_, order), sign > 0.0 ? -smaller : -larger);
  std::copy_n(downward_.values().begin(), order, poles_.begin());
}

// Chooses the new eigenpairs to hold.
void GrowingSpectrum::choose(Index order, double noise) {
  kept_.clear();
  for (Index i = 0; i < order; ++i) {
    if (std::abs(poles_[i]) > noise) kept_.push_back(i);
  }
  if (capacity_) kept_.resize(std::min(kept_.size(), static_cast<std::size_t>(*capacity_)));
  rank_ = static_cast<Index>(kept_.size());
  for (Index j = 0; j < rank_; ++j) values_[j] = poles_[kept_[static_cast<std::size_t>(j)]];
}

// Rotates the extended basis to these, by the product of the vectors of both updates.
void GrowingSpectrum::rotate(Index order) {
  for (Index i = 0; i < order; ++i) {
    turn_.row(places_[static_cast<std::size_t>(i)]).head(order) = vectors_of(upward_).row(i);
  }
  for (Index j = 0; j < rank_; ++j) {
    coefficients_.col(j).head(order) = vectors_of(downward_).col(kept_[static_cast<std::size_t>(j)]);
  }
  turn_columns(turn_, order, coefficients_, order, rank_, panel_);
  coefficients_.topLeftCorner(order, rank_) = turn_.topLeftCorner(order, rank_);
  turn_columns(basis_, size_, coefficients_, order, rank_, panel_);
}

Vector<double> GrowingSpectrum::column_means() const {
  if (!center_ || size_ == 0) return Vector<double>::Zero(size_);
  return sums_.head(size_) / static_cast<double>(size_);
}

void GrowingSpectrum::visit_state(state::Archive& archive) {
  Index size = size_;
  Index rank = rank_;
  archive.count(size, std::numeric_limits<Index>::max());
  archive.count(rank, capacity_.value_or(size));
  reserve(size, rank);
  size_ = size;
  rank_ = rank;
  archive(trace_, largest_diagonal_, total_, sums_.topRows(size_), values_.topRows(rank_));
  archive(basis_.topLeftCorner(size_, rank_));
}

}  // namespace roipca
