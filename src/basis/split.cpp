#include "basis/split.hpp"

#include <cmath>
#include <limits>

namespace roipca {
namespace {

template <typename T>
double norm(const Eigen::Ref<Vector<T>>& v) {
  return std::sqrt(v.template cast<double>().squaredNorm());
}

}  // namespace

template <typename T>
Splitter<T>::Splitter(Index max_columns)
    : z_(max_columns), correction_(max_columns), coordinates_(Vector<double>::Zero(max_columns + 1)) {}

template <typename T>
double Splitter<T>::split(const Eigen::Ref<const Matrix<T>>& q, double squared_norm,
                          Eigen::Ref<Vector<T>> v) {
  // A residual below this many rounding errors of the row is noise, not a direction.
  constexpr double kNoise = 16.0 * double{std::numeric_limits<T>::epsilon()};
  const double whole = std::sqrt(squared_norm);
  auto z = z_.head(q.cols());
  z.noalias() = q.transpose() * v;
  v.noalias() -= q * z;
  double rest = norm<T>(v);
  if (rest < 0.7 * whole) {
    auto correction = correction_.head(q.cols());
    correction.noalias() = q.transpose() * v;
    v.noalias() -= q * correction;
    z += correction;
    rest = norm<T>(v);
  }
  rest = rest > kNoise * whole ? rest : 0.0;
  coordinates_.head(q.cols()) = z.template cast<double>();
  coordinates_[q.cols()] = rest;
  return rest;
}

template class Splitter<float>;
template class Splitter<double>;

}  // namespace roipca
