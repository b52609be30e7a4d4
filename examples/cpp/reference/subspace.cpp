// Compares the planes of two pairs of components, whatever their order and signs are.
#include <cassert>
#include <cmath>
#include <roipca/subspace.hpp>
#include <vector>

int main() {
  const std::vector<double> xy = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0};
  const std::vector<double> yx = {0.0, -1.0, 0.0, 1.0, 0.0, 0.0};
  const double angle = 1e-9;  // one of the two axes leaves the plane by this angle
  const std::vector<double> tilted = {1.0, 0.0, 0.0, 0.0, std::cos(angle), std::sin(angle)};
  const auto rows = [](const std::vector<double>& numbers) {
    return roipca::Rows<double>(numbers.data(), 2, 3);
  };

  assert(roipca::subspace_error(rows(xy), rows(yx)) == 0.0);
  assert(std::abs(roipca::subspace_error(rows(xy), rows(tilted)) / (angle * angle) - 1.0) < 1e-6);
}
