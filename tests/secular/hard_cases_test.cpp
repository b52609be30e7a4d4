// Gaps of 1e-12 and less, weights over thirty decades: eigenpairs against Jacobi's method in 113-bit
// arithmetic.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "problems.hpp"
#include "quad.hpp"
#include "secular/rank_one_eigen.hpp"

namespace roipca::secular {
namespace {

using testing::kUnit;
using testing::Problem;
using testing::ProblemSource;
using testing::Quad;
using testing::QuadEigen;

QuadEigen reference(const Problem& problem) {
  const std::size_t n = problem.poles.size();
  std::vector<std::vector<Quad>> matrix(n, std::vector<Quad>(n));
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j)
      matrix[i][j] = static_cast<Quad>(problem.rho) * problem.z[i] * problem.z[j];
    matrix[i][i] += problem.poles[i];
  }
  return testing::jacobi(matrix);
}

double norm_of(const Problem& problem) {
  double squares = 0.0;
  for (const double entry : problem.z) squares += entry * entry;
  return std::max(
      {std::fabs(problem.poles.front()), std::fabs(problem.poles.back()), std::fabs(problem.rho) * squares});
}

double distance_to_nearest(const QuadEigen& eigen, std::size_t i) {
  Quad nearest = std::numeric_limits<double>::max();
  for (std::size_t j = 0; j < eigen.values.size(); ++j) {
    if (j != i) nearest = std::min(nearest, testing::magnitude(eigen.values[j] - eigen.values[i]));
  }
  return static_cast<double>(nearest);
}

/// Largest entry of +-actual - expected, the sign being free.
double vector_error(const double* actual, const std::vector<Quad>& expected) {
  Quad product = 0;
  for (std::size_t j = 0; j < expected.size(); ++j) product += actual[j] * expected[j];
  Quad error = 0;
  for (std::size_t j = 0; j < expected.size(); ++j) {
    const Quad aligned = product < 0 ? -expected[j] : expected[j];
    error = std::max(error, testing::magnitude(actual[j] - aligned));
  }
  return static_cast<double>(error);
}

double orthogonality_error(const RankOneEigen& solver) {
  const std::size_t n = solver.order();
  const double* vectors = solver.vectors().data();
  Quad error = 0;
  for (std::size_t a = 0; a < n; ++a) {
    for (std::size_t b = 0; b <= a; ++b) {
      Quad product = a == b ? -1 : 0;
      for (std::size_t j = 0; j < n; ++j)
        product += static_cast<Quad>(vectors[a * n + j]) * vectors[b * n + j];
      error = std::max(error, testing::magnitude(product));
    }
  }
  return static_cast<double>(error);
}

void expect_accurate(const Problem& problem) {
  const std::size_t n = problem.poles.size();
  RankOneEigen solver(n);
  solver.compute(problem.poles, problem.z, problem.rho);
  const QuadEigen expected = reference(problem);
  const double norm = norm_of(problem);
  // Deflation neglects up to 16 u of the norm in single entries; roots and rotations add a few u each.
  const double backward_error = 40.0 * kUnit * norm;
  for (std::size_t i = 0; i < n; ++i) {
    ASSERT_LE(std::fabs(static_cast<double>(solver.values()[i] - expected.values[i])), backward_error)
        << "value " << i;
    // Davis and Kahan: a perturbation turns a vector by no more than its size over the gap. Rounding comes on
    // top.
    const double turn = backward_error / distance_to_nearest(expected, i);
    if (turn > 0.1) continue;
    ASSERT_LE(vector_error(solver.vectors().data() + i * n, expected.vectors[i]), 2.0 * turn + 8.0 * kUnit)
        << "vector " << i;
  }
  // Vectors of roots are orthogonal to some u whatever the gaps.
  ASSERT_LE(orthogonality_error(solver), 16.0 * kUnit);
}

void sort_poles(Problem& problem) { std::sort(problem.poles.begin(), problem.poles.end(), std::greater<>()); }

TEST(HardCases, GapsOf1e12AndSmallerLoseNothing) {
  ProblemSource source(11);
  for (int repetition = 0; repetition < 150; ++repetition) {
    Problem problem = source.ordinary(2 + source.index(7));
    for (double& pole : problem.poles) pole = 1.0 + source.over_decades(-16.0, -11.0);
    sort_poles(problem);
    if (repetition % 2 == 1) problem.rho = -1.0;
    ASSERT_NO_FATAL_FAILURE(expect_accurate(problem)) << "repetition " << repetition;
  }
}

TEST(HardCases, WeightsOverThirtyDecadesLoseNothing) {
  ProblemSource source(12);
  for (int repetition = 0; repetition < 150; ++repetition) {
    Problem problem = source.ordinary(2 + source.index(7));
    for (double& entry : problem.z) entry = source.over_decades(-15.0, 0.0);
    if (repetition % 2 == 1) problem.rho = -1.0;
    ASSERT_NO_FATAL_FAILURE(expect_accurate(problem)) << "repetition " << repetition;
  }
}

TEST(HardCases, ClustersWithWeightsOverThirtyDecadesLoseNothing) {
  ProblemSource source(13);
  for (int repetition = 0; repetition < 150; ++repetition) {
    Problem problem = source.ordinary(3 + source.index(6));
    for (double& pole : problem.poles)
      pole = static_cast<double>(source.index(3)) + source.over_decades(-16.0, -8.0);
    for (double& entry : problem.z) entry = source.over_decades(-15.0, 0.0);
    sort_poles(problem);
    problem.rho = source.over_decades(-3.0, 3.0);
    ASSERT_NO_FATAL_FAILURE(expect_accurate(problem)) << "repetition " << repetition;
  }
}

// Of a positive matrix that is graded, each eigenvalue on its own scale.
TEST(HardCases, SmallPolesBesideALargeOneAreRightToRoundingOfThemselves) {
  ProblemSource source(14);
  for (int repetition = 0; repetition < 150; ++repetition) {
    Problem problem = source.ordinary(2 + source.index(7));
    for (double& pole : problem.poles) pole = std::fabs(source.over_decades(-25.0, 0.0));
    sort_poles(problem);
    for (std::size_t j = 0; j < problem.z.size(); ++j) {
      problem.z[j] = std::sqrt(problem.poles[j]) * source.over_decades(-3.0, 1.0);
    }
    problem.rho = 1.0;
    ASSERT_NO_FATAL_FAILURE(expect_accurate(problem)) << "repetition " << repetition;
    RankOneEigen solver(problem.poles.size());
    solver.compute(problem.poles, problem.z, problem.rho);
    const QuadEigen expected = reference(problem);
    for (std::size_t i = 0; i < problem.poles.size(); ++i) {
      const auto value = static_cast<double>(expected.values[i]);
      // A root is right to the rounding of w, of whose terms up to 100 times 1 cancel at these weights.
      ASSERT_LE(std::fabs(solver.values()[i] - value), 1000.0 * kUnit * value)
          << repetition << ", value " << i;
    }
  }
}

// Each adds less to the small eigenvalue than the rounding of the large one, and all together a thousand
// times that.
TEST(HardCases, UpdatesBelowTheRoundingOfTheLargestPoleAddUp) {
  constexpr int kUpdates = 4000;
  ProblemSource source(15);
  RankOneEigen solver(2);
  double values[2] = {1.0, 0.0};
  double across = 0.0;  // the small vector's entry on the first axis; the second is 1 to rounding
  Quad sum[3] = {1, 0, 0};
  for (int i = 0; i < kUpdates; ++i) {
    const double x = 1e-8 * (source.over_decades(-1.0, 0.0) - 0.5);
    const double y = 1e-8 * (source.over_decades(-1.0, 0.0) - 0.5);
    sum[0] += static_cast<Quad>(x) * x;
    sum[1] += static_cast<Quad>(x) * y;
    sum[2] += static_cast<Quad>(y) * y;
    solver.compute(values, std::vector{x - across * y, y + across * x}, 1.0);
    across += solver.vectors()[2];
    std::copy_n(solver.values().data(), 2, values);
  }
  const auto expected = testing::jacobi({{sum[0], sum[1]}, {sum[1], sum[2]}});
  const auto small = static_cast<double>(expected.values[1]);
  EXPECT_LE(std::fabs(values[1] / small - 1.0), kUpdates * kUnit);
}

TEST(HardCases, ARowThatTheModelAlreadyExplainsLeavesTheOtherVectorsAlone) {
  // A row along a strong component: the other components must not rotate by more than rounding.
  const Problem problem{{1e12, 1.0, 0.5, 1e-3}, {1e3, 1e-9, 1e-9, 0.0}, 1.0};
  ASSERT_NO_FATAL_FAILURE(expect_accurate(problem));
}

}  // namespace
}  // namespace roipca::secular
