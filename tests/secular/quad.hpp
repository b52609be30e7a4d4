#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include "secular/equation.hpp"

/// References in 113-bit arithmetic, by methods too slow and too simple to share an error with the code under
/// test.
namespace roipca::secular::testing {

// Some machines have it as long double, such as those of 64-bit ARM; x86 has another long double.
#if __LDBL_MANT_DIG__ == 113
using Quad = long double;
#else
__extension__ using Quad = __float128;
#endif

inline Quad magnitude(Quad x) { return x < 0 ? -x : x; }

inline Quad square_root(Quad x) {
  if (x <= 0) return 0;
  Quad root = std::sqrt(static_cast<double>(x));
  // Newton doubles the digits each time: 53, 106, 113.
  for (int i = 0; i < 3; ++i) root = (root + x / root) / 2;
  return root;
}

/// Sum of the sizes of the terms of w, 1 included, and w itself, at poles[pole] + offset.
struct QuadValue {
  Quad w;
  Quad magnitude;
  Quad slope;
};

inline QuadValue evaluate(const Equation& equation, std::size_t pole, Quad offset) {
  QuadValue result{1, 1, 0};
  for (std::size_t j = 0; j < equation.order; ++j) {
    const Quad delta = (static_cast<Quad>(equation.poles[j]) - equation.poles[pole]) - offset;
    const Quad term = equation.weights[j] / delta;
    result.w += term;
    result.magnitude += magnitude(term);
    result.slope += term / delta;
  }
  return result;
}

/// Offset of the root of w from poles[pole], by bisection between the offsets a and b, where w has opposite
/// signs. The signs of a and b must agree; the search is geometric, so that the answer has full relative
/// accuracy.
inline Quad bisect(const Equation& equation, std::size_t pole, Quad a, Quad b) {
  const bool rises = evaluate(equation, pole, b).w > 0;
  for (int i = 0; i < 400; ++i) {
    const bool far_apart = magnitude(b) > 2 * magnitude(a) || magnitude(a) > 2 * magnitude(b);
    Quad middle = (a + b) / 2;
    if (far_apart) middle = (a < 0 ? -1 : 1) * square_root(magnitude(a)) * square_root(magnitude(b));
    ((evaluate(equation, pole, middle).w > 0) == rises ? b : a) = middle;
  }
  return (a + b) / 2;
}

/// Eigenpairs of a symmetric matrix by cyclic Jacobi rotations, descending; vectors[i] belongs to values[i].
struct QuadEigen {
  std::vector<Quad> values;
  std::vector<std::vector<Quad>> vectors;
};

QuadEigen jacobi(std::vector<std::vector<Quad>> matrix);

}  // namespace roipca::secular::testing
