#include "basis/split.hpp"

#include <cmath>
#include <limits>

namespace roipca {
namespace {

// Largest ratio of the part that the first pass, or a later one, removes to the part it leaves, for it to be
// the last pass.
constexpr double kOnceIsEnough = 1.0;
constexpr double kTwiceIsEnough = 0x1p-10;

template <typename T>
double norm(const T* v, Index length) {
  double squared = 0.0;
  simd::table<T>().dots({v, 0, 1}, {v, 0, 1}, length, &squared, 1);
  return std::sqrt(squared);
}

}  // namespace

template <typename T>
Splitter<T>::Splitter(Index max_columns)
    : products_(max_columns),
      coefficients_(max_columns + 1),
      panel_(simd::panel_size<T>(max_columns + 1)),
      coordinates_(Vector<double>::Zero(max_columns + 1)) {}

template <typename T>
double Splitter<T>::split(simd::RowsView<T> q, Index length, double squared_norm, T* v) {
  const double whole = std::sqrt(squared_norm);
  const double noise = kNoise<T> * whole;
  coordinates_.head(q.count).setZero();
  double rest = whole;
  double enough = kOnceIsEnough;
  for (int pass = 0; pass < kMostPasses; ++pass) {
    const double taken = project(q, length, v);
    rest = norm(v, length);
    if (rest <= noise || taken <= enough * rest) break;
    enough = kTwiceIsEnough;
  }
  rest = rest > noise ? rest : 0.0;
  coordinates_[q.count] = rest;
  return rest;
}

// Sets v <- v - Q Q^T v. Returns |Q^T v|.
template <typename T>
double Splitter<T>::project(simd::RowsView<T> q, Index length, T* v) {
  const auto& kernel = simd::table<T>();
  kernel.dots(q, {v, 0, 1}, length, products_.data(), 1);
  const auto z = products_.head(q.count);
  coordinates_.head(q.count) += z;
  coefficients_[0] = T{1};
  coefficients_.segment(1, q.count) = -z.template cast<T>();
  kernel.rotate(v, 0, 1, q, coefficients_.data(), 1, 1, length, panel_.data());
  return z.norm();
}

template class Splitter<float>;
template class Splitter<double>;

}  // namespace roipca
