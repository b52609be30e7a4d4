#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace roipca::secular {

/// Multiplies by a power of two, exactly unless the result underflows or overflows. The power is kept as two
/// factors, because the one that brings the smallest double to one is not a double itself.
class BinaryScale {
 public:
  BinaryScale() = default;
  /// Multiplies by 2^exponent; exponents beyond +-2044 are cut off there.
  explicit BinaryScale(int exponent);

  double operator()(double x) const { return x * first_ * second_; }

 private:
  double first_ = 1.0;
  double second_ = 1.0;
};

/// diag(poles) + rho z z^T as the rest of the room wants it: rho >= 0, |z| = 1, poles descending, and
/// max(|pole|, rho) in [1/2, 1) after scaling. A negative rho is removed by negating the matrix and reversing
/// the order of its rows.
struct NormalForm {
  std::vector<double> poles;  // in the caller's units, so that deflated ones come out bit for bit
  std::vector<double> z;
  std::size_t order = 0;
  double rho = 0.0;  // scaled, and times the square of the norm taken out of z
  double largest_pole = 0.0;
  double largest_z = 0.0;
  bool mirrored = false;  // rho was negative
  BinaryScale scale;      // from the caller's units
  BinaryScale unscale;    // and back

  void reserve(std::size_t max_order);

  /// Room must have been reserved. Arguments as in RankOneEigen::compute.
  void assign(std::span<const double> caller_poles, std::span<const double> caller_z, double caller_rho);

  /// Row or column i here -> row or column there.
  std::size_t in_caller_order(std::size_t i) const { return mirrored ? order - 1 - i : i; }
};

}  // namespace roipca::secular
