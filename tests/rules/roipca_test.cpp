#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "rules/states.hpp"

namespace roipca::testing {
namespace {

// One update: eigenpairs, the remaining trace, and a row.
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
    case 4: {  // almost inside
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
        {.n_components = k, .method = Method::kRoipca, .update_every = UpdateEvery::kRow, .oversampling = 0},
        d);
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
  // The matrix itself is known only to about d roundings of its norm, and a residual of up to 16 roundings of
  // the row counts as zero.
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
                                 .update_every = UpdateEvery::kRow,
                                 .mu = Mu::fixed(0.25),
                                 .oversampling = 0},
                                9);
  rule->start(start);
  absorb(*rule, row, 100.0);
  const Eigen::MatrixXd complement = Eigen::MatrixXd::Identity(9, 9) - start.basis * start.basis.transpose();
  const auto want = dense_spectrum(low_rank_matrix(start) + 25.0 * complement + row * row.transpose(), 3);
  EXPECT_LE((rule->spectrum().values - want.values).cwiseAbs().maxCoeff(), 1e-13 * want.values[0]);
}

// The paper's formulas, implemented directly: roots of (TSE) by the small dense problem, vectors by (TEF).
TEST(RoipcaRule, EqualsThePapersEigenvectorFormula) {
  Random random(3);
  for (int repeat = 0; repeat < 200; ++repeat) {
    const auto start = separated_spectrum(random, 12, 4, 10.0);
    const double mu = 3.0;
    Spectrum<double> with_tail = start;
    with_tail.trace += mu * 8.0;
    const Eigen::VectorXd x = normal_vector(random, 12);
    auto rule = make_rule<double>(
        {.n_components = 4, .method = Method::kRoipca, .update_every = UpdateEvery::kRow, .oversampling = 0},
        12);
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
      {.n_components = 4, .method = Method::kRoipca, .update_every = UpdateEvery::kRow, .oversampling = 0},
      d);
  const Eigen::MatrixXd rows = normal_matrix(random, d, 1000) * 3.0;
  for (int i = 0; i < 1000000; ++i) {
    absorb(*rule, rows.col(i % 1000) * (1.0 + static_cast<double>(i % 7)), i);
  }
  EXPECT_LE(drift(read(*rule).basis), tolerance<TypeParam>(1e-11));
}

// The algorithm step by step: a dense eigenproblem of order d for every row, in long double.
class DenseRoipca {
 public:
  using Wide = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;

  DenseRoipca(Index features, Index capacity) : basis_(features, 0), values_(0, 1), capacity_(capacity) {}

  void rescale(double factor) {
    values_ *= factor;
    trace_ *= factor;
  }

  void absorb(const Wide& v) {
    const Index d = v.rows();
    const Index rank = basis_.cols();
    const bool is_cut = rank == capacity_ && rank < d;
    const long double mean = (trace_ - values_.sum()) / static_cast<long double>(d - rank);
    const long double mu = is_cut ? std::clamp(mean, 0.0L, values_(rank - 1)) : 0.0L;
    const Wide r = v - basis_ * (basis_.transpose() * v);
    const Index kept = std::min(rank + (r.norm() > 1e-6L * v.norm() ? 1 : 0), capacity_);
    Wide matrix = v * v.transpose() + basis_ * values_.asDiagonal() * basis_.transpose();
    matrix += mu * (Wide::Identity(d, d) - basis_ * basis_.transpose());
    const Eigen::SelfAdjointEigenSolver<Wide> eigen(matrix);
    values_ = eigen.eigenvalues().reverse().head(kept);
    basis_ = eigen.eigenvectors().rowwise().reverse().leftCols(kept);
    trace_ += v.squaredNorm();
  }

  Eigen::MatrixXd matrix() const {
    return (basis_ * values_.asDiagonal() * basis_.transpose()).cast<double>();
  }

 private:
  Wide basis_;
  Eigen::Matrix<long double, Eigen::Dynamic, 1> values_;
  long double trace_ = 0.0L;
  Index capacity_;
};

// Rows over a few decades, of the given rank.
Eigen::MatrixXd stream(Random& random, Index d, Index rank, Index count) {
  Eigen::VectorXd sizes(rank);
  for (Index i = 0; i < rank; ++i) sizes[i] = std::pow(0.7, static_cast<double>(i));
  return orthonormal_columns(random, d, rank) * sizes.asDiagonal() * normal_matrix(random, rank, count);
}

// Compares after every row, so that the model is read at every position within a group or a block.
template <typename T>
void expect_the_algorithm_step_by_step(const Eigen::MatrixXd& rows, Index capacity, double forgetting) {
  auto rule = make_rule<T>({.n_components = capacity,
                            .method = Method::kRoipca,
                            .update_every = UpdateEvery::kRow,
                            .oversampling = 0},
                           rows.rows());
  DenseRoipca dense(rows.rows(), capacity);
  for (Index i = 0; i < rows.cols(); ++i) {
    if (forgetting < 1.0) {
      rule->rescale(forgetting);
      dense.rescale(forgetting);
    }
    absorb(*rule, rows.col(i), static_cast<double>(i));
    dense.absorb(rows.col(i).cast<T>().template cast<long double>());
    const auto got = read(*rule);
    // Later rows amplify the rounding of a row along the last held directions, here by a factor of at most
    // ten. Every row adds its own rounding.
    ASSERT_LE((low_rank_matrix(got) - dense.matrix()).norm(),
              tolerance<T>(1e-14) * static_cast<double>(i + 10) * got.values[0])
        << "row " << i;
    ASSERT_LE(drift(got.basis), tolerance<T>(1e-13)) << "row " << i;
  }
}

TYPED_TEST(RoipcaRuleOf, EqualsTheAlgorithmStepByStep) {
  Random random(5);
  for (const auto& [d, rank, capacity] :
       {std::tuple<Index, Index, Index>{30, 30, 6}, {30, 30, 17}, {9, 9, 9}, {40, 20, 1}}) {
    expect_the_algorithm_step_by_step<TypeParam>(stream(random, d, rank, 60), capacity, 1.0);
  }
}

// Fewer directions than are held, equally many, and a few more: some rows of a block are in the span of
// earlier ones.
TYPED_TEST(RoipcaRuleOf, EqualsTheAlgorithmStepByStepOnRowsOfLowRank) {
  Random random(6);
  for (const Index rank : {1, 3, 6, 7, 8, 10}) {
    expect_the_algorithm_step_by_step<TypeParam>(stream(random, 30, rank, 60), 6, 1.0);
  }
}

TYPED_TEST(RoipcaRuleOf, EqualsTheAlgorithmStepByStepOnRowsThatComeTwice) {
  Random random(7);
  const Eigen::MatrixXd once = stream(random, 30, 30, 25);
  Eigen::MatrixXd rows(30, 50);
  for (Index i = 0; i < 25; ++i) rows.col(2 * i) = rows.col(2 * i + 1) = once.col(i);
  expect_the_algorithm_step_by_step<TypeParam>(rows, 6, 1.0);
}

TYPED_TEST(RoipcaRuleOf, EqualsTheAlgorithmStepByStepWhileForgetting) {
  Random random(8);
  expect_the_algorithm_step_by_step<TypeParam>(stream(random, 30, 30, 80), 6, 0.9);
}

}  // namespace
}  // namespace roipca::testing
