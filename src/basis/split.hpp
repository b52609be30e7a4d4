/// Splits a row into its coordinates in a basis and a residual outside of it.
#pragma once

#include <limits>

#include "linalg/eigen_types.hpp"
#include "simd/aligned_rows.hpp"

namespace roipca {

/// A residual below this number of rounding errors of its row is noise, not a direction.
template <typename T>
inline constexpr double kNoise = 16.0 * double{std::numeric_limits<T>::epsilon()};

/// Largest number of projections of a row. Each leaves, of the part in the span, only the fraction by which
/// the basis is off orthonormal, and the rounding of what it subtracts.
inline constexpr int kMostPasses = 4;

/// Splits v = Q z + r for orthonormal columns Q, stored as rows for the loops of simd. Allocates at
/// construction only.
template <typename T>
class Splitter {
 public:
  explicit Splitter(Index max_columns);

  /// On return, `v` holds r. Returns |r|, computed from the vector itself, or 0 if r is no more than rounding
  /// of the original row. `squared_norm` is that of the original row, or |v|^2 if v is the row itself.
  /// `length` is the padded length, and v a row of it.
  ///
  /// Projects until r is orthogonal to Q as it is, not as it should be: again if the first pass leaves less
  /// than 0.7 of the row ("twice is enough", Kahan and Parlett), and then until a pass subtracts less than
  /// 2^-10 of what it leaves. With Q^T Q = I + E, r is then orthogonal to Q to 2^-10 |E| and rounding, so
  /// that adding r / |r| to the basis does not multiply its drift, however small r is.
  double split(simd::RowsView<T> q, Index length, double squared_norm, T* v);

  /// Coordinates of the row that was split last, with room for one more entry after them: [z, |r|].
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
