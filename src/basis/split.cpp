#include "basis/split.hpp"

#include <cmath>
#include <limits>

namespace roipca {
namespace {

template <typename T>
double norm(const T* v, Index length) {
  double squared = 0.0;
  kernels::table<T>().dots({v, 0, 1}, {v, 0, 1}, length, &squared, 1);
  return std::sqrt(squared);
}

}  // namespace

template <typename T>
Splitter<T>::Splitter(Index max_columns)
    : products_(max_columns),
      coefficients_(max_columns + 1),
      panel_(kernels::panel_size<T>(max_columns + 1)),
      coordinates_(Vector<double>::Zero(max_columns + 1)) {}

template <typename T>
double Splitter<T>::split(kernels::RowsView<T> q, Index length, double squared_norm, T* v) {
  // A residual below this many rounding errors of the row is noise, not a direction.
  constexpr double kNoise = 16.0 * double{std::numeric_limits<T>::epsilon()};
  const double whole = std::sqrt(squared_norm);
  coordinates_.head(q.count).setZero();
  project(q, length, v);
  double rest = norm(v, length);
  if (rest < 0.7 * whole) {
    project(q, length, v);
    rest = norm(v, length);
  }
  rest = rest > kNoise * whole ? rest : 0.0;
  coordinates_[q.count] = rest;
  return rest;
}

// v <- v - Q Q^T v.
template <typename T>
void Splitter<T>::project(kernels::RowsView<T> q, Index length, T* v) {
  const auto& kernel = kernels::table<T>();
  kernel.dots(q, {v, 0, 1}, length, products_.data(), 1);
  const auto z = products_.head(q.count);
  coordinates_.head(q.count) += z;
  coefficients_[0] = T{1};
  coefficients_.segment(1, q.count) = -z.template cast<T>();
  kernel.rotate(v, 0, 1, q, coefficients_.data(), 1, 1, length, panel_.data());
}

template class Splitter<float>;
template class Splitter<double>;

}  // namespace roipca
