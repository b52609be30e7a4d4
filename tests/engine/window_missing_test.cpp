// A window over rows with missing values is that of the latest rows, filled.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

#include "roipca/errors.hpp"
#include "roipca/model_file.hpp"
#include "roipca/online_pca.hpp"
#include "support/dense_oracle.hpp"
#include "support/models.hpp"
#include "support/rows.hpp"

namespace roipca {
namespace {

using namespace support;

constexpr Index kFeatures = 17;

Options windowed(Index rows) {
  return {.n_components = 3,
          .method = Method::kRoipca,
          .first_rows = 100,
          .missing = Missing::kImpute,
          .window = rows};
}

// Three factors and noise; the factors change in the middle.
RowMatrix<double> changing_rows(Index count) {
  RowMatrix<double> rows = normal_rows(count, 3, 1) * normal_rows(3, kFeatures, 99);
  rows.bottomRows(count / 2) = normal_rows(count / 2, 3, 2) * normal_rows(3, kFeatures, 98);
  return rows + 0.3 * normal_rows(count, kFeatures, 3) + RowMatrix<double>::Constant(count, kFeatures, 5.0);
}

RowMatrix<double> with_gaps(RowMatrix<double> rows, double part, unsigned seed) {
  const Vector<double> uniform = uniform_numbers(rows.size(), seed);
  for (Index i = 0; i < rows.size(); ++i) {
    if (uniform[i] < part) rows.data()[i] = kNan;
  }
  return rows;
}

template <typename T>
double error_of(const Model<T>& model, const RowMatrix<double>& rows) {
  const DensePca truth = dense_pca(rows.middleRows(model.rows_before, model.rows));
  return subspace_error(reported_basis(model), truth.vectors.leftCols(3));
}

template <typename T>
class WindowWithGaps : public ::testing::Test {};
TYPED_TEST_SUITE(WindowWithGaps, Scalars);

TYPED_TEST(WindowWithGaps, IsNearTheBatchPcaOfItsRowsWithoutGaps) {
  const RowMatrix<double> rows = changing_rows(6000);
  const RowMatrix<double> gaps = with_gaps(rows, 0.2, 5);
  for (const Index length : {500, 2000}) {  // rows that are kept, and panes
    OnlinePca<TypeParam> pca(windowed(length));
    pca.partial_fit(RowMatrix<TypeParam>(gaps.cast<TypeParam>()));
    const auto model = pca.model();
    check(model);
    EXPECT_GE(model.rows, length);
    EXPECT_LT(model.rows, length + 200);
    EXPECT_EQ(model.rows_before + model.rows, 6000);
    EXPECT_LT(error_of(model, rows), 5e-4) << length;
    const DensePca truth = dense_pca(rows.middleRows(model.rows_before, model.rows));
    for (Index i = 0; i < 3; ++i) {
      EXPECT_NEAR(model.eigenvalues[static_cast<std::size_t>(i)] / truth.values[i], 1.0, 0.05);
    }
    EXPECT_LT((as_eigen(model.mean) - truth.mean).cwiseAbs().maxCoeff(), 0.15);  // standard errors of 0.09
  }
}

TYPED_TEST(WindowWithGaps, CutsReadingsAndStopsChangeNoBit) {
  RowMatrix<TypeParam> rows = with_gaps(changing_rows(2600), 0.15, 6).template cast<TypeParam>();
  for (const Index i : {3, 50, 1400, 1401, 2599})
    rows.row(i).setConstant(std::numeric_limits<TypeParam>::quiet_NaN());
  Vector<double> weights = uniform_numbers(rows.rows(), 3).array() + 0.5;
  for (Index i = 0; i < rows.rows(); i += 11) weights[i] = 0.0;
  std::mt19937_64 bits(2);
  for (const Index threads : {1, 2}) {
    for (const Index length : {1, 60, 900}) {
      Options options = windowed(length);
      options.threads = threads;
      const auto whole = OnlinePca<TypeParam>(options).partial_fit(rows, weights).model();
      EXPECT_EQ(whole.empty_rows, 5);
      OnlinePca<TypeParam> pca(options);
      int calls = 0;
      for (Index from = 0; from < rows.rows();) {
        const Index count = std::min<Index>(rows.rows() - from, 1 + static_cast<Index>(bits() % 90));
        pca.partial_fit(rows.middleRows(from, count), weights.segment(from, count));
        if (++calls % 10 == 0) static_cast<void>(pca.model());
        if (calls % 12 == 0) pca = OnlinePca<TypeParam>::from_state(pca.state());
        from += count;
      }
      EXPECT_EQ(first_difference(pca.model(), whole), "") << length << " " << threads;
    }
  }
}

TYPED_TEST(WindowWithGaps, WithoutGapsIsTheWindow) {
  const RowMatrix<double> rows = changing_rows(3000);
  for (const Index length : {60, 900}) {
    const auto model = OnlinePca<TypeParam>(windowed(length))
                           .partial_fit(RowMatrix<TypeParam>(rows.cast<TypeParam>()))
                           .model();
    EXPECT_TRUE(model.feature_weight.empty());
    EXPECT_LT(error_of(model, rows), 1e-4) << length;  // the error of blocks
  }
}

TYPED_TEST(WindowWithGaps, ASavedModelGoesOn) {
  const RowMatrix<double> rows = changing_rows(3000);
  const RowMatrix<TypeParam> gaps = with_gaps(rows, 0.2, 5).template cast<TypeParam>();
  for (const Index length : {60, 900}) {
    const auto saved = OnlinePca<TypeParam>(windowed(length)).partial_fit(gaps.topRows(1400)).model();
    OnlinePca<TypeParam> pca(from_bytes<TypeParam>(to_bytes(saved)));
    pca.partial_fit(gaps.bottomRows(1600));
    const auto model = pca.model();
    EXPECT_EQ(model.rows_before + model.rows, 3000);
    EXPECT_LT(error_of(model, rows), length == 60 ? 2e-2 : 2e-3) << length;
  }
}

TEST(WindowWithGaps, StandardizesAsWell) {
  RowMatrix<double> rows = changing_rows(4000);
  for (Index j = 0; j < kFeatures; ++j) rows.col(j) *= std::pow(10.0, double(j) - 8.0);
  Options options = windowed(1200);
  options.standardize = true;
  const auto model = OnlinePca<double>(options).partial_fit(with_gaps(rows, 0.1, 7)).model();
  check(model);
  RowMatrix<double> scaled = rows;
  for (Index j = 0; j < kFeatures; ++j) scaled.col(j) /= model.scale[static_cast<std::size_t>(j)];
  EXPECT_LT(error_of(model, scaled), 1e-3);
}

}  // namespace
}  // namespace roipca
