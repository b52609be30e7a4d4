// Reading a model while the stream goes on.
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "linalg/eigen_types.hpp"
#include "roipca/online_pca.hpp"
#include "roipca/subspace.hpp"
#include "support/rows.hpp"
#include "support/same_bits.hpp"

namespace roipca {
namespace {

class Reading : public ::testing::Test {
 protected:
  const RowMatrix<double> rows_ = support::normal_rows(110, 20, 1);
  OnlinePca<double> pca_{{.n_components = 3, .method = Method::kRoipca}};
};

TEST_F(Reading, IsOneObjectUntilTheNextRows) {
  pca_.partial_fit(rows_.topRows(100));
  const auto first = pca_.snapshot();
  EXPECT_EQ(pca_.snapshot(), first);
  EXPECT_EQ(OnlinePca<double>(pca_).snapshot(), first);
  EXPECT_EQ(support::first_difference(pca_.model(), *first), "");
  pca_.update(rows_.row(100));
  EXPECT_NE(pca_.snapshot(), first);
  EXPECT_EQ(pca_.snapshot()->rows, 101);
}

TEST_F(Reading, IsNotChangedByTheNextRows) {
  pca_.partial_fit(rows_.topRows(100));
  const auto first = pca_.snapshot();
  const Model<double> copy = *first;
  pca_.partial_fit(rows_.bottomRows(10));
  EXPECT_EQ(support::first_difference(*first, copy), "");
}

TEST_F(Reading, OutlivesACallThatFails) {
  pca_.partial_fit(rows_.topRows(100));
  const auto first = pca_.snapshot();
  EXPECT_THROW(pca_.partial_fit(rows_.leftCols(10)), std::invalid_argument);
  EXPECT_EQ(pca_.snapshot(), first);
}

TEST_F(Reading, AfterAFitIsOfTheNewRowsOnly) {
  pca_.partial_fit(rows_);
  EXPECT_EQ(pca_.snapshot()->rows, 110);
  pca_.fit(rows_.topRows(50));
  EXPECT_EQ(pca_.snapshot()->rows, 50);
}

// Reads the components of all rows but the last 50, and then those of all rows.
void expect_reported_components_alone(Index features, Index count) {
  const RowMatrix<double> rows = support::decaying_rows(1500, features, 0.97, 2);
  OnlinePca<double> pca({.n_components = count, .method = Method::kExact});
  pca.partial_fit(rows.topRows(1450));  // the last block is not full
  const auto reported = pca.reported();
  EXPECT_EQ(reported->basis.rows(), count);
  EXPECT_GT(pca.snapshot()->basis.rows(), features / 3);  // those above rounding
  EXPECT_EQ(pca.reported(), reported);

  const Matrix<double> centred = rows.topRows(1450).rowwise() - rows.topRows(1450).colwise().mean();
  const Eigen::SelfAdjointEigenSolver<Matrix<double>> oracle(centred.transpose() * centred);
  const Vector<double> values = oracle.eigenvalues().reverse().head(count);
  // The scatter and both solvers round to about the root of its order, times its largest eigenvalue.
  const double rounding =
      16.0 * std::sqrt(static_cast<double>(features)) * std::numeric_limits<double>::epsilon();
  EXPECT_LE((as_eigen(reported->eigenvalues).head(count) - values).cwiseAbs().maxCoeff(),
            rounding * values[0]);
  const Matrix<double> basis = as_columns(reported->basis);
  const Matrix<double> residuals = centred.transpose() * (centred * basis) - basis * values.asDiagonal();
  EXPECT_LE(residuals.colwise().norm().maxCoeff(), rounding * values[0]);

  pca.partial_fit(rows.bottomRows(50));
  EXPECT_EQ(pca.reported()->rows, 1500);
}

// For the exact method, they are then found without the others.
TEST(ReportedComponents, OfManyFeaturesAreThoseOfAllPairsAndStayTheSame) {
  expect_reported_components_alone(1100, 70);
}

TEST(ReportedComponents, ThatAreASixteenthOfTheFeaturesAreThoseOfAllPairsAndStayTheSame) {
  expect_reported_components_alone(320, 20);
}

TEST(ReportedComponents, ThatAreManyOfTheFeaturesComeWithAllPairs) {
  OnlinePca<double> pca({.n_components = 21, .method = Method::kExact});
  pca.partial_fit(support::decaying_rows(1500, 320, 0.97, 2));
  EXPECT_EQ(pca.reported(), pca.snapshot());
}

TEST(ReportedComponents, OfThreadsAreThoseOfAllRows) {
  const RowMatrix<double> rows = support::decaying_rows(1200, 1100, 0.97, 3);
  OnlinePca<double> one({.n_components = 70});
  OnlinePca<double> two({.n_components = 70, .threads = 2});
  const auto a = one.partial_fit(rows).reported();
  const auto b = two.partial_fit(rows).reported();
  EXPECT_EQ(b->basis.rows(), 70);
  EXPECT_EQ(b->rows, 1200);
  EXPECT_LE(subspace_error(a->components(), b->components()), 1e-24);
}

// A rank below the reported number leaves directions that only a full solution tells from rounding.
TEST(ReportedComponents, OfLowRankAreThoseOfTheWholeModel) {
  OnlinePca<double> pca({.n_components = 70});
  pca.partial_fit(support::normal_rows(30, 1100, 4));
  EXPECT_EQ(pca.reported(), pca.snapshot());
}

}  // namespace
}  // namespace roipca
