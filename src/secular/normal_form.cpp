#include "secular/normal_form.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace roipca::secular {

namespace {

// Below every exponent that frexp can return, and far enough from overflow to be subtracted.
constexpr int kExponentOfZero = -100'000;

int exponent_of(double x) {
  if (x == 0.0) return kExponentOfZero;
  int exponent = 0;
  std::frexp(x, &exponent);
  return exponent;
}

double largest_magnitude(std::span<const double> x) {
  double largest = 0.0;
  for (const double entry : x) largest = std::max(largest, std::fabs(entry));
  return largest;
}

/// Makes z a unit vector and multiplies `fraction` by the square of its norm, up to the power 4^exponent that
/// is returned. A zero vector stays zero, and so does its norm.
int normalise(std::span<double> z, double& fraction) {
  const double largest = largest_magnitude(z);
  if (largest == 0.0) {
    fraction = 0.0;
    return 0;
  }
  const int exponent = exponent_of(largest);
  const BinaryScale to_one(-exponent);
  double squares = 0.0;
  for (double& entry : z) {
    entry = to_one(entry);
    squares += entry * entry;
  }
  const double inverse_norm = 1.0 / std::sqrt(squares);
  for (double& entry : z) entry *= inverse_norm;
  fraction *= squares;
  return exponent;
}

double power_of_two(int exponent) {
  constexpr int kLimit = std::numeric_limits<double>::max_exponent - 2;
  return std::ldexp(1.0, std::clamp(exponent, -kLimit, kLimit));
}

}  // namespace

BinaryScale::BinaryScale(int exponent)
    : first_(power_of_two(exponent / 2)), second_(power_of_two(exponent - exponent / 2)) {}

void NormalForm::reserve(std::size_t max_order) {
  poles.resize(std::max(poles.size(), max_order));
  z.resize(poles.size());
}

void NormalForm::assign(std::span<const double> caller_poles, std::span<const double> caller_z,
                        double caller_rho) {
  order = caller_poles.size();
  mirrored = caller_rho < 0.0;
  for (std::size_t j = 0; j < order; ++j) {
    poles[j] = mirrored ? -caller_poles[order - 1 - j] : caller_poles[j];
    z[j] = mirrored ? caller_z[order - 1 - j] : caller_z[j];
  }

  // rho |z|^2 may be far outside the range of double before the scale is known, so it is kept as a fraction
  // and an exponent.
  int rho_exponent = 0;
  double rho_fraction = std::frexp(std::fabs(caller_rho), &rho_exponent);
  const int z_exponent = normalise({z.data(), order}, rho_fraction);
  rho_exponent = rho_fraction == 0.0 ? kExponentOfZero : rho_exponent + 2 * z_exponent;

  const double largest_pole = std::max(std::fabs(poles[0]), std::fabs(poles[order - 1]));
  const int exponent = std::max(exponent_of(largest_pole), rho_exponent + exponent_of(rho_fraction));
  const bool all_zero = exponent <= kExponentOfZero;
  scale = BinaryScale(all_zero ? 0 : -exponent);
  unscale = BinaryScale(all_zero ? 0 : exponent);
  rho = std::ldexp(rho_fraction, std::max(rho_exponent - exponent, kExponentOfZero));
}

}  // namespace roipca::secular
