// With a window, a model is that of the latest rows, and says which they are.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <stdexcept>

#include "roipca/merge.hpp"
#include "roipca/online_pca.hpp"
#include "support/dense_oracle.hpp"
#include "support/models.hpp"
#include "support/rows.hpp"
#include "support/sparse_rows.hpp"

namespace roipca {
namespace {

using namespace support;

constexpr Index kFeatures = 12;  // all of which are held beside two reported components: nothing is lost
constexpr Index kLeastPane = 4 * kFeatures + 128;
constexpr Index kMostKept = 4 * kLeastPane;

Options window_of(Index rows) { return {.n_components = 2, .window = rows}; }

template <typename T>
class Window : public ::testing::Test {
 protected:
  // The subspace and the mean change twice.
  static RowMatrix<T> stream(Index count) {
    RowMatrix<double> rows(count, kFeatures);
    for (Index part = 0; part < 3; ++part) {
      const Index from = part * count / 3;
      const Index size = (part + 1) * count / 3 - from;
      rows.middleRows(from, size) =
          decaying_rows(size, kFeatures, 0.8, 1 + static_cast<unsigned>(part)).array() + double(part);
    }
    return rows.cast<T>();
  }

  static void expect_model_of(const Model<T>& model, const RowMatrix<T>& rows,
                              const Vector<double>& weights) {
    const Vector<double> covered = weights.segment(model.rows_before, model.rows);
    const DensePca truth =
        dense_pca(rows.middleRows(model.rows_before, model.rows).template cast<double>(), covered);
    // Rounding of the rows and of the updates, in units of the largest number.
    const double tolerance = 1000.0 * kEpsilon<T>;
    EXPECT_NEAR(model.weight, truth.weight, 1e-12 * truth.weight);
    EXPECT_LT((as_eigen(model.mean) - truth.mean).cwiseAbs().maxCoeff(), tolerance * 8.0);
    EXPECT_LT((as_eigen(model.eigenvalues).head(2) - truth.values.head(2)).cwiseAbs().maxCoeff(),
              tolerance * std::max(truth.scatter.trace(), 1.0));
    EXPECT_NEAR(model.trace(), truth.scatter.trace(), tolerance * std::max(truth.scatter.trace(), 1.0));
  }
};
TYPED_TEST_SUITE(Window, Scalars);

TYPED_TEST(Window, EqualsBatchPcaOfTheRowsThatItCovers) {
  const auto rows = this->stream(3240);
  const Vector<double> weights = uniform_numbers(rows.rows(), 3).array() + 0.5;
  for (const Index length :
       {Index{1}, Index{2}, Index{7}, kMostKept, kMostKept + 1, Index{1500}, Index{5000}}) {
    OnlinePca<TypeParam> pca(window_of(length));
    for (Index from = 0; from < rows.rows(); from += 108) {
      pca.partial_fit(rows.middleRows(from, 108), weights.segment(from, 108));
      const auto model = pca.model();
      const Index seen = from + 108;
      const Index pane = length <= kMostKept ? 1 : std::max((length + 15) / 16, kLeastPane);
      ASSERT_EQ(model.rows_before + model.rows, seen);
      ASSERT_EQ(pca.rows_seen(), seen);
      ASSERT_GE(model.rows, std::min(length, seen)) << length;
      ASSERT_LE(model.rows, length + pane - 1) << length;
      this->expect_model_of(model, rows, weights);
    }
  }
}

TYPED_TEST(Window, CutsAndReadingsChangeNoBit) {
  const auto rows = this->stream(3000);
  Vector<double> weights = uniform_numbers(rows.rows(), 3).array() + 0.5;
  for (Index i = 0; i < rows.rows(); i += 7) weights[i] = 0.0;
  std::mt19937_64 bits(2);
  for (const Index threads : {1, 2}) {
    for (const Index length : {50, 800, 2000}) {
      Options options = window_of(length);
      options.threads = threads;
      const auto whole = OnlinePca<TypeParam>(options).partial_fit(rows, weights).model();
      OnlinePca<TypeParam> pca(options);
      for (Index from = 0; from < rows.rows();) {
        const Index count = std::min<Index>(rows.rows() - from, 1 + static_cast<Index>(bits() % 40));
        pca.partial_fit(rows.middleRows(from, count), weights.segment(from, count));
        static_cast<void>(pca.model());
        from += count;
      }
      EXPECT_EQ(first_difference(pca.model(), whole), "") << length << " " << threads;
    }
  }
}

TYPED_TEST(Window, AStopChangesNoBit) {
  const auto rows = this->stream(1300);
  for (const Index length : {30, 750}) {
    const auto whole = OnlinePca<TypeParam>(window_of(length)).partial_fit(rows).model();
    OnlinePca<TypeParam> pca(window_of(length));
    for (Index i = 0; i < rows.rows(); ++i) {
      pca.partial_fit(rows.middleRows(i, 1));
      if (i % 37 == 0) pca = OnlinePca<TypeParam>::from_state(pca.state());
    }
    EXPECT_EQ(first_difference(pca.model(), whole), "") << length;
  }
}

TYPED_TEST(Window, ASavedModelCountsUntilTheWindowIsFullOfNewRows) {
  const auto rows = this->stream(2000);
  const Vector<double> weights = Vector<double>::Ones(rows.rows());
  for (const Index length : {40, 800}) {
    const auto saved = OnlinePca<TypeParam>(window_of(length)).partial_fit(rows.topRows(1100)).model();
    OnlinePca<TypeParam> pca(saved);
    EXPECT_EQ(pca.rows_seen(), 1100);
    pca.partial_fit(rows.middleRows(1100, length - 1));
    EXPECT_EQ(pca.model().rows_before, saved.rows_before);
    this->expect_model_of(pca.model(), rows, weights);
    pca.partial_fit(rows.middleRows(1100 + length - 1, 1));
    EXPECT_EQ(pca.model().rows_before, 1100);
    this->expect_model_of(pca.model(), rows, weights);
  }
}

TYPED_TEST(Window, SparseRowsAreCoveredAsDenseOnes) {
  RowMatrix<TypeParam> rows = this->stream(1500);
  Csr<TypeParam> sparse{.columns = kFeatures, .indices = {}, .values = {}};
  for (Index i = 0; i < rows.rows(); ++i) {
    for (Index j = 0; j < kFeatures; ++j) {
      if (rows(i, j) < TypeParam{0.5}) rows(i, j) = TypeParam{0};
      if (rows(i, j) != TypeParam{0}) sparse.push(j, double{rows(i, j)});
    }
    sparse.end_row();
  }
  for (const Index length : {50, 800}) {
    OnlinePca<TypeParam> pca(window_of(length));
    pca.partial_fit(sparse.view(0, 733)).partial_fit(sparse.view(733, 767));
    this->expect_model_of(pca.model(), rows, Vector<double>::Ones(rows.rows()));
  }
}

TYPED_TEST(Window, ABadRowChangesNothing) {
  for (const Index length : {50, 800}) {
    OnlinePca<TypeParam> pca(window_of(length));
    pca.partial_fit(this->stream(1300));
    const auto before = pca.model();
    RowMatrix<TypeParam> bad = this->stream(60);
    bad(47, 3) = std::numeric_limits<TypeParam>::quiet_NaN();
    EXPECT_THROW(pca.partial_fit(bad), DataError);
    EXPECT_EQ(first_difference(pca.model(), before), "");
  }
}

TYPED_TEST(Window, ExactCoversTheSameRows) {
  const auto rows = this->stream(1500);
  Options options = window_of(800);
  options.method = Method::kExact;
  const auto model = OnlinePca<TypeParam>(options).partial_fit(rows).model();
  EXPECT_EQ(model.resolved.method, Method::kExact);
  this->expect_model_of(model, rows, Vector<double>::Ones(rows.rows()));
}

TEST(WindowOptions, WhatNeedsAllRowsOrOneRowAtATimeIsRefused) {
  EXPECT_THROW(check(Options{.forgetting = 0.9, .window = 5}), std::invalid_argument);
  EXPECT_THROW(check(Options{.method = Method::kFroipca, .window = 5}), std::invalid_argument);
  EXPECT_THROW(check(Options{.update_every = UpdateEvery::kRow, .window = 5}), std::invalid_argument);
  EXPECT_THROW(check(Options{.window = 0}), std::invalid_argument);
  EXPECT_NO_THROW(check(Options{.method = Method::kExact, .update_every = UpdateEvery::kRow, .window = 5}));
  EXPECT_NO_THROW(check(Options{.method = Method::kIpca, .window = 5}));
}

TEST(WindowOptions, ModelsWithAWindowAreNotMerged) {
  const RowMatrix<double> rows = normal_rows(30, kFeatures, 1);
  const auto model = OnlinePca<double>(window_of(10)).partial_fit(rows).model();
  EXPECT_THROW(merge(model, model), std::invalid_argument);
}

}  // namespace
}  // namespace roipca
