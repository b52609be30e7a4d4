#include <gtest/gtest.h>

#include <cmath>

#include "rules/states.hpp"

namespace roipca::testing {
namespace {

TEST(IpcaRule, EqualsADenseEigensolverOnTheLowRankMatrix) {
  Random random(1);
  for (int repeat = 0; repeat < 300; ++repeat) {
    const Index k = pick(random, 1, 6);
    const Index d = k + pick(random, 0, 8);
    const auto start = separated_spectrum(random, d, k, 10.0);
    const Eigen::VectorXd x = normal_vector(random, d);
    auto rule = make_rule<double>(
        {.n_components = k, .method = Method::kIpca, .update_every = UpdateEvery::kRow, .oversampling = 0},
        d);
    rule->start(start);
    absorb(*rule, x);
    const auto got = rule->spectrum();
    const Eigen::MatrixXd matrix = low_rank_matrix(start) + x * x.transpose();
    const auto want = dense_spectrum(matrix, k);
    EXPECT_LE((got.values - want.values).cwiseAbs().maxCoeff(), 1e-13 * want.values[0]);
    const Eigen::MatrixXd residual = matrix * got.basis - got.basis * got.values.asDiagonal();
    EXPECT_LE(residual.cwiseAbs().maxCoeff(), 1e-13 * want.values[0]);
  }
}

// Weng, Zhang and Hwang's recurrence as published: means v_i, whose lengths are variances. They are scaled by
// the ratio of the trace to the total variance computed by the same recurrence.
TEST(CcipcaRule, FollowsItsRecurrence) {
  Random random(2);
  const Index d = 7;
  const Index k = 3;
  const double l = 2.0;
  const Eigen::MatrixXd rows = normal_matrix(random, d, 60);
  auto rule = make_rule<double>({.n_components = k, .method = Method::kCcipca, .amnesia = l}, d);
  std::vector<Eigen::VectorXd> v;
  double total = 0.0;
  double trace = 0.0;
  for (Index step = 0; step < rows.cols(); ++step) {
    const auto n = static_cast<double>(step + 1);
    absorb(*rule, rows.col(step), n - 1.0);
    const double old_share = (n - 1.0 - std::min(l, (n - 1.0) / 10.0)) / n;
    Eigen::VectorXd u = rows.col(step);
    total = old_share * total + (1.0 - old_share) * u.squaredNorm();
    trace += u.squaredNorm();
    for (auto& mean : v) {
      mean = old_share * mean + (1.0 - old_share) * u.dot(mean.normalized()) * u;
      u -= u.dot(mean.normalized()) * mean.normalized();
    }
    if (static_cast<Index>(v.size()) < k) v.emplace_back(u.squaredNorm() / n * u.normalized());
    std::stable_sort(v.begin(), v.end(), [](const auto& a, const auto& b) { return a.norm() > b.norm(); });

    const auto got = rule->spectrum();
    ASSERT_EQ(got.basis.cols(), static_cast<Index>(v.size()));
    for (Index i = 0; i < got.basis.cols(); ++i) {
      const double share = v[static_cast<std::size_t>(i)].norm() / total;
      EXPECT_NEAR(got.values[i], share * trace, 1e-12 * got.values[0]);
    }
    EXPECT_LE((got.basis.col(0) - v[0].normalized()).norm(), 1e-11);
  }
}

TEST(GhaRule, SubtractsTheComponentsUpToItsOwnFromTheRow) {
  Random random(6);
  const Index d = 9;
  const Index k = 4;
  const auto start = separated_spectrum(random, d, k, 30.0);
  const Eigen::VectorXd x = normal_vector(random, d);
  const double c = 0.7;
  auto rule = make_rule<double>(
      {.n_components = k, .method = Method::kGha, .learning_rate = LearningRate::fixed(c)}, d);
  rule->start(start);
  absorb(*rule, x, 9.0);
  const Eigen::VectorXd z = start.basis.transpose() * x;
  Eigen::MatrixXd want = start.basis;
  for (Index i = 0; i < k; ++i) {
    const Eigen::VectorXd left = x - start.basis.leftCols(i + 1) * z.head(i + 1);
    want.col(i) += c / 10.0 * z[i] * left;
  }
  // Reading orthonormalises by Gram-Schmidt.
  const Eigen::HouseholderQR<Eigen::MatrixXd> qr(want);
  want = qr.householderQ() * Eigen::MatrixXd::Identity(d, k);
  for (Index i = 0; i < k; ++i) {
    if (qr.matrixQR()(i, i) < 0.0) want.col(i) = -want.col(i);
  }
  EXPECT_LE((rule->spectrum().basis - want).cwiseAbs().maxCoeff(), 1e-14);
}

TEST(OjaRule, IsAGradientStepFollowedByGramSchmidt) {
  Random random(3);
  const Index d = 9;
  const Index k = 4;
  const auto start = separated_spectrum(random, d, k, 30.0);
  const Eigen::VectorXd x = normal_vector(random, d);
  const double c = 0.7;
  auto rule = make_rule<double>(
      {.n_components = k, .method = Method::kOja, .learning_rate = LearningRate::fixed(c)}, d);
  rule->start(start);
  absorb(*rule, x, 9.0);
  const Eigen::MatrixXd stepped = start.basis + c / 10.0 * x * (x.transpose() * start.basis);
  const Eigen::HouseholderQR<Eigen::MatrixXd> qr(stepped);
  Eigen::MatrixXd want = qr.householderQ() * Eigen::MatrixXd::Identity(d, k);
  for (Index i = 0; i < k; ++i) {
    if (qr.matrixQR()(i, i) < 0.0) want.col(i) = -want.col(i);
  }
  EXPECT_LE((rule->spectrum().basis - want).cwiseAbs().maxCoeff(), 1e-14);
  ASSERT_EQ(rule->learning_rates().size(), 4U);
  EXPECT_DOUBLE_EQ(rule->learning_rates()[0], c / 10.0);
}

// The guarantee of Ghashami et al.: 0 <= A^T A - B^T B <= |A - A_j|_F^2 / (k - j) for every j < k.
TEST(FrequentDirectionsRule, KeepsItsErrorBound) {
  Random random(4);
  const Index d = 20;
  const Index k = 8;
  const Index n = 500;
  Eigen::MatrixXd rows = normal_matrix(random, d, n);
  for (Index i = 0; i < d; ++i) rows.row(i) *= std::pow(0.7, static_cast<double>(i));
  auto rule =
      make_rule<double>({.n_components = k, .method = Method::kFrequentDirections, .oversampling = 0}, d);
  for (Index i = 0; i < n; ++i) absorb(*rule, rows.col(i));
  const Eigen::MatrixXd matrix = rows * rows.transpose();
  const auto truth = dense_spectrum(matrix, d);
  const Eigen::VectorXd gap = dense_spectrum(matrix - low_rank_matrix(rule->spectrum()), d).values;
  const double rounding = 1e-12 * truth.values[0];
  EXPECT_GE(gap[d - 1], -rounding);
  for (Index j = 0; j < k; ++j) {
    const double bound = truth.values.tail(d - j).sum() / static_cast<double>(k - j);
    EXPECT_LE(gap[0], bound + rounding) << "j = " << j;
  }
}

}  // namespace
}  // namespace roipca::testing
