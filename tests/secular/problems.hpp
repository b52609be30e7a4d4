#pragma once

#include <cstddef>
#include <limits>
#include <random>
#include <vector>

namespace roipca::secular::testing {

/// The largest relative error of one rounding.
inline constexpr double kUnit = std::numeric_limits<double>::epsilon() / 2.0;

/// diag(poles) + rho z z^T.
struct Problem {
  std::vector<double> poles;
  std::vector<double> z;
  double rho = 1.0;
};

/// Draws problems that have broken secular solvers before: ties, clusters, zero and tiny weights, a row
/// inside the span, a last pole at zero or tied, both signs of rho, scales from 1e-150 to 1e150. Reproducible
/// from its seed.
class ProblemSource {
 public:
  explicit ProblemSource(unsigned seed) : engine_(seed) {}

  /// Any of the families below, at any scale.
  Problem next(std::size_t order);

  /// Distinct poles of similar size and a dense z, as in a typical stream.
  Problem ordinary(std::size_t order);

  double uniform(double low, double high);
  double normal();
  /// Between 10^low and 10^high, evenly in the logarithm, of either sign.
  double over_decades(double low, double high);
  std::size_t index(std::size_t below);

 private:
  void choose_poles(Problem& problem);
  void choose_z(Problem& problem);
  void choose_scale(Problem& problem);

  std::mt19937_64 engine_;
};

}  // namespace roipca::secular::testing
