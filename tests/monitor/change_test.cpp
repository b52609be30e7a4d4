// An estimator tells that its rows have changed, and where, and stays silent while they do not.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "roipca/checkpoint.hpp"
#include "roipca/merge.hpp"
#include "roipca/model_file.hpp"
#include "roipca/online_pca.hpp"
#include "support/models.hpp"
#include "support/rows.hpp"
#include "support/sparse_rows.hpp"

namespace roipca {
namespace {

using namespace support;

constexpr Index kFeatures = 20;
constexpr Index kBefore = 4000;
constexpr Index kAfter = 2000;

Options of_three(Method method = Method::kRoipca) { return {.n_components = 3, .method = method}; }

// Three factors and noise.
RowMatrix<double> factors(Index count, unsigned seed, double noise = 1.0, unsigned loadings = 7) {
  return 2.0 * normal_rows(count, 3, seed) * normal_rows(3, kFeatures, loadings) +
         noise * normal_rows(count, kFeatures, seed + 1);
}

RowMatrix<double> joined(const RowMatrix<double>& a, const RowMatrix<double>& b) {
  RowMatrix<double> rows(a.rows() + b.rows(), a.cols());
  rows << a, b;
  return rows;
}

struct Kind {
  std::string name;
  RowMatrix<double> after;
};
std::vector<Kind> changes() {
  const RowMatrix<double> jump = normal_rows(1, kFeatures, 5);
  std::vector<Kind> kinds;
  kinds.push_back({"mean", factors(kAfter, 11).rowwise() + jump.row(0)});
  kinds.push_back({"subspace", factors(kAfter, 11, 1.0, 8)});
  kinds.push_back({"more noise", factors(kAfter, 11, 1.5)});
  kinds.push_back({"less noise", factors(kAfter, 11, 0.6)});
  return kinds;
}

template <typename T>
class Changes : public ::testing::Test {};
TYPED_TEST_SUITE(Changes, Scalars);

TYPED_TEST(Changes, AreFoundWhereTheyBegan) {
  for (const Kind& kind : changes()) {
    const RowMatrix<TypeParam> rows = joined(factors(kBefore, 1), kind.after).template cast<TypeParam>();
    OnlinePca<TypeParam> pca(of_three());
    pca.partial_fit(rows.topRows(kBefore));
    EXPECT_EQ(pca.model().change.count, 0) << kind.name;
    EXPECT_LT(pca.model().change.score, 1.0) << kind.name;
    EXPECT_GT(pca.model().change.rows, 1000) << kind.name;
    pca.partial_fit(rows.middleRows(kBefore, 600));  // eight or nine of the groups that are compared
    EXPECT_EQ(pca.model().change.count, 1) << kind.name;
    EXPECT_NEAR(static_cast<double>(pca.model().change.row), kBefore, 250) << kind.name;
    // What follows is compared with the rows after the change.
    pca.partial_fit(rows.bottomRows(kAfter - 600));
    EXPECT_EQ(pca.model().change.count, 1) << kind.name;
    EXPECT_LT(pca.model().change.score, 1.0) << kind.name;
  }
}

TYPED_TEST(Changes, TheScoreStaysAboveOneUntilThereIsEnoughToCompareWith) {
  const RowMatrix<TypeParam> rows =
      joined(factors(kBefore, 1), factors(kAfter, 11, 2.0)).template cast<TypeParam>();
  OnlinePca<TypeParam> pca(of_three());
  pca.partial_fit(rows.topRows(kBefore));
  Index found = 0;
  for (Index i = kBefore; found == 0; ++i) {
    pca.update(Row<TypeParam>(rows.row(i).data(), kFeatures));
    if (pca.model().change.count == 1) found = i + 1;
  }
  EXPECT_LT(found, kBefore + 400);
  EXPECT_GT(pca.model().change.score, 1.0);
  pca.partial_fit(rows.middleRows(found, 100));
  EXPECT_GT(pca.model().change.score, 1.0);
  pca.partial_fit(rows.middleRows(found + 100, 300));
  EXPECT_LT(pca.model().change.score, 1.0);
}

TEST(NoChange, IsFoundInStreamsThatDoNotChange) {
  constexpr Index kRows = 20000;
  const RowMatrix<double> loadings = 2.0 * normal_rows(3, kFeatures, 7);
  RowMatrix<double> heavy(kRows, kFeatures);  // Student's t with three degrees of freedom
  RowMatrix<double> slow(kRows, kFeatures);   // each row 0.9 times the one before, and something new
  std::mt19937_64 bits(3);
  std::student_t_distribution<double> student(3.0);
  for (Index i = 0; i < kRows; ++i) {
    for (Index j = 0; j < kFeatures; ++j) heavy(i, j) = student(bits);
    for (Index f = 0; f < 3; ++f) heavy.row(i) += student(bits) * loadings.row(f);
  }
  slow = factors(kRows, 21);
  for (Index i = 1; i < kRows; ++i) slow.row(i) = 0.9 * slow.row(i - 1) + std::sqrt(0.19) * slow.row(i);
  for (const RowMatrix<double>& rows : {factors(kRows, 20), heavy, slow}) {
    for (const double forgetting : {1.0, 0.999}) {
      Options options = of_three();
      options.forgetting = forgetting;
      const Change change = OnlinePca<double>(options).partial_fit(rows).model().change;
      EXPECT_EQ(change.count, 0);
      EXPECT_GT(change.rows, 2000);
    }
  }
}

// Every way of learning, since rows are compared before they are learned.
std::vector<Options> all_ways() {
  std::vector<Options> ways;
  ways.reserve(kAllMethods.size() + 7);
  for (const Way& way : kAllMethods) ways.push_back(options_for(way, 3));
  for (const Index window : {2, 300, 1200}) {
    ways.push_back(of_three());
    ways.back().window = window;
  }
  ways.push_back(of_three());
  ways.back().forgetting = 0.998;
  ways.push_back(of_three());
  ways.back().standardize = true;
  ways.push_back(of_three());
  ways.back().threads = 2;
  ways.push_back(of_three());
  ways.back().missing = Missing::kImpute;
  ways.back().first_rows = 200;
  return ways;
}

std::string text(const Options& options) {
  return std::string(name(options.method)) + (options.update_every == UpdateEvery::kRow ? " row" : "") +
         " window " + std::to_string(options.window.value_or(0)) + " threads " +
         std::to_string(options.threads);
}

TEST(Change, IsFoundByEveryMethodAndOption) {
  RowMatrix<double> rows = joined(factors(kBefore, 1), factors(1200, 11, 2.0, 8));
  for (const Options& options : all_ways()) {
    const bool has_gaps = options.missing == Missing::kImpute;
    RowMatrix<double> given = rows;
    for (Index i = 0; has_gaps && i < rows.rows(); ++i) given(i, i % kFeatures) = kNan;
    const Change change = OnlinePca<double>(options).partial_fit(given).model().change;
    if (options.window == 2) {  // no rows to compare with
      EXPECT_EQ(change, Change());
      continue;
    }
    EXPECT_EQ(change.count, 1) << text(options);
    // Where the sum left what is usual: by chance, a few of the groups of 64 rows before.
    EXPECT_NEAR(static_cast<double>(change.row), kBefore, 600) << text(options);
  }
}

TEST(Change, CutsReadingsAndStopsChangeNoBit) {
  RowMatrix<double> rows = joined(factors(1500, 1), factors(700, 11, 2.0, 8));
  Vector<double> weights = uniform_numbers(rows.rows(), 3).array() + 0.5;
  for (Index i = 0; i < rows.rows(); i += 7) weights[i] = 0.0;
  for (const Options& options : all_ways()) {
    RowMatrix<double> given = rows;
    const bool has_gaps = options.missing == Missing::kImpute;
    for (Index i = 0; has_gaps && i < rows.rows(); i += 3) given(i, i % kFeatures) = kNan;
    if (has_gaps) given.row(900).setConstant(kNan);
    const auto whole = OnlinePca<double>(options).partial_fit(given, weights).model();
    OnlinePca<double> pca(options);
    std::mt19937_64 bits(4);
    int calls = 0;
    for (Index from = 0; from < rows.rows();) {
      const Index count = std::min<Index>(rows.rows() - from, 1 + static_cast<Index>(bits() % 60));
      pca.partial_fit(given.middleRows(from, count), weights.segment(from, count));
      if (++calls % 9 == 0 && pca.rows_seen() > 0) static_cast<void>(pca.model());
      if (calls % 13 == 0) pca = OnlinePca<double>::from_state(pca.state());
      from += count;
    }
    EXPECT_EQ(first_difference(pca.model(), whole), "") << text(options);
  }
}

// A reading of the scatter takes as long as 3 rows per feature, or 10 if all eigenpairs are needed: the rows
// before the first one must cost eight times as much.
TEST(Change, IsLookedForAsSoonAsReadingsOfTheScatterCostLittle) {
  constexpr Index kWide = 130;
  const RowMatrix<double> rows = normal_rows(80 * kWide + 100, kWide, 3);
  const auto first_compared = [&](const Options& options) {
    OnlinePca<double> pca(options);
    for (const Index per_feature : {1, 2, 3, 5, 9, 10}) {
      const Index count = 8 * per_feature * kWide + 50 - pca.rows_seen();
      if (pca.partial_fit(rows.middleRows(pca.rows_seen(), count)).model().change.rows > 0)
        return per_feature;
    }
    return Index{0};
  };
  Options options = of_three(Method::kExact);
  EXPECT_EQ(first_compared(options), 3);
  options.probes = 4;
  EXPECT_EQ(first_compared(options), 10);
  options.probes = 0;
  options.first_rows = 20;
  options.standardize = true;
  EXPECT_EQ(first_compared(options), 10);
  options.standardize = false;
  options.missing = Missing::kImpute;
  EXPECT_EQ(first_compared(options), 10);
}

TEST(Change, OfSparseRowsIsFoundWhereThatOfDenseOnesIs) {
  Csr<double> sparse = documents<double>(3000, 60, 12, 1);
  const Csr<double> others = documents<double>(600, 60, 40, 2);
  sparse.append(others);
  const std::vector<double> numbers = sparse.dense();
  const Rows<double> dense(numbers.data(), sparse.count(), sparse.columns);
  const Change of_sparse = OnlinePca<double>(of_three()).partial_fit(sparse.view()).model().change;
  const Change of_dense = OnlinePca<double>(of_three()).partial_fit(dense).model().change;
  EXPECT_EQ(of_sparse.count, 1);
  EXPECT_EQ(of_dense.count, 1);
  // Sparse rows are compared with another model, since one is read when enough numbers were seen.
  constexpr double kGroups = 256.0 / 2.0;  // half of the rows between two comparisons
  EXPECT_NEAR(static_cast<double>(of_sparse.row), 3000.0, kGroups);
  EXPECT_NEAR(static_cast<double>(of_sparse.row), static_cast<double>(of_dense.row), kGroups);
}

TEST(Change, IsKeptInAModelFileAndForgottenInAMerge) {
  const RowMatrix<double> rows = joined(factors(kBefore, 1), factors(1000, 11, 2.0));
  const auto model = OnlinePca<double>(of_three()).partial_fit(rows).model();
  ASSERT_EQ(model.change.count, 1);
  EXPECT_EQ(from_bytes<double>(to_bytes(model)).change, model.change);
  OnlinePca<double> resumed(model);
  EXPECT_EQ(resumed.model().change, model.change);
  resumed.partial_fit(joined(factors(2000, 31, 2.0), factors(1000, 41)));
  EXPECT_EQ(resumed.model().change.count, 2);
  EXPECT_NEAR(static_cast<double>(resumed.model().change.row), 7000, 300);
  EXPECT_EQ(merge(model, model).change, Change());
  EXPECT_EQ(OnlinePca<double>(of_three()).partial_fit(rows).fit(factors(500, 1)).model().change.count, 0);
}

TEST(Change, OfRowsWithoutVarianceIsFound) {
  RowMatrix<double> rows = RowMatrix<double>::Constant(2500, kFeatures, 0.1);
  rows.bottomRows(500) = factors(500, 1);
  const auto model = OnlinePca<double>(of_three()).partial_fit(rows).model();
  check(model);
  EXPECT_EQ(model.change.count, 1);
  EXPECT_NEAR(static_cast<double>(model.change.row), 2000, 128);
}

TEST(Change, OfRowsBeyondTheRangeOfSquaresIsNoError) {
  for (const double unit : {1e-150, 1e150}) {
    const RowMatrix<double> rows = unit * joined(factors(2000, 1), factors(1000, 11, 2.0)) / 100.0;
    const auto model = OnlinePca<double>(of_three()).partial_fit(rows).model();
    check(model);
    EXPECT_LE(model.change.count, 1) << unit;
  }
}

}  // namespace
}  // namespace roipca
