/// Measures, restores and completes the orthonormality of columns of length d.
#pragma once

#include <cstdint>
#include <limits>

#include "linalg/eigen_types.hpp"

namespace roipca {

/// Orthonormalises the columns in their order. Each keeps its place and its sign (modified Gram-Schmidt,
/// twice). A column that is in the span of the columns before it is replaced by another direction, whose sign
/// is arbitrary.
template <typename T>
void orthonormalise(Eigen::Ref<Matrix<T>> q);

/// Orthonormalises unit columns in their order, and removes those that are in the span of the columns before
/// them, with their values. Returns the number of remaining columns, which are at the front.
template <typename T>
Index orthonormalise_independent(Eigen::Ref<Matrix<T>> q, Eigen::Ref<Vector<double>> values);

/// Fills the columns from `rank` on so that all columns are orthonormal. The result is the same for the same
/// input.
template <typename T>
void complete(Eigen::Ref<Matrix<T>> q, Index rank);

/// Keeps a basis orthonormal although rounded rotations are applied to it without end.
template <typename T>
class DriftGuard {
 public:
  explicit DriftGuard(Index max_columns);
  /// Checks after every `interval` updates, for updates so expensive that the check costs little beside them.
  DriftGuard(Index max_columns, Index interval);

  /// Call it after `count` updates, with the number of updates before them, so that a resumed stream is
  /// checked at the same places. At some of the updates, often at first, it measures max |Q^T Q - I|. If that
  /// exceeds the tolerance, Q is replaced by the nearest orthonormal basis (its polar factor), which leaves
  /// each column in its place. A basis that is lost, with columns times |Q^T Q - I| above 1/2, is replaced by
  /// its Gram-Schmidt basis. On average, the cost is less than a tenth of an update that is O(columns x
  /// features).
  void watch(Eigen::Ref<Matrix<T>> q, std::int64_t before, std::int64_t count = 1);

  /// Drift above which Q is restored: a few hundred roundings, which a thousand updates do not reach. It is
  /// half of what Model promises, because Q is not checked at every update.
  static constexpr double tolerance() { return 256.0 * double{std::numeric_limits<T>::epsilon()}; }

 private:
  double measure(const Eigen::Ref<Matrix<T>>& q);
  void step_towards_polar_factor(Eigen::Ref<Matrix<T>> q);

  Index interval_ = 0;   // 0: by the number of columns
  Matrix<T> slab_;       // a few features of Q
  Matrix<T> turn_;       // the combinations of its columns
  Matrix<T> column_;     // one column of the Gram matrix
  Matrix<double> gram_;  // Q^T Q
};

extern template class DriftGuard<float>;
extern template class DriftGuard<double>;

}  // namespace roipca
