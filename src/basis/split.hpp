/// A row as its coordinates in a basis and what lies outside.
#pragma once

#include <limits>

#include "linalg/eigen_types.hpp"
#include "simd/aligned_rows.hpp"

namespace roipca {

/// A residual below this many rounding errors of its row is noise and no direction.
template <typename T>
inline constexpr double kNoise = 16.0 * double{std::numeric_limits<T>::epsilon()};

/// Projections of a row at the most. Of what lies in the span, each leaves the part by which the basis is off
/// orthonormal, and rounding of what it takes off.
inline constexpr int kMostPasses = 4;

/// Splits v = Q z + r for orthonormal columns Q, stored as rows for the loops of simd. Allocates at
/// construction only.
template <typename T>
class Splitter {
 public:
  explicit Splitter(Index max_columns);

  /// On return `v` holds r, and the value is |r|, taken from the vector itself, or 0 where r is no more than
  /// rounding of the row that v is what is left of: `squared_norm` is that row's, or |v|^2. `length` is the
  /// padded length, and v a row of it.
  ///
  /// Projects until r is orthogonal to Q as it is, not as it should be: again where the first pass leaves
  /// less than 0.7 of the row ("twice is enough", Kahan and Parlett), and then until a pass takes off less
  /// than 2^-10 of what it leaves. With Q^T Q = I + E, r is then orthogonal to Q to 2^-10 |E| and rounding,
  /// so that taking r / |r| into the basis does not multiply its drift, however small r is.
  double split(simd::RowsView<T> q, Index length, double squared_norm, T* v);

  /// Coordinates of the last row split, with room for one more entry behind them: [z, |r|].
  const Vector<double>& coordinates() const { return coordinates_; }

 private:
  double project(simd::RowsView<T> q, Index length, T* v);

  Vector<double> products_;
  Vector<T> coefficients_;
  Vector<T> panel_;
  Vector<double> coordinates_;
};

extern template class Splitter<float>;
extern template class Splitter<double>;

}  // namespace roipca
