#include <gtest/gtest.h>

#include <cmath>

#include "rules/states.hpp"

namespace roipca::testing {
namespace {

// One update: eigenpairs, what is left of the trace, and a row.
struct Problem {
  Spectrum<double> start;
  double mu = 0.0;
  Eigen::VectorXd row;
};

Eigen::VectorXd make_values(Random& random, Index k) {
  Eigen::VectorXd values(k);
  const Index kind = pick(random, 0, 5);
  for (Index i = 0; i < k; ++i) {
    switch (kind) {
      case 0:
        values[i] = uniform(random, 0.0, 1.0);
        break;
      case 1:
        values[i] = 1.0;  // all equal
        break;
      case 2:
        values[i] = 1.0 + 1e-12 * uniform(random, 0.0, 1.0);  // one cluster
        break;
      case 3:
        values[i] = std::pow(10.0, -uniform(random, 0.0, 16.0));  // graded
        break;
      case 4:
        values[i] = i % 2 == 0 ? 2.0 : 1.0;  // pairs
        break;
      default:
        values[i] = 1.0 + std::pow(10.0, -uniform(random, 8.0, 17.0));  // gaps around rounding
    }
  }
  return descending(values) * std::pow(10.0, uniform(random, -6.0, 6.0));
}

Eigen::VectorXd make_row(Random& random, const Spectrum<double>& s) {
  const Index d = s.basis.rows();
  const Index k = s.basis.cols();
  const double size = std::sqrt(s.values[0]) * std::pow(10.0, uniform(random, -8.0, 2.0));
  switch (pick(random, 0, 5)) {
    case 0:
      return size * normal_vector(random, d);
    case 1:
      return size * s.basis * normal_vector(random, k);  // inside the span
    case 2:
      return size * s.basis.col(pick(random, 0, k - 1));  // along one component
    case 3: {                                             // outside the span
      const Eigen::VectorXd x = size * normal_vector(random, d);
      return x - s.basis * (s.basis.transpose() * x);
    }
    case 4: {  // inside but for a little
      const double part = std::pow(10.0, -uniform(random, 4.0, 17.0));
      return size * (s.basis * normal_vector(random, k) + part * normal_vector(random, d));
    }
    default: {  // coordinates over many decades
      Eigen::VectorXd z = normal_vector(random, k);
      for (double& entry : z) entry *= std::pow(10.0, -uniform(random, 0.0, 20.0));
      return size * (s.basis * z + normal_vector(random, d));
    }
  }
}

Problem make_problem(Random& random) {
  const Index d = pick(random, 1, 10);
  const Index k = pick(random, 0, 3) == 0 ? (pick(random, 0, 1) == 0 ? 1 : d) : pick(random, 1, d);
  Problem p;
  p.start.basis = orthonormal_columns(random, d, k);
  p.start.values = make_values(random, k);
  const Index end = pick(random, 0, 2);
  p.mu = end == 0 ? 0.0 : end == 1 ? p.start.values[k - 1] : uniform(random, 0.0, p.start.values[k - 1]);
  if (k == d) p.mu = 0.0;
  p.start.trace = p.start.values.sum() + p.mu * static_cast<double>(d - k);
  p.row = make_row(random, p.start);
  return p;
}

template <typename T>
class RoipcaRuleOf : public ::testing::Test {};
using NumberTypes = ::testing::Types<float, double>;
TYPED_TEST_SUITE(RoipcaRuleOf, NumberTypes);

TYPED_TEST(RoipcaRuleOf, EqualsADenseEigensolverOnTheShiftedMatrix) {
  using T = TypeParam;
  Random random(1);
  double worst_value = 0.0;
  double worst_residual = 0.0;
  double worst_drift = 0.0;
  for (int repeat = 0; repeat < 100000; ++repeat) {
    const Problem p = make_problem(random);
    const Index d = p.start.basis.rows();
    const Index k = p.start.basis.cols();
    auto rule = make_rule<T>(
        {.n_components = k, .method = Method::kRoipca, .update = Update::kSample, .oversampling = 0}, d);
    start(*rule, p.start);
    if (p.row.cast<T>().squaredNorm() > T{0}) absorb(*rule, p.row);
    const auto got = read(*rule);

    const Eigen::MatrixXd complement =
        Eigen::MatrixXd::Identity(d, d) - p.start.basis * p.start.basis.transpose();
    const Eigen::MatrixXd matrix = low_rank_matrix(p.start) + p.mu * complement + p.row * p.row.transpose();
    const auto want = dense_spectrum(matrix, k);
    const double norm = want.values[0];
    worst_value = std::max(worst_value, (got.values - want.values).cwiseAbs().maxCoeff() / norm);
    const Eigen::MatrixXd residual = matrix * got.basis - got.basis * got.values.asDiagonal();
    worst_residual = std::max(worst_residual, residual.cwiseAbs().maxCoeff() / norm);
    worst_drift = std::max(worst_drift, drift(got.basis));
  }
  // The matrix itself is only known to about d roundings of its norm, and a residual that is all but noise is
  // taken for none up to 16 roundings of the row.
  EXPECT_LE(worst_value, tolerance<T>(1e-13));
  EXPECT_LE(worst_residual, tolerance<T>(1e-13));
  EXPECT_LE(worst_drift, tolerance<T>(1e-14));
}

TEST(RoipcaRule, TakesAGivenVarianceTimesTheWeightForMu) {
  Random random(2);
  const auto start = separated_spectrum(random, 9, 3, 40.0);
  const Eigen::VectorXd row = normal_vector(random, 9);
  auto rule = make_rule<double>({.n_components = 3,
                                 .method = Method::kRoipca,
                                 .update = Update::kSample,
                                 .mu = Mu::fixed(0.25),
                                 .oversampling = 0},
                                9);
  rule->start(start);
  absorb(*rule, row, 100.0);
  const Eigen::MatrixXd complement = Eigen::MatrixXd::Identity(9, 9) - start.basis * start.basis.transpose();
  const auto want = dense_spectrum(low_rank_matrix(start) + 25.0 * complement + row * row.transpose(), 3);
  EXPECT_LE((rule->spectrum().values - want.values).cwiseAbs().maxCoeff(), 1e-13 * want.values[0]);
}

// The paper's formulas as they stand: roots of (TSE) by the small dense problem, vectors by (TEF).
TEST(RoipcaRule, EqualsThePapersEigenvectorFormula) {
  Random random(3);
  for (int repeat = 0; repeat < 200; ++repeat) {
    const auto start = separated_spectrum(random, 12, 4, 10.0);
    const double mu = 3.0;
    Spectrum<double> with_tail = start;
    with_tail.trace += mu * 8.0;
    const Eigen::VectorXd x = normal_vector(random, 12);
    auto rule = make_rule<double>(
        {.n_components = 4, .method = Method::kRoipca, .update = Update::kSample, .oversampling = 0}, 12);
    rule->start(with_tail);
    absorb(*rule, x);
    const auto got = rule->spectrum();

    const Eigen::VectorXd z = start.basis.transpose() * x;
    const Eigen::VectorXd r = x - start.basis * z;
    for (Index i = 0; i < 4; ++i) {
      const double t = got.values[i];
      const double secular =
          1.0 + (z.array().square() / (start.values.array() - t)).sum() + r.squaredNorm() / (mu - t);
      // The derivative of the equation at the root turns the root's rounding into the equation's.
      const double slope = (z.array().square() / (start.values.array() - t).square()).sum() +
                           r.squaredNorm() / ((mu - t) * (mu - t));
      EXPECT_LE(std::abs(secular), 1e-14 * (1.0 + slope * t) * 10.0);
      Eigen::VectorXd q = start.basis * (z.array() / (start.values.array() - t)).matrix() + r / (mu - t);
      q.normalize();
      if (q.dot(got.basis.col(i)) < 0.0) q = -q;
      // The formula divides by lambda_i - t_i, which keeps only the digits above t_i's rounding.
      const double gap = std::abs(start.values[i] - t);
      EXPECT_LE((q - got.basis.col(i)).norm(), 1e-14 * (10.0 + t / gap));
    }
  }
}

TYPED_TEST(RoipcaRuleOf, KeepsItsComponentsOrthonormalOverAMillionRows) {
  Random random(4);
  const Index d = 12;
  auto rule = make_rule<TypeParam>(
      {.n_components = 4, .method = Method::kRoipca, .update = Update::kSample, .oversampling = 0}, d);
  const Eigen::MatrixXd rows = normal_matrix(random, d, 1000) * 3.0;
  for (int i = 0; i < 1000000; ++i) {
    absorb(*rule, rows.col(i % 1000) * (1.0 + static_cast<double>(i % 7)), i);
  }
  EXPECT_LE(drift(read(*rule).basis), tolerance<TypeParam>(1e-11));
}

}  // namespace
}  // namespace roipca::testing
