// Finite input of any magnitude gives no NaN, and the right answer where it can be represented.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "problems.hpp"
#include "secular/rank_one_eigen.hpp"

namespace roipca::secular {
namespace {

using testing::Problem;
using testing::ProblemSource;

double extreme_number(ProblemSource& source) {
  constexpr double kChoices[] = {0.0,   -0.0, 5e-324, 1e-310, 2.3e-308, 1e-300, 1e-200,
                                 1e-16, 1.0,  1e16,   1e150,  1e200,    1e300,  1.7e308};
  const double magnitude = kChoices[source.index(std::size(kChoices))] * source.uniform(0.5, 1.0);
  return source.index(2) == 0 ? magnitude : -magnitude;
}

bool is_orthonormal(const RankOneEigen& solver) {
  const std::size_t n = solver.order();
  for (std::size_t a = 0; a < n; ++a) {
    for (std::size_t b = 0; b <= a; ++b) {
      double product = a == b ? -1.0 : 0.0;
      for (std::size_t j = 0; j < n; ++j)
        product += solver.vectors()[a * n + j] * solver.vectors()[b * n + j];
      if (!(std::fabs(product) <= 1e-14)) return false;
    }
  }
  return true;
}

TEST(ExtremeMagnitudes, NeverGiveNaN) {
  ProblemSource source(21);
  RankOneEigen solver(12);
  for (int repetition = 0; repetition < 200'000; ++repetition) {
    Problem problem{std::vector<double>(1 + source.index(8)), {}, extreme_number(source)};
    problem.z.resize(problem.poles.size());
    const bool alike = source.index(3) == 0;
    const double pole = extreme_number(source);
    for (double& entry : problem.poles) entry = alike ? pole : extreme_number(source);
    for (double& entry : problem.z) entry = extreme_number(source);
    std::sort(problem.poles.begin(), problem.poles.end(), std::greater<>());
    solver.compute(problem.poles, problem.z, problem.rho);
    for (const double value : solver.values()) ASSERT_FALSE(std::isnan(value)) << "repetition " << repetition;
    ASSERT_TRUE(std::is_sorted(solver.values().begin(), solver.values().end(), std::greater<>()));
    // NaN fails this too.
    ASSERT_TRUE(is_orthonormal(solver)) << "repetition " << repetition;
  }
}

TEST(ExtremeMagnitudes, AProductThatWouldOverflowIsNotFormed) {
  // 1e100 times [2 0; 0 1] + [1 1; 1 1], though z^2 = 1e400.
  const std::vector<double> poles{2e100, 1e100};
  const std::vector<double> z{1e200, 1e200};
  RankOneEigen solver(2);
  solver.compute(poles, z, 1e-300);
  const double root = std::sqrt(5.0) / 2.0;
  EXPECT_NEAR(solver.values()[0] / 1e100, 2.5 + root, 4e-15);
  EXPECT_NEAR(solver.values()[1] / 1e100, 2.5 - root, 4e-15);
}

TEST(ExtremeMagnitudes, ScalingByAPowerOfTwoChangesNoBit) {
  ProblemSource source(22);
  RankOneEigen plain(12);
  RankOneEigen scaled(12);
  for (int repetition = 0; repetition < 2'000; ++repetition) {
    const Problem problem = source.ordinary(1 + source.index(12));
    const int exponent = static_cast<int>(source.index(1'800)) - 900;
    Problem other = problem;
    for (double& pole : other.poles) pole = std::ldexp(pole, exponent);
    other.rho = std::ldexp(problem.rho, exponent);
    plain.compute(problem.poles, problem.z, problem.rho);
    scaled.compute(other.poles, other.z, other.rho);
    for (std::size_t i = 0; i < plain.order(); ++i) {
      ASSERT_EQ(scaled.values()[i], std::ldexp(plain.values()[i], exponent));
    }
    ASSERT_TRUE(std::equal(plain.vectors().begin(), plain.vectors().end(), scaled.vectors().begin()));
  }
}

TEST(ExtremeMagnitudes, SubnormalPolesAndWeightsAreSolvedToTheirLastBit) {
  // 2^-1070 times [2 0; 0 1] + [1 1; 1 1]: the eigenvalues 3.618 and 1.382 rounded to multiples of 2^-4.
  const std::vector<double> poles{std::ldexp(2.0, -1070), std::ldexp(1.0, -1070)};
  const std::vector<double> z{1.0, 1.0};
  RankOneEigen solver(2);
  solver.compute(poles, z, std::ldexp(1.0, -1070));
  EXPECT_EQ(solver.values()[0], std::ldexp(std::round(16.0 * (2.5 + std::sqrt(5.0) / 2.0)), -1074));
  EXPECT_EQ(solver.values()[1], std::ldexp(std::round(16.0 * (2.5 - std::sqrt(5.0) / 2.0)), -1074));
}

TEST(ExtremeMagnitudes, APoleDwarfedBeyondTheRangeOfDoubleComesBackExactly) {
  const std::vector<double> poles{1e300, 1e-300};
  const std::vector<double> z{0.0, 1e300};
  RankOneEigen solver(2);
  solver.compute(poles, z, 1e300);
  EXPECT_EQ(solver.values()[0], std::numeric_limits<double>::infinity());  // 1e900
  EXPECT_EQ(solver.values()[1], 1e300);
}

}  // namespace
}  // namespace roipca::secular
