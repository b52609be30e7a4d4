#include "roipca/component_count.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "roipca/batch_pca.hpp"
#include "support/rows.hpp"

namespace roipca {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(SuggestComponents, RefusesNumbersThatAreNoVariances) {
  const auto suggest = [](std::vector<double> leading, double total, double rows, Index features) {
    return suggest_components({.leading = leading, .total = total, .rows = rows, .features = features});
  };
  EXPECT_THROW(suggest({1.0, 2.0}, 4.0, 100, 5), std::invalid_argument);
  EXPECT_THROW(suggest({2.0, -1.0}, 4.0, 100, 5), std::invalid_argument);
  EXPECT_THROW(suggest({kInfinity}, kInfinity, 100, 5), std::invalid_argument);
  EXPECT_THROW(suggest({2.0, 1.0, 1.0}, 4.0, 100, 2), std::invalid_argument);
  EXPECT_EQ(suggest({}, 4.0, 100, 5).consensus, 0);
  EXPECT_EQ(suggest({}, 0.0, 0, 5).cautions.size(), 1);
}

// Variances of noise that are spread as in a sample: about 2 sqrt(d / n) to both sides of 1.
std::vector<double> noise_variances(std::size_t count, double rows) {
  std::vector<double> variances;
  const auto d = static_cast<double>(count);
  for (std::size_t i = 0; i < count; ++i) {
    const double place = (static_cast<double>(i) + 0.5) / d;
    variances.push_back(1.0 + 2.0 * std::sqrt(d / rows) * (1.0 - 2.0 * place));
  }
  return variances;
}

// For few features beside the rows, the noise ends near its variance, 1, and Gavish and Donoho's threshold is
// near 2.
TEST(SuggestComponents, CountsAStepForAnyNumberOfRows) {
  for (const double rows : {1e4, 1e6, 1e9, 1e12}) {
    std::vector<double> variances = {3.0, 2.5};
    for (const double variance : noise_variances(18, rows)) variances.push_back(variance);
    const ComponentCounts counts =
        suggest_components({.leading = variances, .total = 23.5, .rows = rows, .features = 20});
    EXPECT_EQ(counts.gavish_donoho, 2) << rows;
    EXPECT_EQ(counts.tracy_widom, 2) << rows;
    EXPECT_EQ(counts.minka, 2) << rows;
    EXPECT_EQ(counts.consensus, 2) << rows;
    EXPECT_NEAR(counts.noise_variance, 1.0, 100.0 / rows);
  }
}

TEST(SuggestComponents, KnowsTheSameFromTheLeadingVariancesAsFromAll) {
  std::vector<double> variances = {30.0, 20.0, 10.0};
  for (const double variance : noise_variances(37, 500.0)) variances.push_back(variance);
  const VarianceSummary all = {.leading = variances, .total = 97.0, .rows = 500, .features = 40};
  VarianceSummary leading = all;
  leading.leading = leading.leading.first(8);
  const ComponentCounts of_all = suggest_components(all);
  EXPECT_EQ(of_all.consensus, 3);
  EXPECT_EQ(suggest_components(leading), of_all);
}

// Features in different units, of which each is taken for a component of its own.
TEST(SuggestComponents, CautionsIfHardlyAnyDirectionIsLeftForTheNoise) {
  const auto cautions_beside = [](std::size_t noise) {
    std::vector<double> variances(10 - noise);
    double total = static_cast<double>(noise);
    for (std::size_t i = 0; i < variances.size(); ++i)
      total += variances[i] = std::pow(10.0, static_cast<double>(10 - i));
    for (const double variance : noise_variances(noise, 2000.0)) variances.push_back(variance);
    const ComponentCounts counts =
        suggest_components({.leading = variances, .total = total, .rows = 2000, .features = 10});
    EXPECT_EQ(counts.consensus, static_cast<Index>(10 - noise));
    return counts.cautions;
  };
  for (const std::size_t noise : {1, 2}) {
    const std::vector<std::string> cautions = cautions_beside(noise);
    ASSERT_EQ(cautions.size(), 1) << noise;
    EXPECT_TRUE(cautions[0].starts_with(std::to_string(10 - noise) + " of 10 directions")) << cautions[0];
  }
  EXPECT_TRUE(cautions_beside(5).empty());
}

template <typename T>
class SuggestComponentsOf : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(SuggestComponentsOf, Types);

TYPED_TEST(SuggestComponentsOf, AModelWithoutVarianceIsNone) {
  const OwnedRows<TypeParam> rows(3, 4);
  const ComponentCounts counts = suggest_components(batch_pca<TypeParam>(rows, {.n_components = 2}));
  EXPECT_EQ(counts.consensus, 0);
  EXPECT_EQ(counts.cautions.size(), 1);
}

TYPED_TEST(SuggestComponentsOf, TheRankCountsWhereThereIsNoNoise) {
  OwnedRows<TypeParam> rows(64, 6);
  for (Index i = 0; i < rows.rows(); ++i) {
    rows(i, 0) = static_cast<TypeParam>(i % 2);
    rows(i, 1) = static_cast<TypeParam>(i / 2 % 2);
  }
  const ComponentCounts counts = suggest_components(batch_pca<TypeParam>(rows, {.n_components = 4}));
  EXPECT_EQ(counts.consensus, 2);
  EXPECT_EQ(counts.noise_variance, 0.0);
}

}  // namespace
}  // namespace roipca
