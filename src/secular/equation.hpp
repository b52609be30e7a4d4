#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "secular/lanes.hpp"

namespace roipca::secular {

/// The secular equation w(t) = 1 + sum_j weights[j] / (poles[j] - t) = 0 that remains after deflation: poles
/// strictly descending, weights rho z_j^2 positive. It has `order` roots: root 0 above pole 0, root i between
/// poles i and i-1.
///
/// The arrays are read in lanes, so they continue past `order` with poles of weight zero; see seal().
struct Equation {
  std::vector<double> poles;
  std::vector<double> weights;
  std::size_t order = 0;

  void reserve(std::size_t max_order) {
    poles.resize(std::max(poles.size(), padded(max_order)));
    weights.resize(poles.size());
  }

  void clear() { order = 0; }

  /// Requires that memory has been reserved.
  void add(double pole, double weight) {
    poles[order] = pole;
    weights[order] = weight;
    ++order;
  }

  /// Fills the arrays up to the next whole lane. The padding poles lie below all others, where no root
  /// can coincide with them.
  void seal() {
    if (order == 0) return;
    const double lowest = poles[order - 1];
    const double below = lowest - (poles[0] - lowest) - weights[0];
    std::fill(poles.begin() + static_cast<std::ptrdiff_t>(order),
              poles.begin() + static_cast<std::ptrdiff_t>(padded(order)), below);
    std::fill(weights.begin() + static_cast<std::ptrdiff_t>(order),
              weights.begin() + static_cast<std::ptrdiff_t>(padded(order)), 0.0);
  }
};

}  // namespace roipca::secular
