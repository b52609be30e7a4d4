#include "secular/root.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "secular/lanes.hpp"

namespace roipca::secular {

namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

// Each term of w carries at most six roundings and the sum a few more: eight units, as in LAPACK's dlaed4.
constexpr double kEvaluationError = 8.0 * (kEpsilon / 2.0);

// A step longer than this part of the distance to the pole never ends the search: the bounds in ends() assume
// short steps.
constexpr double kLongestLastStep = 0.125;

// Three evaluations are usual and ten rare. From here on every second step halves the bracket; it spans at
// most some 2000 binary orders of magnitude, which 11 geometric and 53 arithmetic halvings exhaust.
constexpr int kPatience = 16;
constexpr int kMaxIterations = kPatience + 2 * 64;

/// w(t) - 1, the sum of the sizes of its terms, and its derivatives w' and w''/2.
struct Sums {
  double value;
  double magnitude;
  double slope;
  double curvature;
};

Sums evaluate(const Equation& equation, std::size_t pole, double offset) {
  const double* poles = equation.poles.data();
  const double* weights = equation.weights.data();
  const double origin = poles[pole];
  Lanes value{};
  Lanes magnitude{};
  Lanes slope{};
  Lanes curvature{};
  for (std::size_t j = 0; j < equation.order; j += kLanes) {
    Lanes p;
    Lanes term;
    load(poles + j, p);
    load(weights + j, term);
    const Lanes inverse = 1.0 / ((p - origin) - offset);
    term *= inverse;
    value += term;
    add_magnitude(term, magnitude);
    term *= inverse;
    slope += term;
    term *= inverse;
    curvature += term;
  }
  return {sum(value), sum(magnitude), sum(slope), sum(curvature)};
}

/// Interval of positive distances that holds the root.
struct Bracket {
  double low;
  double high;

  bool contains(double x) const { return x > low && x < high; }

  /// Geometric while the ends are far apart: the distance of a root from its pole may be 1e-40 of the gap.
  double middle() const { return high > 4.0 * low ? std::sqrt(low) * std::sqrt(high) : 0.5 * (low + high); }
};

/// Refines `distance`, of the root from `pole` in the direction `sign`, where f = sign * w rises with the
/// distance. model.change(distance, f, slope, curvature) is the step to the zero of a rational function that
/// shares f and its first two derivatives; model.ends(distance, change) tells when the step's own error is
/// below that of evaluating w, so that no further evaluation is needed.
template <class Model>
Root refine(const Equation& equation, std::size_t pole, double sign, Bracket bracket, double distance,
            const Model& model) {
  if (!bracket.contains(distance)) distance = bracket.middle();
  int iterations = 0;
  while (iterations < kMaxIterations) {
    const Sums sums = evaluate(equation, pole, sign * distance);
    ++iterations;
    const double f = sign * (1.0 + sums.value);
    if (std::fabs(f) <= kEvaluationError * (1.0 + sums.magnitude)) break;
    (f < 0.0 ? bracket.low : bracket.high) = distance;

    const double change = model.change(distance, f, sums.slope, sign * sums.curvature);
    const double next = distance + change;
    if (std::fabs(change) <= kLongestLastStep * distance && model.ends(distance, std::fabs(change))) {
      distance = next;
      break;
    }
    if (bracket.high - bracket.low <= kEpsilon * bracket.high) break;
    const bool lost_patience = iterations > kPatience && iterations % 2 == 0;
    distance = bracket.contains(next) && !lost_patience ? next : bracket.middle();
  }
  return {pole, sign * distance, iterations};
}

/// The zero in (0, gap) of rest - near / x + far / (gap - x), for near, far > 0 and any rest.
double between_two_poles(double near, double far, double gap, double rest) {
  const double reach = rest * gap;
  const double a = reach + near + far;
  const double difference = reach - near + far;
  // a^2 - 4 near reach, as a sum of positive terms.
  const double root = std::sqrt(difference * difference + 4.0 * near * far);
  return a > 0.0 ? 2.0 * near * gap / (a + root) : (a - root) / (2.0 * rest);
}

/// The positive zero of 1 - near / x - far / (gap + x), for near > 0 and far, gap >= 0.
double above_two_poles(double near, double far, double gap) {
  const double b = gap - (near + far);
  const double root = std::sqrt(b * b + 4.0 * near * gap);
  return b > 0.0 ? 2.0 * near * gap / (b + root) : 0.5 * (root - b);
}

/// f(x) ~ c - s / x + e x: the two poles around root 0 are pole 0, at distance 0, and infinity. Both s and e
/// are sums of positive terms in exact arithmetic, so there is exactly one positive zero.
struct TopModel {
  double next_gap;  // from pole 0 to pole 1

  static double change(double x, double f, double slope, double curvature) {
    const double e = std::max(0.0, slope + curvature * x);
    const double b = f + x * slope;
    const double root = std::sqrt(std::max(0.0, b * b - 4.0 * e * x * f));
    return b > 0.0 ? -2.0 * x * f / (b + root) : (root - b) / (2.0 * e);
  }

  /// The model has pole 0 exactly. Another pole, `clearance` away or more, adds to f's error its own term
  /// times change^3 / (x clearance^2), up to a factor of two.
  bool ends(double x, double change) const {
    const double clearance = x + next_gap;
    return 2.0 * change * change * change <= kEvaluationError * x * clearance * clearance;
  }
};

/// f(x) ~ c - s / x + S / (gap - x), with the two poles around the root, as Borges and Gragg proposed. Both s
/// and S are sums of positive terms in exact arithmetic, so there is exactly one zero between the poles.
struct InnerModel {
  double gap;
  double inverse_gap;
  double near_gap;  // from the near pole to the one behind it
  double far_gap;   // from the far pole to the one beyond it

  double change(double x, double f, double slope, double curvature) const {
    const double ahead = gap - x;
    const double product = x * ahead;
    const double near_slope = std::clamp((x * slope - product * curvature) * inverse_gap, 0.0, slope);
    const double c = f + x * near_slope - ahead * (slope - near_slope);
    const double a = (ahead - x) * f + product * slope;
    const double root = std::sqrt(std::max(0.0, a * a + 4.0 * product * f * c));
    return a > 0.0 ? -2.0 * product * f / (a + root) : (a - root) / (2.0 * c);
  }

  /// The model has both poles exactly. Another pole, `clearance` away or more, adds to f's error its own term
  /// times change^3 / (x clearance min(clearance, ahead)), up to a factor of four.
  bool ends(double x, double change) const {
    const double ahead = gap - x;
    const double clearance = std::min(x + near_gap, ahead + far_gap);
    return 4.0 * change * change * change <= kEvaluationError * x * clearance * std::min(clearance, ahead);
  }
};

/// Root 0, above all poles and at most the sum of the weights above pole 0.
Root top_root(const Equation& equation) {
  if (equation.order == 1) return {0, equation.weights[0], 0};
  // First guess: all lower poles moved to their centre of gravity. This is exact with two poles, and a lower
  // bound with more, since 1/x is convex.
  const double near = equation.weights[0];
  double far = 0.0;
  double moment = 0.0;
  for (std::size_t j = 1; j < equation.order; ++j) {
    far += equation.weights[j];
    moment += equation.weights[j] * (equation.poles[0] - equation.poles[j]);
  }
  const double guess = above_two_poles(near, far, moment / far);
  if (equation.order == 2) return {0, guess, 0};
  // The ends are widened slightly, since the root may coincide with one.
  const Bracket bracket{0.5 * near, 2.0 * (near + far)};
  return refine(equation, 0, 1.0, bracket, guess, TopModel{equation.poles[0] - equation.poles[1]});
}

/// Root 1 of two poles.
Root inner_root_of_pair(const Equation& equation) {
  const double gap = equation.poles[0] - equation.poles[1];
  const double above = equation.weights[0];
  const double below = equation.weights[1];
  const bool from_below = 1.0 + (above - below) / (0.5 * gap) > 0.0;
  if (from_below) return {1, between_two_poles(below, above, gap, 1.0), 0};
  return {0, -between_two_poles(above, below, gap, -1.0), 0};
}

/// Root i > 0 of more than two poles, between poles i and i - 1.
Root inner_root(const Equation& equation, std::size_t i) {
  const double* poles = equation.poles.data();
  const double gap = poles[i - 1] - poles[i];
  const double half = 0.5 * gap;
  const double below = equation.weights[i];
  const double above = equation.weights[i - 1];

  // The sign of w at the midpoint tells which pole is nearer.
  const Sums middle = evaluate(equation, i, half);
  const bool from_below = 1.0 + middle.value > 0.0;
  const double sign = from_below ? 1.0 : -1.0;
  const std::size_t pole = from_below ? i : i - 1;
  const double near = from_below ? below : above;
  const double far = from_below ? above : below;

  // The other poles enter the first guess as their sum at the midpoint, and the second as their Taylor
  // polynomial from there to the first.
  const double inverse_gap = 1.0 / gap;
  const double inverse_half = 2.0 * inverse_gap;
  const double pair = (above - below) * inverse_half;
  const double rest = 1.0 + (middle.value - pair);
  const double rest_slope = middle.slope - (above + below) * inverse_half * inverse_half;
  const double rest_curvature = middle.curvature - pair * inverse_half * inverse_half;
  const double t = sign * (between_two_poles(near, far, gap, sign * rest) - half);
  const double rest_at_guess = rest + t * (rest_slope + t * rest_curvature);
  const double guess = between_two_poles(near, far, gap, sign * rest_at_guess);

  // At the root near / x is at most the pull of the other side, which is largest at the midpoint; halved for
  // rounding.
  const double pull =
      from_below ? 1.0 + 0.5 * (middle.magnitude + middle.value) : 0.5 * (middle.magnitude - middle.value);
  const Bracket bracket{0.5 * near / pull, half};
  // If there is no next pole, any distance is right: it has no weight.
  const double gap_below = i + 1 < equation.order ? poles[i] - poles[i + 1] : gap;
  const double gap_above = i > 1 ? poles[i - 2] - poles[i - 1] : gap;
  const InnerModel model{gap, inverse_gap, from_below ? gap_below : gap_above,
                         from_below ? gap_above : gap_below};
  Root root = refine(equation, pole, sign, bracket, guess, model);
  ++root.iterations;
  return root;
}

}  // namespace

Root find_root(const Equation& equation, std::size_t i) {
  if (i == 0) return top_root(equation);
  return equation.order == 2 ? inner_root_of_pair(equation) : inner_root(equation, i);
}

}  // namespace roipca::secular
