#include "rules/roipca.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>

namespace roipca {
namespace {

// |v|^2 below which the square of a residual just above rounding of v would be close to the smallest number
// of T.
template <typename T>
constexpr double kSmall = std::is_same_v<T, float> ? 0x1p-60 : 0x1p-800;

}  // namespace

template <typename T>
RoipcaRule<T>::RoipcaRule(const Options& options, Index features, Index capacity)
    : Rule<T>(features),
      secular_(options.mu, features, capacity),
      basis_(features, capacity),
      guard_(capacity),
      values_(Vector<double>::Zero(capacity)),
      z_(Vector<double>::Zero(capacity)),
      squared_norms_(Vector<double>::Zero(kGroup)),
      factors_(Vector<double>::Ones(kGroup)),
      weights_(Vector<double>::Zero(kGroup)) {}

template <typename T>
void RoipcaRule<T>::absorb(Eigen::Ref<Vector<T>> v, const Step& step) {
  std::copy_n(v.data(), v.size(), basis_.slot());
  const Index i = basis_.waiting();
  squared_norms_[i] = step.squared_norm;
  factors_[i] = 1.0;
  if (step.squared_norm < kSmall<T>) enlarge(i, v.size());
  weights_[i] = step.weight_before * step.unit * step.unit;
  if (i == 0 && basis_.rows_taken() == 0) rows_settled_ = step.rows_before;
  rows_ = step.rows_before + 1;
  basis_.add();
  if (basis_.waiting() == kGroup) take_group();
  if (basis_.rows_taken() == basis_.block()) settle();
}

// Multiplies the row in the slot by a power of two, which its factor undoes.
template <typename T>
void RoipcaRule<T>::enlarge(Index i, Index features) {
  const int exponent = -std::ilogb(squared_norms_[i]) / 2;
  const auto scale = static_cast<T>(std::ldexp(1.0, exponent));
  Eigen::Map<Vector<T>>(basis_.slot(), features) *= scale;
  squared_norms_[i] = std::ldexp(squared_norms_[i], 2 * exponent);
  factors_[i] = std::ldexp(1.0, -exponent);
}

template <typename T>
void RoipcaRule<T>::take_group() {
  const Index count = basis_.waiting();
  basis_.project(squared_norms_.data());
  for (Index i = 0; i < count; ++i) {
    const double residual = basis_.split(i, squared_norms_[i]);
    const Index rank = basis_.rank();
    z_.head(rank) = factors_[i] * basis_.z();
    secular_.solve(values_.head(rank), unheld_, weights_[i], z_.head(rank), factors_[i] * residual);
    unheld_ += secular_.growth_of_unheld();
    trace_ += factors_[i] * factors_[i] * squared_norms_[i];
    basis_.rotate(secular_.vectors());
    values_.head(basis_.rank()) = secular_.values();
  }
}

template <typename T>
void RoipcaRule<T>::settle() {
  basis_.apply();
  guard_.watch(basis_.columns(), rows_settled_, rows_ - rows_settled_);
  rows_settled_ = rows_;
}

template <typename T>
void RoipcaRule<T>::rescale(double factor) {
  values_ *= factor;
  unheld_ *= factor;
  trace_ *= factor;
  weights_ *= factor;
  factors_ *= std::sqrt(factor);
}

template <typename T>
void RoipcaRule<T>::start(const Spectrum<T>& spectrum) {
  const Index rank = std::min(spectrum.basis.cols(), values_.size());
  basis_.start(spectrum.basis.leftCols(rank));
  values_.head(rank) = spectrum.values.head(rank);
  trace_ = spectrum.trace;
  unheld_ = std::max(trace_ - values_.head(rank).sum(), 0.0);
}

template <typename T>
Spectrum<T> RoipcaRule<T>::spectrum() const {
  RoipcaRule settled(*this);
  if (settled.basis_.waiting() > 0) settled.take_group();
  settled.settle();
  return {settled.basis_.columns(), settled.values_.head(settled.basis_.rank()), settled.trace_};
}

template class RoipcaRule<float>;
template class RoipcaRule<double>;

}  // namespace roipca
