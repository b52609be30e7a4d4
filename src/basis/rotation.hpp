/// Products of the tall basis with small matrices, in place.
#pragma once

#include "linalg/eigen_types.hpp"

namespace roipca {

/// Applies small matrices to the columns of length d of a basis, one slab of features at a time, so that the
/// slab stays in the first-level cache and no second basis is needed. Allocates at construction only.
template <typename T>
class Rotation {
 public:
  explicit Rotation(Index max_columns);

  /// Sets basis[:, :k] <- [basis[:, :r], extra] * v, where v is (r + 1) x k, or r x k if `extra` is empty
  /// (size 0).
  void apply(Eigen::Ref<Matrix<T>> basis, const Eigen::Ref<const Vector<T>>& extra,
             const Eigen::Ref<const Matrix<double>>& v);

 private:
  Matrix<T> slab_;
  Matrix<T> small_;
};

extern template class Rotation<float>;
extern template class Rotation<double>;

}  // namespace roipca
