// Limits against their formulas and against new rows.
#include "roipca/limits.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "monitor/distributions.hpp"
#include "roipca/batch_pca.hpp"
#include "roipca/online_pca.hpp"
#include "support/dense_oracle.hpp"
#include "support/models.hpp"
#include "support/rows.hpp"

namespace roipca {
namespace {

using namespace support;

Model<double> example() {
  const RowMatrix<double> x = decaying_rows(500, 10, 0.7, 1);
  return batch_pca<double>(x, options_for(Method::kExact, 3));
}

TEST(Limits, OfT2ByTheFDistributionIsThatOfNewRows) {
  // 3 * 499 * 501 / (500 * 497) * scipy.stats.f.isf(0.01, 3, 497)
  EXPECT_NEAR(t2_limit(example(), 0.99, LimitRule::kF), 3.0 * 499 * 501 / (500.0 * 497) * 3.8212358001819484,
              1e-8);
  // scipy.stats.chi2.isf(0.05, 3)
  EXPECT_NEAR(t2_limit(example(), 0.95, LimitRule::kChi2), 7.814727903251179, 1e-8);
}

TEST(Limits, OfSpeByTextbooksAreThoseOfTheirFormulas) {
  Model<double> model = example();
  const RowMatrix<double> x = decaying_rows(500, 10, 0.7, 1);
  // All variances are known: hold all, report three.
  model = reporting(batch_pca<double>(x, options_for(Method::kExact, 10)), 3);
  double t1 = 0.0, t2 = 0.0, t3 = 0.0;
  for (std::size_t i = 3; i < 10; ++i) {
    const double v = model.eigenvalues[i] / 499.0;
    t1 += v;
    t2 += v * v;
    t3 += v * v * v;
  }
  const double h = 1.0 - 2.0 * t1 * t3 / (3.0 * t2 * t2);
  const double z = 2.3263478740408408;  // scipy.stats.norm.isf(0.01)
  const double expected =
      t1 * std::pow(z * std::sqrt(2.0 * t2 * h * h) / t1 + 1.0 + t2 * h * (h - 1.0) / (t1 * t1), 1.0 / h);
  EXPECT_NEAR(spe_limit(model, 0.99, LimitRule::kJacksonMudholkar), expected, 1e-9 * expected);
  const double box = t2 / t1 * chi2_quantile(0.01, t1 * t1 / t2);
  EXPECT_NEAR(spe_limit(model, 0.99, LimitRule::kBox), box, 1e-9 * box);
}

TEST(Limits, AreExceededByNewRowsAsOftenAsTheySay) {
  const RowMatrix<double> x = decaying_rows(24000, 60, 0.9, 2);
  const Model<double> model =
      OnlinePca<double>(options_for(Method::kRoipca, 5)).partial_fit(x.topRows(4000)).model();
  const RowMatrix<double> rest = x.bottomRows(20000);
  const auto t2 = model.t2(rest);
  const auto spe = model.spe(rest);
  for (const double confidence : {0.95, 0.99, 0.999}) {
    const double expected = (1.0 - confidence) * 20000.0;
    // Within a factor of 1.5, and the counting error of 20 events at the last.
    const double slack = 0.5 * expected + 2.0 * std::sqrt(expected);
    EXPECT_NEAR(static_cast<double>((as_eigen(t2).array() > t2_limit(model, confidence)).count()), expected,
                slack);
    EXPECT_NEAR(static_cast<double>((as_eigen(spe).array() > spe_limit(model, confidence)).count()), expected,
                slack);
  }
}

TEST(Limits, AreByTextbooksWhereNoRowWasScored) {
  const Model<double> model = example();
  EXPECT_EQ(t2_limit(model, 0.99), t2_limit(model, 0.99, LimitRule::kF));
  EXPECT_EQ(spe_limit(model, 0.99), spe_limit(model, 0.99, LimitRule::kBox));
  EXPECT_THROW(t2_limit(model, 0.99, LimitRule::kPrequential), std::logic_error);
}

TEST(Limits, RefuseWhatIsNotAProbabilityOrNotALimitOfTheStatistic) {
  EXPECT_THROW(t2_limit(example(), 1.0), std::invalid_argument);
  EXPECT_THROW(spe_limit(example(), std::nan("")), std::invalid_argument);
  EXPECT_THROW(t2_limit(example(), 0.99, LimitRule::kBox), std::invalid_argument);
  EXPECT_THROW(spe_limit(example(), 0.99, LimitRule::kF), std::invalid_argument);
  EXPECT_THROW(limit_rule_from_name("gut feeling"), std::invalid_argument);
  EXPECT_EQ(limit_rule_from_name("jackson-mudholkar"), LimitRule::kJacksonMudholkar);
}

// Residuals of a row far from the origin round in units of its numbers.
TEST(Limits, OfSpeExceedTheRoundingOfRowsThatComponentsExplain) {
  for (const double offset : {0.0, 1e6}) {
    const RowMatrix<double> rows =
        ((normal_rows(500, 3, 1) * normal_rows(3, 12, 2)).array() + offset).matrix();
    const auto model =
        OnlinePca<double>(options_for(Method::kExact, 3)).partial_fit(rows.topRows(400)).model();
    const RowMatrix<double> others = rows.bottomRows(100);
    const std::vector<double> spe = model.spe(others);
    const double limit = spe_limit(model, 0.99);
    EXPECT_GT(limit, *std::max_element(spe.begin(), spe.end())) << offset;
    EXPECT_LT(limit, 1e-12 * model.trace() / model.degrees_of_freedom() * (1.0 + offset)) << offset;
  }
}

// Three components of four rows leave one direction of them, or none if the rows are centred. SPE along it is
// its variance times chi2(1): scipy.stats.chi2.isf(0.01, 1).
TEST(Limits, OfSpeConsidersThatRowsWithoutCentringHaveOneMoreDirection) {
  Options options = options_for(Method::kRoipca, 3);
  const RowMatrix<double> x = normal_rows(5, 30, 5);
  const auto limit = [&](Index rows) {
    return spe_limit(batch_pca<double>(x.topRows(rows), options), 0.99, LimitRule::kBox);
  };
  EXPECT_EQ(limit(4), kInf);
  EXPECT_LT(limit(5), kInf);
  options.center = false;
  EXPECT_EQ(limit(3), kInf);
  const double variance = dense_pca(x.topRows(4), {}, false).values[3] / 4.0;
  EXPECT_NEAR(limit(4), 6.634896601021214 * variance, 1e-10 * variance);
}

TEST(Limits, OfTooFewRowsAreInfinite) {
  const RowMatrix<double> x = decaying_rows(3, 10, 0.7, 1);
  Options options = options_for(Method::kExact, 3);
  options.center = false;
  EXPECT_EQ(t2_limit(batch_pca<double>(x, options), 0.99), kInf);
  EXPECT_EQ(spe_limit(batch_pca<double>(x, options), 0.99), kInf);
}

}  // namespace
}  // namespace roipca
