#include "engine/moments.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "kernels/kernels.hpp"

namespace roipca {
namespace {

// Range of |v|^2 that needs no new unit: products of four such numbers stay finite in T.
template <typename T>
constexpr double kHigh = std::is_same_v<T, float> ? 0x1p30 : 0x1p250;
template <typename T>
constexpr double kLow = std::is_same_v<T, float> ? 0x1p-30 : 0x1p-250;

// |v|^2 below this is nothing beside what came before, which is above kLow; v would lose its digits to
// underflow.
template <typename T>
constexpr double kNothing = std::is_same_v<T, float> ? 0x1p-150 : 0x1p-800;

double power_of_two(int exponent) { return std::ldexp(1.0, std::clamp(exponent, -1000, 1000)); }

}  // namespace

template <typename T>
Moments<T>::Moments(Index features, bool center)
    : center_(center),
      mean_(Vector<double>::Zero(features)),
      mean_tail_(Vector<double>::Zero(features)),
      scatter_(Vector<double>::Zero(features)),
      delta_(features) {}

template <typename T>
Moments<T>::Moments(const Model<T>& model)
    : center_(model.options.center),
      weight_(model.weight),
      weight_squares_(model.weight_squares),
      mean_(model.mean),
      mean_tail_(model.mean_tail),
      scatter_(model.scatter),
      delta_(model.features()) {
  const double trace = model.trace();
  if (trace > 0.0 && (trace > kHigh<T> || trace < kLow<T>)) unit_ = power_of_two(-std::ilogb(trace) / 2);
  scatter_ *= unit_;
  scatter_ *= unit_;
  peak_ = std::min(trace * unit_ * unit_, kHigh<T>);
}

template <typename T>
void Moments<T>::forget(double factor) {
  weight_ *= factor;
  weight_squares_ *= factor * factor;
  scatter_ *= factor;
  peak_ *= factor;
}

// A unit in which the row in delta_ is of size 1, or what came before where that is larger: with forgetting
// it can have sunk low and still be far above the row. Returns the factor that quadratic quantities change
// by.
template <typename T>
double Moments<T>::fit_unit(double gain) {
  const double size = std::max(gain * delta_.cwiseAbs().maxCoeff(), std::sqrt(peak_) / unit_);
  if (size == 0.0) return 1.0;
  const double unit = power_of_two(-std::ilogb(size));
  const double ratio = unit / unit_;
  // Overflows only where nothing came before, and nothing times a finite number is nothing.
  const double factor = std::min(ratio * ratio, std::numeric_limits<double>::max());
  unit_ = unit;
  scatter_ *= factor;
  peak_ *= factor;
  return factor;
}

template <typename T>
typename Moments<T>::Centred Moments<T>::add(const T* row, double weight, T* v) {
  const auto& kernel = kernels::table<T>();
  const double total = weight_ + weight;
  const double gain = std::sqrt(center_ ? weight_ / total * weight : weight);
  const double share = center_ ? weight / total : 0.0;

  Centred result;
  double squared =
      kernel.centre({row, mean_.data(), mean_tail_.data(), delta_.data()}, features(), share, gain * unit_);
  if (!(squared <= kHigh<T>) || (squared < kLow<T> && peak_ < kLow<T>)) {
    result.rescale = fit_unit(gain);
    squared = (delta_ * (gain * unit_)).squaredNorm();
  }
  if (squared < kNothing<T>) squared = 0.0;
  peak_ = std::max(peak_, squared);
  kernel.scale_and_square(delta_.data(), features(), gain * unit_, v, scatter_.data());
  result.step.weight_before = weight_;
  result.step.weight = weight;
  result.step.squared_norm = squared;
  result.step.unit = unit_;
  weight_ = total;
  weight_squares_ += weight * weight;
  return result;
}

template <typename T>
void Moments<T>::write(Model<T>& model) const {
  model.weight = weight_;
  model.weight_squares = weight_squares_;
  model.mean = mean_;
  model.mean_tail = mean_tail_;
  model.scatter = scatter_ / unit_ / unit_;
}

template class Moments<float>;
template class Moments<double>;

}  // namespace roipca
