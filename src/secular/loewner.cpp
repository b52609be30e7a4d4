#include "secular/loewner.hpp"

#include <algorithm>
#include <cmath>

#include "secular/lanes.hpp"

namespace roipca::secular {

void rebuild_z(const Equation& equation, std::span<const Root> roots, std::span<double> magnitudes,
               std::span<double> gaps) {
  const std::size_t order = equation.order;
  const std::size_t length = padded(order);
  const double* poles = equation.poles.data();
  double* products = magnitudes.data();
  std::fill_n(products, length, 1.0);
  for (std::size_t i = 0; i < order; ++i) {
    const double pole = poles[i];
    for (std::size_t j = 0; j < length; j += kLanes) {
      Lanes p;
      load(poles + j, p);
      store(p - pole, gaps.data() + j);
    }
    gaps[i] = -1.0;  // pole i has no gap to itself; the sign is that of the numerator
    const double origin = poles[roots[i].pole];
    const double offset = roots[i].offset;
    for (std::size_t j = 0; j < length; j += kLanes) {
      Lanes p;
      Lanes gap;
      Lanes product;
      load(poles + j, p);
      load(gaps.data() + j, gap);
      load(products + j, product);
      // One factor at a time: the products of numerators and of denominators would overflow or underflow.
      store(product * (((p - origin) - offset) / gap), products + j);
    }
  }
  for (std::size_t j = 0; j < order; ++j) products[j] = std::sqrt(products[j]);
  std::fill(products + order, products + length, 0.0);
}

double eigenvector(const Equation& equation, const Root& root, std::span<const double> z_hat,
                   std::span<double> column) {
  const double* poles = equation.poles.data();
  const double origin = poles[root.pole];
  const double offset = root.offset;
  Lanes squares{};
  for (std::size_t j = 0; j < equation.order; j += kLanes) {
    Lanes p;
    Lanes entry;
    load(poles + j, p);
    load(z_hat.data() + j, entry);
    entry /= (p - origin) - offset;
    store(entry, column.data() + j);
    squares += entry * entry;
  }
  return 1.0 / std::sqrt(sum(squares));
}

}  // namespace roipca::secular
