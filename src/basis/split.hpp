/// A row as its coordinates in a basis and what lies outside.
#pragma once

#include "roipca/types.hpp"

namespace roipca {

/// Splits v = Q z + r for orthonormal columns Q. Allocates at construction only.
template <typename T>
class Splitter {
 public:
  explicit Splitter(Index max_columns);

  /// On return `v` holds r, and the value is |r|, taken from the vector itself, or 0 where r is no more than
  /// rounding.
  ///
  /// Projects a second time where the first leaves less than 0.7 |v|: what is left is then orthogonal to Q to
  /// rounding ("twice is enough", Kahan and Parlett).
  double split(const Eigen::Ref<const Matrix<T>>& q, double squared_norm, Eigen::Ref<Vector<T>> v);

  /// Coordinates of the last row split, with room for one more entry behind them: [z, |r|].
  const Vector<double>& coordinates() const { return coordinates_; }

 private:
  Vector<T> z_;
  Vector<T> correction_;
  Vector<double> coordinates_;
};

extern template class Splitter<float>;
extern template class Splitter<double>;

}  // namespace roipca
