/// Products of a basis with small matrices, in place.
#pragma once

#include "linalg/eigen_types.hpp"
#include "simd/aligned_rows.hpp"

namespace roipca {

/// Replaces long rows by combinations of them. Allocates at construction only.
template <typename T>
class Rotation {
 public:
  /// For at most `max_rows` rows, including the extra one.
  explicit Rotation(Index max_rows);

  /// Sets the first k rows to v^T [rows; extra], where v has k columns and one row per row to combine: those
  /// of `rows` from the first on, then `extra`, an aligned and padded row, unless it is null.
  void apply(simd::AlignedRows<T>& rows, const T* extra, const Eigen::Ref<const Matrix<double>>& v);

 private:
  RowMatrix<T> coefficients_;
  Vector<T> panel_;
};

extern template class Rotation<float>;
extern template class Rotation<double>;

}  // namespace roipca
