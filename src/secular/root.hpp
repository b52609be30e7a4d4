#pragma once

#include <cstddef>

#include "secular/equation.hpp"

namespace roipca::secular {

/// A root of the secular equation, t = poles[pole] + offset. It is stored in two parts because a root may
/// be so close to its pole that the sum has none of the offset's digits: use (poles[j] - poles[pole]) -
/// offset for poles[j] - t. `pole` is the nearest one, so that this difference is accurate for every j, and
/// never zero.
struct Root {
  std::size_t pole = 0;
  double offset = 0.0;
  int iterations = 0;  // evaluations of w, the one that chooses the pole included; none for orders 1 and 2
};

/// Root i of a sealed equation, accurate to the rounding error of evaluating w. O(order) per iteration. It
/// never fails: if the iterations reach a limit, it returns the best bracketed value.
Root find_root(const Equation& equation, std::size_t i);

}  // namespace roipca::secular
