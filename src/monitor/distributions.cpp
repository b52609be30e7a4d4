#include "monitor/distributions.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace roipca {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr double kTiny = 1e-300;
constexpr int kMostTerms = 100000;

// Returns log Gamma(x) for x > 0, by Stirling's series from 12 on, whose next term is below 1e-17.
// (std::lgamma writes to a global variable, so it is not thread-safe.)
double log_gamma(double x) {
  double product = 1.0;
  for (; x < 12.0; x += 1.0) product *= x;
  const double y = 1.0 / (x * x);
  const double series =
      (1.0 / 12 -
       y * (1.0 / 360 - y * (1.0 / 1260 - y * (1.0 / 1680 - y * (1.0 / 1188 - y * 691.0 / 360360))))) /
      x;
  return (x - 0.5) * std::log(x) - x + 0.5 * std::log(2.0 * std::numbers::pi) + series - std::log(product);
}

// A continued fraction b0 + a1 / (b1 + a2 / (b2 + ...)) by Lentz's method (Thompson and Barnett 1986).
template <typename Numerator, typename Denominator>
double continued_fraction(double b0, Numerator a, Denominator b) {
  double value = b0 == 0.0 ? kTiny : b0;
  double c = value;
  double d = 0.0;
  for (int i = 1; i < kMostTerms; ++i) {
    d = b(i) + a(i) * d;
    c = b(i) + a(i) / c;
    if (d == 0.0) d = kTiny;
    if (c == 0.0) c = kTiny;
    d = 1.0 / d;
    value *= c * d;
    if (std::abs(c * d - 1.0) <= 2.0 * kEpsilon) break;
  }
  return value;
}

// Returns the upper tail Q(a, x) of the gamma distribution: by a series below its mean, by a continued
// fraction above.
double gamma_tail(double a, double x) {
  if (x <= 0.0) return 1.0;
  const double front = std::exp(a * std::log(x) - x - log_gamma(a));
  if (x < a + 1.0) {
    double term = 1.0 / a;
    double sum = term;
    for (int i = 1; i < kMostTerms && term > sum * kEpsilon; ++i) sum += term *= x / (a + i);
    return 1.0 - front * sum;
  }
  return front /
         continued_fraction(
             x + 1.0 - a, [&](int i) { return -i * (i - a); }, [&](int i) { return x + 2.0 * i + 1.0 - a; });
}

// Returns the regularised incomplete beta function I_x(a, b), which is small for x < a / (a + b).
double incomplete_beta(double a, double b, double x) {
  if (x <= 0.0) return 0.0;
  if (x >= 1.0) return 1.0;
  const double front =
      std::exp(log_gamma(a + b) - log_gamma(a) - log_gamma(b) + a * std::log(x) + b * std::log1p(-x)) / a;
  return front / continued_fraction(
                     1.0,
                     [&](int i) {
                       const int m = i / 2;
                       return i % 2 == 0 ? m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
                                         : -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
                     },
                     [](int) { return 1.0; });
}

// Returns the upper tail of the F distribution, computed on the side on which the continued fraction
// converges.
double f_tail(double x, double f1, double f2) {
  if (x <= 0.0) return 1.0;
  const double a = 0.5 * f1;
  const double b = 0.5 * f2;
  const double below = f1 * x / (f1 * x + f2);
  return below > (a + 1.0) / (a + b + 2.0) ? incomplete_beta(b, a, f2 / (f1 * x + f2))
                                           : 1.0 - incomplete_beta(a, b, below);
}

// Returns the x > 0 at which a decreasing function equals `tail`, by bisection of its logarithm from a first
// guess.
template <typename Tail>
double solve(Tail tail_of, double tail, double guess) {
  double low = guess;
  double high = guess;
  while (tail_of(low) < tail && low > kTiny) low *= 0.5;
  while (tail_of(high) > tail && high < 1e300) high *= 2.0;
  while (high > low * (1.0 + 4.0 * kEpsilon)) {
    const double middle = std::sqrt(low) * std::sqrt(high);
    if (!(middle > low) || !(middle < high)) break;
    (tail_of(middle) > tail ? low : high) = middle;
  }
  return high;
}

}  // namespace

double chi2_quantile(double tail, double freedom) {
  return solve([&](double x) { return gamma_tail(0.5 * freedom, 0.5 * x); }, tail, std::max(freedom, 1e-3));
}

double f_quantile(double tail, double freedom_1, double freedom_2) {
  return solve([&](double x) { return f_tail(x, freedom_1, freedom_2); }, tail, 1.0);
}

double normal_quantile(double tail) {
  if (tail == 0.5) return 0.0;
  // The square of a normal number is chi-squared.
  return tail < 0.5 ? std::sqrt(chi2_quantile(2.0 * tail, 1.0)) : -normal_quantile(1.0 - tail);
}

}  // namespace roipca
