// One root of the secular equation against bisection in 113-bit arithmetic.

#include "secular/root.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "problems.hpp"
#include "quad.hpp"

namespace roipca::secular {
namespace {

using testing::kUnit;
using testing::ProblemSource;
using testing::Quad;

Equation make_equation(const std::vector<double>& poles, const std::vector<double>& weights) {
  Equation equation;
  equation.reserve(poles.size());
  for (std::size_t j = 0; j < poles.size(); ++j) equation.add(poles[j], weights[j]);
  equation.seal();
  return equation;
}

/// The same root's offset from the same pole, to thirty digits.
Quad reference_offset(const Equation& equation, std::size_t i, std::size_t pole) {
  const Quad total = std::accumulate(equation.weights.begin(), equation.weights.end(), 0.0);
  const Quad tiny = 1e-200;
  if (i == 0) return testing::bisect(equation, pole, tiny, 2 * total);
  const Quad gap = static_cast<Quad>(equation.poles[i - 1]) - equation.poles[i];
  const Quad most = gap * (1 - static_cast<Quad>(1e-20));
  return pole == i ? testing::bisect(equation, pole, tiny, most)
                   : testing::bisect(equation, pole, -tiny, -most);
}

/// Error of a root's offset, in units of the change that one rounding of w makes.
double error_in_roundings(const Equation& equation, std::size_t i, const Root& root) {
  const Quad expected = reference_offset(equation, i, root.pole);
  const testing::QuadValue at_root = testing::evaluate(equation, root.pole, expected);
  const Quad rounding = kUnit * at_root.magnitude / at_root.slope;
  return static_cast<double>(testing::magnitude(root.offset - expected) / rounding);
}

/// kEvaluationError is 8 roundings of w, plus the last bit of the offset and an unchecked last step.
constexpr double kAllowedRoundings = 12.0;

/// The distance to each pole must be right in every digit, or the eigenvectors lose theirs.
void expect_roots_accurate(const Equation& equation) {
  for (std::size_t i = 0; i < equation.order; ++i) {
    const Root root = find_root(equation, i);
    ASSERT_TRUE(std::isfinite(root.offset));
    ASSERT_NE(root.offset, 0.0);
    ASSERT_LE(error_in_roundings(equation, i, root), kAllowedRoundings) << "root " << i;
  }
}

std::vector<double> distinct_descending(std::vector<double> values) {
  std::sort(values.begin(), values.end(), std::greater<>());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

TEST(Root, IsAccurateToTheRoundingOfWOnOrdinaryEquations) {
  ProblemSource source(1);
  for (int repetition = 0; repetition < 100; ++repetition) {
    testing::Problem problem = source.ordinary(1 + source.index(12));
    for (double& entry : problem.z) entry *= entry;
    expect_roots_accurate(make_equation(problem.poles, problem.z));
  }
}

TEST(Root, IsAccurateForWeightsOverThirtyDecadesAndGapsDownToRounding) {
  ProblemSource source(2);
  for (int repetition = 0; repetition < 200; ++repetition) {
    std::vector<double> poles(2 + source.index(9));
    for (double& pole : poles) pole = 1.0 + source.over_decades(-15.0, -0.5);
    poles = distinct_descending(poles);
    std::vector<double> weights(poles.size());
    for (double& weight : weights) weight = std::fabs(source.over_decades(-30.0, 0.0));
    expect_roots_accurate(make_equation(poles, weights));
  }
}

TEST(Root, VeryCloseToItsPoleHasAnOffsetWithFullRelativeAccuracy) {
  // Root 2 lies some 1e-30 above pole 2: pole + offset has no digit of it.
  for (const double weight : {1e-12, 1e-20, 1e-30, 1e-60}) {
    const Equation equation = make_equation({3.0, 2.0, 1.0, 0.5}, {0.3, 0.2, weight, 0.1});
    const Root root = find_root(equation, 2);
    ASSERT_EQ(root.pole, 2U);
    const Quad expected = reference_offset(equation, 2, root.pole);
    // The pole's own term is half of all terms, so a rounding of w is about four of the offset.
    EXPECT_LE(static_cast<double>(testing::magnitude(root.offset - expected) / expected), 32.0 * kUnit);
  }
}

TEST(Root, IsTakenFromThePoleItIsNearestTo) {
  ProblemSource source(3);
  for (int repetition = 0; repetition < 200; ++repetition) {
    testing::Problem problem = source.ordinary(3 + source.index(10));
    for (double& entry : problem.z) entry *= entry;
    const Equation equation = make_equation(problem.poles, problem.z);
    for (std::size_t i = 1; i < equation.order; ++i) {
      const Root root = find_root(equation, i);
      const double gap = equation.poles[i - 1] - equation.poles[i];
      ASSERT_TRUE(root.pole == i || root.pole == i - 1);
      ASSERT_EQ(root.pole == i, root.offset > 0.0);
      // One last step may cross the midpoint by a rounding.
      ASSERT_LE(std::fabs(root.offset), 0.5 * gap * (1.0 + 1e-6));
    }
  }
}

TEST(Root, OfOrdersOneAndTwoIsAClosedForm) {
  const Equation one = make_equation({2.0}, {0.75});
  EXPECT_EQ(find_root(one, 0).offset, 0.75);
  EXPECT_EQ(find_root(one, 0).iterations, 0);
  ProblemSource source(4);
  for (int repetition = 0; repetition < 500; ++repetition) {
    const double gap = std::fabs(source.over_decades(-15.0, 0.0));
    const std::vector<double> poles{1.0 + gap, 1.0};
    if (poles[0] == poles[1]) continue;
    const std::vector<double> weights{std::fabs(source.over_decades(-30.0, 0.0)),
                                      std::fabs(source.over_decades(-30.0, 0.0))};
    const Equation equation = make_equation(poles, weights);
    for (std::size_t i = 0; i < 2; ++i) {
      const Root root = find_root(equation, i);
      ASSERT_EQ(root.iterations, 0);
      ASSERT_LE(error_in_roundings(equation, i, root), kAllowedRoundings);
    }
  }
}

TEST(Root, NeverTakesMoreThanTwentyIterations) {
  ProblemSource source(5);
  int most = 0;
  for (int repetition = 0; repetition < 20'000; ++repetition) {
    std::vector<double> poles(3 + source.index(20));
    for (double& pole : poles)
      pole = source.index(2) == 0 ? source.uniform(0.0, 1.0) : source.over_decades(-15.0, 0.0);
    poles = distinct_descending(poles);
    std::vector<double> weights(poles.size());
    for (double& weight : weights) weight = std::fabs(source.over_decades(-30.0, 0.0));
    const Equation equation = make_equation(poles, weights);
    for (std::size_t i = 0; i < equation.order; ++i) most = std::max(most, find_root(equation, i).iterations);
  }
  RecordProperty("most_iterations", most);
  EXPECT_LE(most, 20);
}

}  // namespace
}  // namespace roipca::secular
