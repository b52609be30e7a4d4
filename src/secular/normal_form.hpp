#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace roipca::secular {

/// Multiplies by a power of two, exactly unless the result underflows or overflows. The power is stored as
/// two factors, because the power that scales the smallest double to one is not itself a double.
class BinaryScale {
 public:
  BinaryScale() = default;
  /// Multiplies by 2^exponent; exponents are clamped to +-2044.
  explicit BinaryScale(int exponent);

  double operator()(double x) const { return x * first_ * second_; }

 private:
  double first_ = 1.0;
  double second_ = 1.0;
};

/// diag(poles) + rho z z^T in the form that the other files here require: rho >= 0, |z| = 1, poles
/// descending, and max(|pole|, rho) in [1/2, 1) after scaling. A negative rho is removed by negating the
/// matrix and reversing the order of its rows.
struct NormalForm {
  std::vector<double> poles;  // in the caller's units, so that deflated poles are returned bit for bit
  std::vector<double> z;
  std::size_t order = 0;
  double rho = 0.0;       // scaled, and multiplied by the squared norm of the caller's z
  bool mirrored = false;  // rho was negative
  BinaryScale scale;      // from the caller's units
  BinaryScale unscale;    // and back

  void reserve(std::size_t max_order);

  /// Requires that memory has been reserved. Arguments as in RankOneEigen::compute.
  void assign(std::span<const double> caller_poles, std::span<const double> caller_z, double caller_rho);

  /// Returns the caller's row or column for row or column i.
  std::size_t in_caller_order(std::size_t i) const { return mirrored ? order - 1 - i : i; }
};

}  // namespace roipca::secular
