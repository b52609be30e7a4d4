// Bounds the number of heap allocations, and their bytes.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "linalg/eigen_types.hpp"
#include "roipca/online_pca.hpp"
#include "support/heap.hpp"
#include "support/rows.hpp"

namespace roipca {
namespace {

using support::heap::allocations;

struct Case {
  const char* name;
  Options options;
};

class Allocation : public ::testing::TestWithParam<Case> {};

// Returns how often a method that updates row by row reads its components to score rows by (RowScoring): when
// the rows have grown by an eighth or, where rows are forgotten, an eighth of those that count is new.
long readings_for_scores(const Options& options, double from, double to) {
  const bool by_blocks = (options.method == Method::kRoipca || options.method == Method::kIpca) &&
                         options.update_every == UpdateEvery::kBlock;
  if (by_blocks) return 0;
  const double growths = options.forgetting < 1.0 ? (to - from) * 8.0 * (1.0 - options.forgetting)
                                                  : std::log(to / from) / std::log(1.125);
  return static_cast<long>(std::ceil(growths)) + 1;
}

template <typename T>
void expect_no_allocation_per_row(Options options, Index features, Index components) {
  std::mt19937_64 random(1);
  std::normal_distribution<T> normal;
  RowMatrix<T> rows(3000, features);
  for (T& entry : rows.reshaped()) entry = normal(random);
  options.n_components = components;
  OnlinePca<T> pca(options);
  pca.partial_fit(rows.topRows(200));
  // A call with many rows keeps a copy of the state to restore after an error; a call with few rows allocates
  // nothing.
  const auto count = [&](auto run) {
    const long before = allocations();
    run();
    return allocations() - before;
  };
  const long many = count([&] { pca.partial_fit(rows); });
  if (options.method == Method::kExact) {
    // It solves for components to score rows by whenever the rows have grown by half: 8 times from 200 to
    // 3,200.
    EXPECT_LE(many, 70 + 8 * 50) << features << " features";
    return;
  }
  // Now and then a model is read to compare rows with (ChangeDetector): when the rows have doubled or, where
  // rows are forgotten, been replaced. All other rows allocate nothing.
  constexpr long kOfReading = 100;
  constexpr long kOfComponents = 40;
  const auto for_scores = [&](double from, double to) { return readings_for_scores(options, from, to); };
  EXPECT_LE(many, 70 + 6 * kOfReading + for_scores(200, 3200) * kOfComponents)
      << features << " features, " << components << " components";
  EXPECT_LE(count([&] { pca.partial_fit(rows.topRows(2900)); }),
            70 + 4 * kOfReading + for_scores(3200, 6100) * kOfComponents)
      << features << " features";
  EXPECT_LE(count([&] { pca.partial_fit(rows.topRows(300)); }),
            kOfReading + for_scores(6100, 6400) * kOfComponents)
      << features << " features";
  int updates_that_allocate = 0;
  for (Index i = 0; i < 300; ++i) {
    updates_that_allocate += count([&] { pca.update(rows.row(i), 2.0); }) > 0 ? 1 : 0;
  }
  EXPECT_LE(updates_that_allocate, 1 + for_scores(6400, 6700)) << "one row at a time";
}

TEST_P(Allocation, NoneForRowsAfterTheFirst) {
  expect_no_allocation_per_row<double>(GetParam().options, 50, 5);
  expect_no_allocation_per_row<float>(GetParam().options, 50, 5);
  expect_no_allocation_per_row<double>(GetParam().options, 300, 30);
}

// The rows of such a call have more numbers than a cache, but fewer than the components: copying the state to
// restore it after an error would cost more than checking the rows first.
TEST(Allocation, NoneForOneWideRow) {
  constexpr Index kFeatures = 140000;
  const RowMatrix<double> rows = RowMatrix<double>::Random(4, kFeatures);
  OnlinePca<double> pca({.n_components = 3, .method = Method::kRoipca});
  pca.partial_fit(rows.topRows(2));
  const long before = allocations();
  pca.update(rows.row(2));
  pca.partial_fit(rows.bottomRows(2));
  EXPECT_EQ(allocations(), before);
}

TEST(Allocation, NoneForASecondReading) {
  const RowMatrix<double> rows = RowMatrix<double>::Random(100, 20);
  OnlinePca<double> pca({.n_components = 3, .method = Method::kRoipca});
  pca.partial_fit(rows);
  const auto first = pca.snapshot();
  const long before = allocations();
  const auto second = pca.snapshot();
  EXPECT_EQ(allocations(), before);
}

// A table of the filled values and the components in their places, 30 % of 64 rows of a block with 100
// components each, would have three times as many numbers as docs/guides/larger-than-memory.md promises.
TEST(Allocation, ForScoresOfRowsWithGapsDoesNotGrowWithTheGaps) {
  constexpr Index kFeatures = 2000;
  constexpr Index kHeld = 100;
  RowMatrix<double> rows = support::normal_rows(400, kFeatures, 1);
  const Vector<double> uniform = support::uniform_numbers(rows.size(), 2);
  for (Index i = 0; i < rows.size(); ++i) {
    if (uniform[i] < 0.3) rows.data()[i] = std::numeric_limits<double>::quiet_NaN();
  }
  OnlinePca<double> pca({.n_components = kHeld / 2,
                         .method = Method::kRoipca,
                         .oversampling = kHeld / 2,
                         .first_rows = 100,
                         .missing = Missing::kImpute});
  pca.partial_fit(rows.topRows(110));
  support::heap::start_measuring();
  for (Index i = 110; i < rows.rows(); i += 10) pca.partial_fit(rows.middleRows(i, 10));
  const auto promised = static_cast<double>((4 * kHeld + 200) * kFeatures);
  EXPECT_LT(static_cast<double>(support::heap::peak()), 8.0 * promised);
  EXPECT_GT(pca.model().prequential.rows, 0);
}

TEST(AllocationCounter, SeesAnAllocation) {
  const long before = allocations();
  const Eigen::VectorXd made = Eigen::VectorXd::Zero(1000);
  EXPECT_EQ(made.size(), 1000);
  EXPECT_GT(allocations(), before);
}

INSTANTIATE_TEST_SUITE_P(
    EveryMethod, Allocation,
    ::testing::Values(
        Case{"roipca", {.method = Method::kRoipca}},
        Case{"roipca_row_by_row", {.method = Method::kRoipca, .update_every = UpdateEvery::kRow}},
        Case{"roipca_forgetting", {.method = Method::kRoipca, .forgetting = 0.999}},
        Case{"roipca_uncentred", {.method = Method::kRoipca, .mu = Mu::fixed(1.0), .center = false}},
        Case{"froipca", {.method = Method::kFroipca}},
        Case{"froipca_optimal_tau", {.method = Method::kFroipca, .tau = Tau::kOptimal}},
        Case{"ipca", {.method = Method::kIpca, .update_every = UpdateEvery::kRow}},
        Case{"ccipca", {.method = Method::kCcipca}}, Case{"gha", {.method = Method::kGha}},
        Case{"oja", {.method = Method::kOja}},
        Case{"fd", {.method = Method::kFrequentDirections, .forgetting = 0.999}},
        Case{"exact", {.method = Method::kExact}}),
    [](const auto& chosen) { return std::string(chosen.param.name); });

}  // namespace
}  // namespace roipca
