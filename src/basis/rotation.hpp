/// Products of the tall basis with small matrices, in place.
#pragma once

#include "roipca/types.hpp"

namespace roipca {

/// Applies small matrices to the d-long columns of a basis, a slab of features at a time, so that the slab
/// stays in the first cache and no second basis is needed. Allocates at construction only.
template <typename T>
class Rotation {
 public:
  explicit Rotation(Index max_columns);

  /// basis[:, :k] <- [basis[:, :r], extra] * v, where v is (r + 1) x k, or r x k when `extra` is empty (size
  /// 0).
  void apply(Eigen::Ref<Matrix<T>> basis, const Eigen::Ref<const Vector<T>>& extra,
             const Eigen::Ref<const Matrix<double>>& v);

  /// basis <- basis + (basis * left) * right^T + extra * row^T, for left and right with at most 7 columns:
  /// O(d r) where `apply` takes O(d r^2). `extra` may be empty (size 0).
  void add_low_rank(Eigen::Ref<Matrix<T>> basis, const Eigen::Ref<const Matrix<double>>& left,
                    const Eigen::Ref<const Matrix<double>>& right, const Eigen::Ref<const Vector<T>>& extra,
                    const Eigen::Ref<const Vector<double>>& row);

 private:
  Matrix<T> slab_;
  Matrix<T> small_;
  Matrix<T> right_;
};

extern template class Rotation<float>;
extern template class Rotation<double>;

}  // namespace roipca
