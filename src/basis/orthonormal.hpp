/// Orthonormality of the d-long columns: measured, restored, completed.
#pragma once

#include <cstdint>
#include <limits>

#include "basis/rotation.hpp"
#include "linalg/eigen_types.hpp"

namespace roipca {

/// Orthonormalises the columns in their order, each kept in its place and on its side (modified Gram-Schmidt,
/// twice). A column that the ones before it already span is replaced by another direction; its sign is
/// arbitrary.
template <typename T>
void orthonormalise(Eigen::Ref<Matrix<T>> q);

/// Orthonormalises unit columns in their order and leaves out those that the ones before them span, with
/// their values. Returns how many are left, at the front.
template <typename T>
Index orthonormalise_independent(Eigen::Ref<Matrix<T>> q, Eigen::Ref<Vector<double>> values);

/// Fills the columns from `rank` on so that all are orthonormal: the same columns for the same input.
template <typename T>
void complete(Eigen::Ref<Matrix<T>> q, Index rank);

/// Keeps a basis orthonormal that is rotated by rounded rotations for ever.
template <typename T>
class DriftGuard {
 public:
  explicit DriftGuard(Index max_columns);
  /// Looks after every `interval` updates, where an update itself costs so much that this is little.
  DriftGuard(Index max_columns, Index interval);

  /// Called after `count` updates, with the number of updates before them, so that a stream that is taken up
  /// again is watched at the same places. Now and then, and often at first, measures max |Q^T Q - I| and,
  /// where it passed the tolerance, replaces Q by the nearest orthonormal basis (its polar factor), which
  /// leaves each column in its place; a basis that is lost, with columns times |Q^T Q - I| above 1/2, by its
  /// Gram-Schmidt basis. Costs less than a tenth of an update that is O(columns x features), on average.
  void watch(Eigen::Ref<Matrix<T>> q, std::int64_t before, std::int64_t count = 1);

  /// Drift above which Q is restored: a few hundred roundings, which a thousand updates do not reach. Half of
  /// what Model promises, because nobody looks between.
  static constexpr double tolerance() { return 256.0 * double{std::numeric_limits<T>::epsilon()}; }

 private:
  double measure(const Eigen::Ref<Matrix<T>>& q);
  void step_towards_polar_factor(Eigen::Ref<Matrix<T>> q);

  Index interval_ = 0;  // 0: by the number of columns
  Rotation<T> rotation_;
  Matrix<T> column_;     // one column of the Gram matrix
  Matrix<double> gram_;  // Q^T Q
};

extern template class DriftGuard<float>;
extern template class DriftGuard<double>;

}  // namespace roipca
