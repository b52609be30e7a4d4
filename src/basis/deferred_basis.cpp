#include "basis/deferred_basis.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace roipca {
namespace {

// Fraction of a squared length that must remain after a projection for the remainder to be orthogonal to
// about three roundings, and for its length to follow from the difference of squares. If less remains, a
// second projection is enough (Kahan and Parlett).
constexpr double kLeftAfterOnePass = 0.1;

// Largest squared ratio of the part that a later pass removes to the part it leaves, for the pass to be the
// last: see Splitter.
constexpr double kTakenByLastPass = 0x1p-20;

// Per row, applying costs 2 k (k + b) d / b operations, which favours a large b; projecting costs 2 (k + b) d
// and turning C 2 k^2 (k + b), which favour a small one. Measured for k of 20 and 60: flat around k / 2.
template <typename T>
Index block_rows(Index capacity) {
  constexpr Index kGroup = DeferredBasis<T>::kGroup;
  return (std::clamp<Index>(capacity / 2, 8, 64) + kGroup - 1) / kGroup * kGroup;
}

Index padded(Index count) {
  constexpr Index kLane = simd::kLane<double>;
  return (count + kLane - 1) / kLane * kLane;
}

double squared(const double* x, Index count) {
  return Eigen::Map<const Vector<double>>(x, count).squaredNorm();
}

}  // namespace

template <typename T>
DeferredBasis<T>::DeferredBasis(Index features, Index capacity)
    : block_(block_rows<T>(capacity)),
      rows_(capacity + block_, features),
      turn_(capacity, capacity + block_),
      coordinates_(kGroup, capacity + block_),
      correction_(kGroup, capacity + block_),
      splitter_(capacity + block_),
      z_(Vector<double>::Zero(capacity)),
      minus_z_(Vector<double>::Zero(capacity + 1)),
      coefficients_(capacity + block_ + kGroup, std::max(capacity, kGroup)),
      small_coefficients_(capacity + 1, capacity),
      panel_(simd::panel_size<T>(coefficients_.rows())),
      small_panel_(simd::panel_size<double>(small_coefficients_.rows())) {}

template <typename T>
void DeferredBasis<T>::start(const Eigen::Ref<const Matrix<T>>& columns) {
  rank_ = count_ = columns.cols();
  waiting_ = 0;
  rows_.columns(rank_) = columns;
  reset_turn();
}

template <typename T>
void DeferredBasis<T>::project(const double* squared_norms) {
  const auto& kernel = simd::table<T>();
  const auto u = rows_.view(count_);
  const simd::RowsView<T> group{rows_.row(count_), rows_.stride(), waiting_};
  coordinates_.columns(kGroup).setZero();
  kernel.dots(group, u, rows_.padded_length(), coordinates_.row(0), coordinates_.stride());
  take_off(rows_.row(count_), waiting_, u, coordinates_.row(0), coordinates_.stride(), 1.0);
  bool again = false;
  for (Index i = 0; i < waiting_; ++i) {
    again |= squared(coordinates_.row(i), count_) > (1.0 - kLeftAfterOnePass) * squared_norms[i];
  }
  for (int pass = 1; again && pass < kMostPasses; ++pass) {
    kernel.dots(group, u, rows_.padded_length(), correction_.row(0), correction_.stride());
    take_off(rows_.row(count_), waiting_, u, correction_.row(0), correction_.stride(), 1.0);
    coordinates_.columns(waiting_).topRows(count_) += correction_.columns(waiting_).topRows(count_);
    again = false;
    for (Index i = 0; i < waiting_; ++i) {
      const T* row = rows_.row(count_ + i);
      double left = 0.0;
      kernel.dots({row, 0, 1}, {row, 0, 1}, rows_.padded_length(), &left, 1);
      const bool is_noise = left <= kNoise<T> * kNoise<T> * squared_norms[i];
      again |= !is_noise && squared(correction_.row(i), count_) > kTakenByLastPass * left;
    }
  }
  first_ = count_;
  waiting_ = 0;
}

// The remainder of row i outside of U and of the earlier rows of the group is appended to U as a new
// direction, if it exceeds noise.
template <typename T>
void DeferredBasis<T>::add_direction(Index i, double squared_norm, double noise) {
  const Index length = rows_.padded_length();
  double* y = coordinates_.row(i);
  T* x = rows_.row(count_);
  if (first_ + i > count_) std::copy_n(rows_.row(first_ + i), length, x);

  // One pass computes the products with the group's directions and with the row itself.
  const Index earlier = count_ - first_;
  const simd::RowsView<T> group{rows_.row(first_), rows_.stride(), earlier};
  simd::table<T>().dots({group.data, group.stride, earlier + 1}, {x, 0, 1}, length, y + first_, 1);
  const double before = y[count_];
  y[count_] = 0.0;
  if (std::sqrt(before) <= noise) return;
  double left = before - squared(y + first_, earlier);
  if (left > kLeftAfterOnePass * before) {
    left = std::sqrt(left);
    take_off(x, 1, group, y + first_, 1, 1.0 / left);
  } else {
    // The remainder is small compared with the rounding of the projections so far: project again, onto all
    // directions.
    std::fill_n(y + first_, earlier, 0.0);
    left = splitter_.split(rows_.view(count_), length, squared_norm, x);
    Eigen::Map<Vector<double>>(y, count_) += splitter_.coordinates().head(count_);
    if (left == 0.0) return;
    take_off(x, 1, {x, 0, 0}, y, 1, 1.0 / left);
  }
  y[count_++] = left;
}

template <typename T>
double DeferredBasis<T>::split(Index i, double squared_norm) {
  const double noise = kNoise<T> * std::sqrt(squared_norm);
  add_direction(i, squared_norm, noise);
  // In the coordinates of U: z = C^T y, and y becomes y - C z.
  const auto& kernel = simd::table<double>();
  current_ = i;
  double* y = coordinates_.row(i);
  const Index length = padded(count_);
  auto minus_z = minus_z_.head(rank_ + 1);
  z_.head(rank_).setZero();
  double before = squared(y, count_);
  for (int pass = 0; pass < kMostPasses; ++pass) {
    kernel.dots(turn_.view(rank_), {y, 0, 1}, length, minus_z.data() + 1, 1);
    z_.head(rank_) += minus_z.tail(rank_);
    minus_z *= -1.0;
    minus_z[0] = 1.0;
    kernel.rotate(y, 0, 1, turn_.view(rank_), minus_z.data(), 1, 1, length, small_panel_.data());
    const double left = squared(y, count_);
    residual_ = std::sqrt(left);
    if (left > kLeftAfterOnePass * before) break;
    before = left;
  }
  if (residual_ <= noise) residual_ = 0.0;
  return residual_;
}

template <typename T>
void DeferredBasis<T>::rotate(const Eigen::Ref<const Matrix<double>>& v) {
  const Index kept = v.cols();
  auto coefficients = small_coefficients_.topLeftCorner(v.rows(), kept);
  coefficients = v;
  if (v.rows() > rank_) coefficients.row(rank_) /= residual_;
  const simd::RowsView<double> r{coordinates_.row(current_), 0, v.rows() - rank_};
  simd::table<double>().rotate(turn_.row(0), turn_.stride(), rank_, r, small_coefficients_.data(),
                               small_coefficients_.cols(), kept, padded(count_), small_panel_.data());
  rank_ = kept;
  ++taken_;
}

template <typename T>
void DeferredBasis<T>::apply() {
  if (taken_ == 0) return;
  coefficients_.topLeftCorner(count_, rank_) = turn_.columns(rank_).topRows(count_).template cast<T>();
  simd::table<T>().rotate(rows_.row(0), rows_.stride(), count_, {rows_.row(0), 0, 0}, coefficients_.data(),
                          coefficients_.cols(), rank_, rows_.padded_length(), panel_.data());
  count_ = rank_;
  reset_turn();
}

// Sets rows <- scale (rows - products directions).
template <typename T>
void DeferredBasis<T>::take_off(T* rows, Index count, simd::RowsView<T> directions, const double* products,
                                Index products_stride, double scale) {
  auto own = coefficients_.topLeftCorner(count, count);
  own.setZero();
  own.diagonal().setConstant(static_cast<T>(scale));
  for (Index j = 0; j < directions.count; ++j) {
    for (Index i = 0; i < count; ++i) {
      coefficients_(count + j, i) = static_cast<T>(-scale * products[i * products_stride + j]);
    }
  }
  simd::table<T>().rotate(rows, rows_.stride(), count, directions, coefficients_.data(), coefficients_.cols(),
                          count, rows_.padded_length(), panel_.data());
}

template <typename T>
void DeferredBasis<T>::reset_turn() {
  auto turn = turn_.columns(z_.size());
  turn.setZero();
  turn.diagonal().head(rank_).setOnes();
  taken_ = 0;
}

template class DeferredBasis<float>;
template class DeferredBasis<double>;

}  // namespace roipca
