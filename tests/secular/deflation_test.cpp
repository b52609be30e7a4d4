#include "secular/deflation.hpp"

#include <gtest/gtest.h>

#include "problems.hpp"
#include "secular/rank_one_eigen.hpp"

namespace roipca::secular {
namespace {

using testing::kUnit;

int deflated(const std::vector<double>& poles, const std::vector<double>& z, double rho) {
  return RankOneEigen(poles.size()).compute(poles, z, rho).deflated;
}

TEST(Deflation, LeavesNothingToSolveWithoutAnUpdate) {
  EXPECT_EQ(deflated({3.0, 2.0, 1.0}, {0.0, 0.0, 0.0}, 1.0), 3);
  EXPECT_EQ(deflated({3.0, 2.0, 1.0}, {1.0, 1.0, 1.0}, 0.0), 3);
  EXPECT_EQ(deflated({0.0, 0.0}, {0.0, 0.0}, 0.0), 2);
}

TEST(Deflation, KeepsThePoleAndAxisOfAZeroWeightBitForBit) {
  RankOneEigen solver(3);
  const std::vector<double> poles{0.3, 0.2, 0.1};
  const std::vector<double> z{1.0, 0.0, 1.0};
  for (const double rho : {1e-3, -1e-3}) {
    EXPECT_EQ(solver.compute(poles, z, rho).deflated, 1);
    EXPECT_EQ(solver.values()[1], 0.2);
    EXPECT_EQ(solver.vectors()[3], 0.0);
    EXPECT_EQ(solver.vectors()[4], 1.0);
    EXPECT_EQ(solver.vectors()[5], 0.0);
  }
}

TEST(Deflation, MergesEqualPolesIntoOneThatMoves) {
  EXPECT_EQ(deflated({1.0, 1.0, 1.0, 1.0}, {0.1, 0.2, 0.3, 0.4}, 1.0), 3);
  EXPECT_EQ(deflated({2.0, 2.0, 1.0, 1.0, 0.0}, {1.0, 1.0, 1.0, 1.0, 1.0}, 1.0), 2);
  EXPECT_EQ(deflated({2.0, 2.0, 1.0, 1.0, 0.0}, {1.0, 1.0, 1.0, 1.0, 1.0}, -1.0), 2);

  RankOneEigen solver(3);
  solver.compute(std::vector{0.7, 0.7, 0.7}, std::vector{1.0, 2.0, 2.0}, 1.0);
  EXPECT_NEAR(solver.values()[0], 9.7, 16.0 * kUnit * 9.7);  // 0.7 + |z|^2
  EXPECT_EQ(solver.values()[1], 0.7);
  EXPECT_EQ(solver.values()[2], 0.7);
}

TEST(Deflation, SparesPolesAndWeightsAboveTheTolerance) {
  EXPECT_EQ(deflated({1.0, 1.0 - 1e-14}, {1.0, 1.0}, 1.0), 0);
  EXPECT_EQ(deflated({1.0, 0.5}, {1.0, 1e-14}, 1.0), 0);
  EXPECT_EQ(deflated({1.0, 1.0 - 1e-16}, {1.0, 1.0}, 1.0), 1);
  EXPECT_EQ(deflated({1.0, 0.5}, {1.0, 1e-17}, 1.0), 1);
}

TEST(Deflation, RotationsTakeZOutOfTheRowTheyDrop) {
  NormalForm form;
  form.reserve(2);
  form.assign(std::vector{1.0, 1.0}, std::vector{3.0, 4.0}, 1.0);
  Deflation deflation;
  deflation.reserve(2);
  deflation.run(form);
  ASSERT_EQ(deflation.rotations().size(), 1U);
  const Rotation& rotation = deflation.rotations()[0];
  EXPECT_NEAR(rotation.cosine * form.z[rotation.dropped] - rotation.sine * form.z[rotation.kept], 0.0,
              2.0 * kUnit);
  EXPECT_NEAR(rotation.sine * form.z[rotation.dropped] + rotation.cosine * form.z[rotation.kept], 1.0,
              4.0 * kUnit);
  ASSERT_EQ(deflation.survivors().size(), 1U);
  EXPECT_EQ(deflation.survivors()[0].place, rotation.kept);
  EXPECT_EQ(deflation.deflated()[0].place, rotation.dropped);
}

}  // namespace
}  // namespace roipca::secular
