#include "basis/orthonormal.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace roipca {
namespace {

// Up to this |Q^T Q - I| the Newton steps below converge, and each squares it: 0.5, 0.2, 4e-2, 1e-3, 9e-7,
// 7e-13, 3e-25. Beyond it the basis is lost rather than drifted, and Gram-Schmidt computes a new one.
constexpr double kNewtonReach = 0.5;
constexpr int kNewtonSteps = 7;

constexpr Index kSlab = 64;  // features at a time: 64 x 40 doubles fit into the first-level cache

template <typename T>
double norm(const Eigen::Ref<const Vector<T>>& v) {
  return std::sqrt(v.template cast<double>().squaredNorm());
}

// Subtracts the parts along `done` orthonormal columns from column `j`, and returns the length of the
// remainder.
template <typename T>
double project_out(Eigen::Ref<Matrix<T>> q, Index done, Index j) {
  auto column = q.col(j);
  for (Index i = 0; i < done; ++i) column -= q.col(i).dot(column) * q.col(i);
  return norm<T>(column);
}

// Sets column `j` to the axis that the columns before it cover least, orthonormalised. They cover at most j /
// d of its squared length, so that a remainder is left.
template <typename T>
void set_to_free_axis(Eigen::Ref<Matrix<T>> q, Index j) {
  Index axis = 0;
  if (j > 0) q.leftCols(j).rowwise().squaredNorm().minCoeff(&axis);
  q.col(j).setZero();
  q(axis, j) = T{1};
  for (int pass = 0; pass < 2; ++pass) {
    const double length = project_out<T>(q, j, j);
    q.col(j) *= static_cast<T>(1.0 / length);
  }
}

}  // namespace

template <typename T>
void orthonormalise(Eigen::Ref<Matrix<T>> q) {
  // A remainder of a unit vector below this is rounding of the part that was subtracted.
  constexpr double kGone = 64.0 * double{std::numeric_limits<T>::epsilon()};
  for (Index j = 0; j < q.cols(); ++j) {
    double length = norm<T>(q.col(j));
    bool usable = length > 0.0 && std::isfinite(length);
    for (int pass = 0; pass < 2 && usable; ++pass) {
      q.col(j) *= static_cast<T>(1.0 / length);
      length = project_out<T>(q, j, j);
      usable = length > kGone;
    }
    if (usable) {
      q.col(j) *= static_cast<T>(1.0 / length);
    } else {
      set_to_free_axis<T>(q, j);
    }
  }
}

template <typename T>
Index orthonormalise_independent(Eigen::Ref<Matrix<T>> q, Eigen::Ref<Vector<double>> values) {
  // Columns that are nearly orthogonal lose little. A column that loses half of its digits is not a direction
  // of its own.
  const double gone = std::sqrt(double{std::numeric_limits<T>::epsilon()});
  Index kept = 0;
  for (Index j = 0; j < q.cols(); ++j) {
    if (kept < j) q.col(kept) = q.col(j);
    if (project_out<T>(q, kept, kept) <= gone) continue;
    q.col(kept) *= static_cast<T>(1.0 / norm<T>(q.col(kept)));
    q.col(kept) *= static_cast<T>(1.0 / project_out<T>(q, kept, kept));
    values[kept++] = values[j];
  }
  return kept;
}

template <typename T>
void complete(Eigen::Ref<Matrix<T>> q, Index rank) {
  for (Index j = rank; j < q.cols(); ++j) set_to_free_axis<T>(q, j);
}

template <typename T>
DriftGuard<T>::DriftGuard(Index max_columns)
    : slab_(kSlab, max_columns),
      turn_(max_columns, max_columns),
      column_(max_columns, 1),
      gram_(max_columns, max_columns) {}

template <typename T>
DriftGuard<T>::DriftGuard(Index max_columns, Index interval) : DriftGuard(max_columns) {
  interval_ = interval;
}

template <typename T>
double DriftGuard<T>::measure(const Eigen::Ref<Matrix<T>>& q) {
  const Index k = q.cols();
  for (Index j = 0; j < k; ++j) {
    column_.col(0).head(j + 1).noalias() = q.leftCols(j + 1).transpose() * q.col(j);
    gram_.col(j).head(j + 1) = column_.col(0).head(j + 1).template cast<double>();
    gram_.row(j).head(j) = gram_.col(j).head(j).transpose();
  }
  double drift = 0.0;
  for (Index j = 0; j < k; ++j) {
    for (Index i = 0; i <= j; ++i) drift = std::max(drift, std::abs(gram_(i, j) - (i == j ? 1.0 : 0.0)));
  }
  return drift;
}

// Takes one Newton-Schulz step towards the polar factor, Q (3 I - Q^T Q) / 2, with the Q^T Q that was
// measured last.
template <typename T>
void DriftGuard<T>::step_towards_polar_factor(Eigen::Ref<Matrix<T>> q) {
  auto turn = turn_.topLeftCorner(q.cols(), q.cols());
  auto gram = gram_.topLeftCorner(q.cols(), q.cols());
  gram *= -0.5;
  gram.diagonal().array() += 1.5;
  turn = gram.template cast<T>();
  for (Index start = 0; start < q.rows(); start += kSlab) {
    const Index count = std::min(kSlab, q.rows() - start);
    auto slab = slab_.topLeftCorner(count, q.cols());
    slab = q.middleRows(start, count);
    for (Index j = 0; j < q.cols(); ++j) q.col(j).segment(start, count).noalias() = slab * turn.col(j);
  }
}

template <typename T>
void DriftGuard<T>::watch(Eigen::Ref<Matrix<T>> q, std::int64_t before, std::int64_t count) {
  const Index interval = interval_ > 0 ? interval_ : std::max<Index>(128, 10 * q.cols());
  // Also checks at powers of two, because the first rows turn the components most.
  const bool early = before + count < interval && std::bit_ceil(static_cast<std::uint64_t>(before) + 1) <=
                                                      static_cast<std::uint64_t>(before + count);
  if (!early && (before + count) / interval == before / interval) return;
  double drift = measure(q);
  if (drift <= tolerance()) return;
  const auto norm_bound = [&] { return drift * static_cast<double>(q.cols()); };
  if (!(norm_bound() <= kNewtonReach)) {
    orthonormalise<T>(q);
    return;
  }
  // A step that starts below the root of epsilon is the last one: its remainder is rounding.
  const double last = std::sqrt(double{std::numeric_limits<T>::epsilon()});
  for (int step = 0; step < kNewtonSteps; ++step) {
    step_towards_polar_factor(q);
    if (norm_bound() <= last) return;
    drift = measure(q);
  }
}

template class DriftGuard<float>;
template class DriftGuard<double>;
template void orthonormalise<float>(Eigen::Ref<Matrix<float>>);
template void orthonormalise<double>(Eigen::Ref<Matrix<double>>);
template Index orthonormalise_independent<float>(Eigen::Ref<Matrix<float>>, Eigen::Ref<Vector<double>>);
template Index orthonormalise_independent<double>(Eigen::Ref<Matrix<double>>, Eigen::Ref<Vector<double>>);
template void complete<float>(Eigen::Ref<Matrix<float>>, Index);
template void complete<double>(Eigen::Ref<Matrix<double>>, Index);

}  // namespace roipca
