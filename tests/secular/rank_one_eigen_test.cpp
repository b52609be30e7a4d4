#include "secular/rank_one_eigen.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "problems.hpp"

namespace roipca::secular {
namespace {

using testing::Problem;
using testing::ProblemSource;

TEST(RankOneEigen, SolvesTheExampleOfItsHeader) {
  RankOneEigen solver(2);
  solver.compute(std::vector{2.0, 1.0}, std::vector{1.0, 1.0}, 0.5);
  // [2.5 0.5; 0.5 1.5]: 2 +- sqrt(1/2).
  EXPECT_NEAR(solver.values()[0], 2.0 + std::sqrt(0.5), 1e-15);
  EXPECT_NEAR(solver.values()[1], 2.0 - std::sqrt(0.5), 1e-15);
}

TEST(RankOneEigen, OfOrderZeroIsEmpty) {
  RankOneEigen solver(0);
  const Report report = solver.compute({}, {}, 1.0);
  EXPECT_EQ(report.iterations, 0);
  EXPECT_EQ(report.deflated, 0);
  EXPECT_EQ(solver.order(), 0U);
  EXPECT_TRUE(solver.values().empty());
  EXPECT_TRUE(solver.vectors().empty());
}

TEST(RankOneEigen, OfOrderOneAddsRhoZSquared) {
  RankOneEigen solver(1);
  solver.compute(std::vector{5.0}, std::vector{-2.0}, -0.5);
  EXPECT_EQ(solver.values()[0], 3.0);
  EXPECT_EQ(std::fabs(solver.vectors()[0]), 1.0);
}

TEST(RankOneEigen, NeedsFewerThanFourIterationsPerRoot) {
  ProblemSource source(31);
  for (const std::size_t order : {5U, 11U, 21U, 51U}) {
    RankOneEigen solver(order);
    int iterations = 0;
    std::size_t roots = 0;
    for (int repetition = 0; repetition < 200; ++repetition) {
      const Problem problem = source.ordinary(order);
      const Report report = solver.compute(problem.poles, problem.z, problem.rho);
      iterations += report.iterations;
      roots += order - static_cast<std::size_t>(report.deflated);
    }
    EXPECT_LT(static_cast<double>(iterations), 4.0 * static_cast<double>(roots)) << "order " << order;
  }
}

TEST(RankOneEigen, TendsToTheIdentityWithRho) {
  RankOneEigen solver(3);
  for (const double rho : {1e-9, -1e-9}) {
    solver.compute(std::vector{3.0, 2.0, 1.0}, std::vector{-1.0, 1.0, -1.0}, rho);
    // First-order perturbation theory: off-diagonal entries rho z_i z_j / gap.
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) EXPECT_NEAR(solver.vectors()[i * 3 + j], i == j ? 1.0 : 0.0, 2e-9);
    }
  }
}

TEST(RankOneEigen, UndoesAnUpdateByItsDowndate) {
  ProblemSource source(32);
  for (int repetition = 0; repetition < 200; ++repetition) {
    const Problem problem = source.ordinary(12);
    RankOneEigen up(12);
    up.compute(problem.poles, problem.z, 1.0);
    std::vector<double> turned(12, 0.0);  // z in the new eigenvectors
    for (std::size_t i = 0; i < 12; ++i) {
      for (std::size_t j = 0; j < 12; ++j) turned[i] += up.vectors()[i * 12 + j] * problem.z[j];
    }
    RankOneEigen down(12);
    down.compute(up.values(), turned, -1.0);
    // Both solutions and the change of basis cost a few u of the norm.
    for (std::size_t i = 0; i < 12; ++i)
      EXPECT_NEAR(down.values()[i], problem.poles[i], 1e-14 * up.values()[0]);
  }
}

TEST(RankOneEigen, AcceptsItsOwnValuesAsPoles) {
  const std::vector<double> z{1.0, 0.5, 0.25};
  RankOneEigen solver(3);
  solver.compute(std::vector{3.0, 2.0, 1.0}, z, 1.0);
  const std::vector<double> values(solver.values().begin(), solver.values().end());
  RankOneEigen other(3);
  other.compute(values, z, -2.0);
  solver.compute(solver.values(), z, -2.0);
  EXPECT_TRUE(std::equal(other.values().begin(), other.values().end(), solver.values().begin()));
}

TEST(RankOneEigen, GrowsPastItsMaximumOrderAndShrinksAgain) {
  ProblemSource source(33);
  RankOneEigen small(2);
  for (const std::size_t order : {1U, 9U, 3U, 17U, 2U}) {
    const Problem problem = source.ordinary(order);
    RankOneEigen fitting(order);
    fitting.compute(problem.poles, problem.z, 1.0);
    small.compute(problem.poles, problem.z, 1.0);
    ASSERT_EQ(small.order(), order);
    ASSERT_EQ(small.vectors().size(), order * order);
    EXPECT_TRUE(std::equal(small.values().begin(), small.values().end(), fitting.values().begin()));
    EXPECT_TRUE(std::equal(small.vectors().begin(), small.vectors().end(), fitting.vectors().begin()));
  }
}

TEST(RankOneEigen, CopiesAreIndependent) {
  RankOneEigen solver(2);
  solver.compute(std::vector{2.0, 1.0}, std::vector{1.0, 1.0}, 0.5);
  const RankOneEigen copy = solver;
  solver.compute(std::vector{9.0, 8.0}, std::vector{0.0, 0.0}, 1.0);
  EXPECT_NEAR(copy.values()[0], 2.0 + std::sqrt(0.5), 1e-15);
  EXPECT_EQ(solver.values()[0], 9.0);
}

}  // namespace
}  // namespace roipca::secular
