#include "roipca/kernel.hpp"

#include <cmath>
#include <stdexcept>
#include <utility>

#include "linalg/eigen_types.hpp"

namespace roipca {

template <typename T>
Kernel<T>::Kernel(Kind kind, std::optional<double> gamma, double degree, double coef0)
    : kind_(kind), gamma_(gamma), degree_(degree), coef0_(coef0) {
  if (gamma && !(*gamma >= 0.0 && std::isfinite(*gamma))) {
    throw std::invalid_argument("gamma must be finite and at least 0");
  }
  if (!(degree >= 0.0 && std::isfinite(degree))) {
    throw std::invalid_argument("degree must be finite and at least 0");
  }
  if (!std::isfinite(coef0)) throw std::invalid_argument("coef0 must be finite");
}

template <typename T>
Kernel<T> Kernel<T>::custom(Function function) {
  if (!function) throw std::invalid_argument("a custom kernel needs a function");
  Kernel kernel(Kind::kCustom);
  kernel.function_ = std::move(function);
  return kernel;
}

template <typename T>
double Kernel<T>::operator()(const Row<T>& x, const Row<T>& y) const {
  if (kind_ == Kind::kCustom) return function_(x, y);
  const auto mapped_x = as_eigen(x);  // named, because a cast from double to double refers to what is cast
  const auto mapped_y = as_eigen(y);
  const auto& wide_x = mapped_x.template cast<double>();
  const auto& wide_y = mapped_y.template cast<double>();
  const double gamma = gamma_.value_or(1.0 / static_cast<double>(x.size()));
  // Uses the difference, not |x|^2 + |y|^2 - 2 x.y: close rows keep their digits, and equal rows give 1.
  if (kind_ == Kind::kRbf) return std::exp(-gamma * (wide_x - wide_y).squaredNorm());
  const double product = wide_x.dot(wide_y);
  if (kind_ == Kind::kLinear) return product;
  if (kind_ == Kind::kPoly) return std::pow(gamma * product + coef0_, degree_);
  return std::tanh(gamma * product + coef0_);
}

template <typename T>
void Kernel<T>::against(const Row<T>& x, const Rows<T>& rows, std::span<double> out) const {
  for (Index i = 0; i < rows.rows(); ++i) out[static_cast<std::size_t>(i)] = (*this)(x, rows.row(i));
}

template class Kernel<float>;
template class Kernel<double>;

}  // namespace roipca
