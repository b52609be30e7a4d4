// Another pass over standardized rows divides by the deviations of all rows: PCA of the correlation matrix.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "roipca/errors.hpp"
#include "roipca/merge.hpp"
#include "roipca/refinement.hpp"
#include "support/dense_oracle.hpp"
#include "support/models.hpp"
#include "support/rows.hpp"
#include "support/same_bits.hpp"
#include "support/sparse_rows.hpp"

namespace roipca {
namespace {

using namespace support;

constexpr Index kFeatures = 60;

Options standardizing() {
  Options options = {.n_components = 5, .method = Method::kRoipca, .oversampling = 5};
  options.standardize = true;
  options.first_rows = 100;
  return options;
}

// Correlated rows in units that differ by ten decades, whose first hundred vary half as much as the others.
template <typename T>
RowMatrix<T> rows_in_units(Index count) {
  RowMatrix<double> rows = decaying_rows(count, kFeatures, 0.9, 1) + 0.05 * normal_rows(count, kFeatures, 2);
  rows.topRows(100).leftCols(kFeatures / 2) *= 0.5;
  for (Index j = 0; j < kFeatures; ++j) {
    rows.col(j) = (rows.col(j).array() + 3.0) * std::pow(10.0, 10.0 * double(j) / (kFeatures - 1) - 5.0);
  }
  rows.col(7).setConstant(0.1);
  return rows.cast<T>();
}

// PCA of the correlation matrix: that of rows divided by their deviations.
DensePca correlations(const RowMatrix<double>& rows, const Vector<double>& weights = {}) {
  const DensePca plain = dense_pca(rows, weights);
  RowMatrix<double> divided = rows;
  for (Index j = 0; j < rows.cols(); ++j) {
    const double scatter = plain.scatter(j, j);
    if ((rows.col(j).array() != rows(0, j)).any())
      divided.col(j) /= std::sqrt(scatter / (plain.weight - 1.0));
  }
  return dense_pca(divided, weights);
}

template <typename T>
double error_of(const Model<T>& model, const DensePca& truth) {
  return subspace_error(reported_basis(model), truth.vectors.leftCols(model.n_components));
}

template <typename T>
class StandardizedRefinement : public ::testing::Test {};
TYPED_TEST_SUITE(StandardizedRefinement, Scalars);

TYPED_TEST(StandardizedRefinement, ConvergesToPcaOfTheCorrelationMatrix) {
  const RowMatrix<TypeParam> rows = rows_in_units<TypeParam>(3000);
  const DensePca truth = correlations(rows.template cast<double>());
  Model<TypeParam> model = OnlinePca<TypeParam>(standardizing()).partial_fit(rows).model();
  const double after_one = error_of(model, truth);
  EXPECT_GT(after_one, 1e-3);  // by scales that are wrong by up to a factor of two
  double before = after_one;
  for (int pass = 2; pass <= 4; ++pass) {
    model = Refinement<TypeParam>(model).add(rows).finish();
    check(model);
    EXPECT_EQ(model.passes, pass);
    EXPECT_TRUE(model.options.standardize);
    for (const double ratio : model.scale_ratio()) EXPECT_NEAR(ratio, 1.0, 1e-9);
    EXPECT_LT(error_of(model, truth), before / 3.0) << pass;
    before = error_of(model, truth);
  }
  EXPECT_LT(before, 1e-5);
  // Eigenvalues of the correlation matrix have the error of the subspace.
  for (Index i = 0; i < 5; ++i) {
    EXPECT_NEAR(model.explained_variance()[static_cast<std::size_t>(i)],
                truth.values[i] / (truth.weight - 1.0), 1e-4 * truth.values[0] / truth.weight);
  }
  EXPECT_NEAR(model.trace() / model.degrees_of_freedom(), kFeatures - 1.0, 1e-5 * kFeatures);
}

TYPED_TEST(StandardizedRefinement, CutsMergesAndStopsAreThoseOfOneCall) {
  const RowMatrix<TypeParam> rows = rows_in_units<TypeParam>(900);
  const Vector<double> weights = uniform_numbers(rows.rows(), 3).array() + 0.5;
  const auto model = OnlinePca<TypeParam>(standardizing()).partial_fit(rows, weights).model();
  const auto whole = Refinement<TypeParam>(model).add(rows, weights).finish();
  Refinement<TypeParam> cut(model);
  for (Index from = 0; from < rows.rows(); from += 37) {
    const Index count = std::min<Index>(37, rows.rows() - from);
    cut.add(rows.middleRows(from, count), weights.segment(from, count));
    cut = Refinement<TypeParam>::from_state(cut.model(), cut.state());
  }
  EXPECT_EQ(first_difference(cut.finish(), whole), "");
  Refinement<TypeParam> first(model);
  Refinement<TypeParam> second(model);
  first.add(rows.topRows(400), weights.head(400));
  second.add(rows.bottomRows(500), weights.tail(500));
  const auto merged = first.merge(second).finish();
  EXPECT_LT(subspace_angle(reported_basis(merged), reported_basis(whole)), 1000.0 * kEpsilon<TypeParam>);
}

TYPED_TEST(StandardizedRefinement, OfModelsThatWereMergedUsesTheScalesOfAllRows) {
  const RowMatrix<TypeParam> rows = rows_in_units<TypeParam>(3000);
  const DensePca truth = correlations(rows.template cast<double>());
  const auto a = OnlinePca<TypeParam>(standardizing()).partial_fit(rows.topRows(1000)).model();
  const auto b = OnlinePca<TypeParam>(standardizing()).partial_fit(rows.bottomRows(2000)).model();
  ASSERT_NE(a.scale, b.scale);
  Model<TypeParam> model = merge(a, b);
  for (const double ratio : model.scale_ratio()) EXPECT_NEAR(ratio, 1.0, 1e-5);  // as merge says
  const double merged = error_of(model, truth);
  model = Refinement<TypeParam>(model).add(rows).finish();
  EXPECT_LT(error_of(model, truth), merged / 3.0);
  EXPECT_LT(error_of(model, truth), 1e-3);
}

TEST(StandardizedRefinement, OfSparseRowsIsThatOfDenseOnes) {
  const Csr<double> sparse = documents<double>(800, 40, 15, 1);
  const std::vector<double> numbers = sparse.dense();
  const Rows<double> dense(numbers.data(), sparse.count(), sparse.columns);
  const auto model = OnlinePca<double>(standardizing()).partial_fit(dense).model();
  EXPECT_EQ(first_difference(Refinement<double>(model).add(sparse.view()).finish(),
                             Refinement<double>(model).add(dense).finish()),
            "");
}

TEST(StandardizedRefinement, FillsMissingValues) {
  const RowMatrix<double> rows = rows_in_units<double>(3000);
  RowMatrix<double> gaps = rows;
  const Vector<double> uniform = uniform_numbers(rows.size(), 5);
  for (Index i = 0; i < rows.size(); ++i) {
    if (uniform[i] < 0.1) gaps.data()[i] = kNan;
  }
  const DensePca truth = correlations(rows);
  Options options = standardizing();
  options.missing = Missing::kImpute;
  auto model = OnlinePca<double>(options).partial_fit(gaps).model();
  const double one = error_of(model, truth);
  model = Refinement<double>(model).add(gaps).finish();
  EXPECT_LT(error_of(model, truth), 0.5 * one);
  for (const double ratio : model.scale_ratio()) EXPECT_NEAR(ratio, 1.0, 1e-9);
}

TEST(StandardizedRefinement, RefusesOtherRowsAndRowsThatAreTooLargeInTheirUnits) {
  const RowMatrix<double> rows = rows_in_units<double>(500);
  const auto model = OnlinePca<double>(standardizing()).partial_fit(rows).model();
  EXPECT_THROW(Refinement<double>(model).add(rows.topRows(400)).finish(), std::invalid_argument);
  RowMatrix<double> other = rows;
  other.col(3) *= 1.01;
  EXPECT_THROW(Refinement<double>(model).add(other).finish(), std::invalid_argument);
  Refinement<double> refinement(model);
  RowMatrix<double> huge = rows;
  huge(77, 0) = 1e149;  // 1e154 in units of the column
  const auto before = refinement.state();
  try {
    refinement.add(huge);
    ADD_FAILURE();
  } catch (const DataError& error) {
    EXPECT_EQ(error.row(), 77);
  }
  EXPECT_EQ(refinement.state(), before);
}

}  // namespace
}  // namespace roipca
