#include "roipca/preparation.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <exception>
#include <limits>
#include <string>
#include <utility>

#include "support/files.hpp"

namespace roipca {
namespace {

template <typename Action>
std::string refusal_of(Action action) {
  return support::refusal_of<std::exception>(action);
}

TEST(Preparation, DoesItsStepsInOrder) {
  const std::vector<double> numbers = {1, 3, 0, 4};
  const Preparation<double> preparation({.target_sum = 16,
                                         .log1p = true,
                                         .feature_weights = {1, 2, 5, 3},
                                         .feature_mask = {true, false, true, true}},
                                        4);
  ASSERT_EQ(preparation.features_out(), 3);
  const OwnedRows<double> rows = preparation.apply(Rows<double>(numbers.data(), 1, 4));
  EXPECT_DOUBLE_EQ(rows(0, 0), std::log(1.0 + 2.0));
  EXPECT_EQ(rows(0, 1), 0.0);
  EXPECT_DOUBLE_EQ(rows(0, 2), 3.0 * std::log(1.0 + 8.0));
}

TEST(Preparation, LeavesSparseRowsSparseAndAddsUpEntriesOfOnePlaceFirst) {
  OwnedSparseRows<double> counts(100);
  for (const auto& [column, value] : {std::pair{70, 1.0}, {3, 2.0}, {70, 2.0}, {5, 0.0}}) {
    counts.add(column, value);
  }
  counts.end_row();
  counts.end_row();
  const OwnedSparseRows<double> rows = Preparation<double>({.log1p = true}, 100).apply(counts.view());
  ASSERT_EQ(rows.rows(), 2);
  EXPECT_EQ(rows.indices(), (std::vector<std::int64_t>{3, 70}));
  EXPECT_DOUBLE_EQ(rows.values()[0], std::log(3.0));
  EXPECT_DOUBLE_EQ(rows.values()[1], std::log(4.0));
  EXPECT_EQ(rows.starts(), (std::vector<std::int64_t>{0, 2, 2}));
}

TEST(Preparation, NamesTheRowThatItCannotPrepareAndLeavesTheResultAsItWas) {
  OwnedSparseRows<float> counts(10);
  counts.add(2, 1.0F);
  counts.end_row();
  counts.add(2, 1.0F);
  counts.add(4, -3.0F);
  counts.end_row();
  const Preparation<float> preparation({.log1p = true}, 10);
  OwnedSparseRows<float> rows(10);
  preparation.apply_row(counts.view(), 0, rows);
  EXPECT_EQ(refusal_of([&] { preparation.apply_row(counts.view(), 1, rows); }),
            "row 1: -3 in column 4; log1p needs numbers above -1");
  EXPECT_EQ(rows.rows(), 1);
  EXPECT_EQ(rows.entries(), 1);
  EXPECT_EQ(refusal_of([&] { Preparation<float>({.target_sum = 1.0}, 10).apply(counts.view()); }),
            "row 1: the sum is -2; target_sum needs rows of counts");
}

TEST(Preparation, RefusesStepsThatDoNotFit) {
  const auto refusal = [](PreparationSteps steps) {
    return refusal_of([&] { const Preparation<double> preparation(std::move(steps), 3); });
  };
  EXPECT_EQ(refusal({.target_sum = 0.0}), "target_sum must be a number above 0");
  EXPECT_EQ(refusal({.feature_weights = {1, 2}}), "feature_weights has 2 entries; the rows have 3 features");
  EXPECT_EQ(refusal({.feature_weights = {1, 2, std::numeric_limits<double>::infinity()}}),
            "feature_weights must be finite numbers");
  EXPECT_EQ(refusal({.feature_mask = {true}}), "feature_mask has 1 entries; the rows have 3 features");
  EXPECT_EQ(refusal({.feature_mask = {false, false, false}}), "feature_mask keeps no feature");
}

}  // namespace
}  // namespace roipca
