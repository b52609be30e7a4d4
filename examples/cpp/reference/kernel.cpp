// Kernels: those with names, and one of your own.
#include <algorithm>
#include <cassert>
#include <cmath>
#include <roipca/kernel.hpp>
#include <vector>

int main() {
  const std::vector<double> x = {1.0, 2.0};
  const std::vector<double> y = {3.0, 1.0};  // x.y = 5 and |x - y|^2 = 5

  const auto linear = roipca::Kernel<double>::linear();
  const auto rbf = roipca::Kernel<double>::rbf(0.1);
  const auto poly = roipca::Kernel<double>::poly(1.0, 2.0, 1.0);  // gamma, degree, coef0
  const auto sigmoid = roipca::Kernel<double>::sigmoid(0.1, 0.0);
  assert(linear(x, y) == 5.0);
  assert(std::abs(rbf(x, y) - std::exp(-0.5)) < 1e-15);
  assert(std::abs(poly(x, y) - 36.0) < 1e-12);
  assert(std::abs(sigmoid(x, y) - std::tanh(0.5)) < 1e-15);

  // Any other function that is symmetric and positive semi-definite: here, the sum of the smaller entries.
  const roipca::Kernel<double>::Function smaller = [](const roipca::Row<double>& a,
                                                      const roipca::Row<double>& b) {
    double sum = 0.0;
    for (roipca::Index j = 0; j < a.size(); ++j) sum += std::min(a[j], b[j]);
    return sum;
  };
  const auto intersection = roipca::Kernel<double>::custom(smaller);
  assert(intersection.is_custom() && !rbf.is_custom());
  assert(intersection(x, y) == 2.0);

  // One row against many.
  const std::vector<double> rows = {1.0, 2.0, 3.0, 1.0, 0.0, 1.0};
  std::vector<double> values(3);
  linear.against(x, roipca::Rows<double>(rows.data(), 3, 2), values);
  assert(values == (std::vector<double>{5.0, 5.0, 2.0}));
}
