// With `standardize`, the components are those of the correlation matrix.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "roipca/batch_pca.hpp"
#include "roipca/errors.hpp"
#include "roipca/merge.hpp"
#include "roipca/model_file.hpp"
#include "roipca/online_pca.hpp"
#include "roipca/subspace.hpp"
#include "support/dense_oracle.hpp"
#include "support/models.hpp"
#include "support/rows.hpp"

namespace roipca {
namespace {

using namespace support;

constexpr Index kFeatures = 17;

Options standardizing(const Way& way, Index n_components, Index first_rows) {
  Options options = options_for(way, n_components);
  options.standardize = true;
  options.first_rows = first_rows;
  return options;
}

// Correlated rows in units that differ by `decades` decades, one column constant.
RowMatrix<double> rows_in_units(Index count, double decades, unsigned seed) {
  RowMatrix<double> rows = decaying_rows(count, kFeatures, 0.8, seed);
  for (Index j = 0; j < kFeatures; ++j) {
    const double unit = std::pow(10.0, decades * (static_cast<double>(j) / (kFeatures - 1) - 0.5));
    rows.col(j) = (rows.col(j).array() + 3.0) * unit;
  }
  rows.col(5).setConstant(0.1);
  return rows;
}

// The oracle's rows: in long double, divided by their standard deviations.
RowMatrix<double> divided(const RowMatrix<double>& rows, bool center) {
  RowMatrix<double> result(rows.rows(), rows.cols());
  for (Index j = 0; j < rows.cols(); ++j) {
    Vector<long double> column = rows.col(j).cast<long double>();
    const long double mean = center ? column.mean() : 0.0L;
    column.array() -= mean;
    const auto freedom = static_cast<long double>(rows.rows() - (center ? 1 : 0));
    const long double deviation = std::sqrt(column.squaredNorm() / freedom);
    const bool varies = (rows.col(j).array() != rows(0, j)).any() || !center;
    result.col(j) =
        varies ? Vector<double>((column / deviation).cast<double>()) : Vector<double>::Zero(rows.rows());
  }
  return result;
}

template <typename T>
RowMatrix<double> components_of(const Model<T>& model) {
  return as_eigen(model.components()).template cast<double>();
}

template <typename T>
class Standardize : public ::testing::Test {};
TYPED_TEST_SUITE(Standardize, Scalars);

TYPED_TEST(Standardize, ExactIsPcaOfTheCorrelationMatrix) {
  for (const bool center : {true, false}) {
    for (const double decades : {0.0, 8.0, 30.0}) {
      const RowMatrix<TypeParam> rows = rows_in_units(400, decades, 1).cast<TypeParam>();
      Options options = standardizing(Method::kExact, 4, 50);
      options.center = center;
      const auto model = OnlinePca<TypeParam>(options).partial_fit(rows).model();
      const auto oracle = dense_pca(divided(rows.template cast<double>(), center), {}, center);
      // Rounding of entries of size 1 (their means are some deviations away), and sums of 400 of them.
      const double tolerance = 400 * kEpsilon<TypeParam>;
      for (Index i = 0; i < 4; ++i) {
        EXPECT_NEAR(model.eigenvalues[static_cast<std::size_t>(i)] / oracle.values[i], 1.0, tolerance) << i;
      }
      const RowMatrix<double> truth = oracle.vectors.leftCols(4).transpose();
      EXPECT_LT(subspace_error(Rows<double>(truth), Rows<double>(components_of(model))), tolerance);
      for (const double ratio : model.scale_ratio()) EXPECT_NEAR(ratio, 1.0, 1e-12);
      EXPECT_NEAR(model.trace() / oracle.scatter.trace(), 1.0, tolerance);
    }
  }
}

TYPED_TEST(Standardize, AllMethodsAreThoseOfRowsDividedByTheScalesOfTheFirst) {
  const RowMatrix<TypeParam> rows = rows_in_units(300, 6.0, 2).cast<TypeParam>();
  for (const Way& way : kAllMethods) {
    const Options options = standardizing(way, 3, 100);
    const auto model = OnlinePca<TypeParam>(options).partial_fit(rows).model();
    if (way.method == Method::kExact) continue;  // which knows better scales in the end
    const RowMatrix<double> first = rows.topRows(100).template cast<double>();
    RowMatrix<double> scaled = rows.template cast<double>();
    for (Index j = 0; j < kFeatures; ++j) {
      const double scale = model.scale[static_cast<std::size_t>(j)];
      const double deviation = std::sqrt((first.col(j).array() - first.col(j).mean()).square().sum() / 99.0);
      EXPECT_NEAR(scale / (j == 5 ? 1.0 : deviation), 1.0, 1e-9) << name(way) << " feature " << j;
      scaled.col(j) = (scaled.col(j).array() - model.mean[static_cast<std::size_t>(j)]) / scale;
    }
    Options plain = options;
    plain.standardize = false;
    const auto expected =
        OnlinePca<TypeParam>(plain).partial_fit(RowMatrix<TypeParam>(scaled.cast<TypeParam>())).model();
    const auto values = as_eigen(model.explained_variance());
    const auto expected_values = as_eigen(expected.explained_variance());
    // The two centre in another order.
    EXPECT_LT((values - expected_values).norm(), 2e3 * kEpsilon<TypeParam> * expected_values.norm())
        << name(way);
  }
}

TYPED_TEST(Standardize, ConstantColumnsHaveScaleOneAndNoPart) {
  const RowMatrix<TypeParam> rows = rows_in_units(300, 6.0, 2).cast<TypeParam>();
  const auto model = OnlinePca<TypeParam>(standardizing(Method::kRoipca, 3, 100)).partial_fit(rows).model();
  EXPECT_EQ(model.scale[5], 1.0);
  EXPECT_EQ(model.scale_ratio()[5], 1.0);
  EXPECT_EQ(components_of(model).col(5).cwiseAbs().maxCoeff(), 0.0);
}

TYPED_TEST(Standardize, AFeatureThatVariesOnlyAfterTheFirstRowsIsToldByItsScale) {
  RowMatrix<double> rows = rows_in_units(600, 0.0, 2);
  const auto scale_is_right = [&] {
    const RowMatrix<TypeParam> given = rows.cast<TypeParam>();
    return OnlinePca<TypeParam>(standardizing(Method::kRoipca, 3, 100))
        .partial_fit(given)
        .model()
        .worst_scale();
  };
  EXPECT_FALSE(scale_is_right());
  rows.col(2).array() *= 1e4;
  rows.col(9).array() *= 1e-3;
  for (const Index late : {2, 9}) rows.col(late).head(100).setConstant(rows(0, late));
  const auto wrong = scale_is_right();
  ASSERT_TRUE(wrong);
  EXPECT_EQ(wrong->feature, 2);
  EXPECT_EQ(wrong->count, 2);
  const double deviation =
      1e4 * std::sqrt((rows.col(2).array() / 1e4 - rows.col(2).mean() / 1e4).square().sum() / 599);
  EXPECT_NEAR(wrong->ratio, deviation, 1e-3 * deviation);  // its scale is 1
}

TYPED_TEST(Standardize, NeitherCutsNorReadingNorStopsChangeABit) {
  const RowMatrix<TypeParam> rows = rows_in_units(150, 6.0, 3).cast<TypeParam>();
  for (const Way& way : kAllMethods) {
    const Options options = standardizing(way, 3, 40);
    const auto whole = OnlinePca<TypeParam>(options).partial_fit(rows).model();
    OnlinePca<TypeParam> pca(options);
    for (Index i = 0; i < rows.rows(); ++i) {
      pca.update(rows.row(i).transpose());
      if (i % 7 == 0) static_cast<void>(pca.model());
      pca = OnlinePca<TypeParam>::from_state(pca.state());
      EXPECT_EQ(pca.rows_seen(), i + 1);
    }
    EXPECT_EQ(first_difference(pca.model(), whole), "") << name(way);
  }
}

TYPED_TEST(Standardize, AModelIsReadFromTheFirstRowOn) {
  const RowMatrix<TypeParam> rows = rows_in_units(30, 6.0, 4).cast<TypeParam>();
  for (const Way& way : kAllMethods) {
    OnlinePca<TypeParam> pca(standardizing(way, 2, 25));
    for (Index i = 0; i < rows.rows(); ++i) {
      pca.update(rows.row(i).transpose());
      const auto model = pca.model();
      EXPECT_EQ(model.rows, i + 1);
      EXPECT_NO_THROW(check(model)) << name(way);
    }
  }
}

TYPED_TEST(Standardize, RowsGoInAndComeBackInTheirOwnUnits) {
  const RowMatrix<TypeParam> rows = rows_in_units(200, 6.0, 5).cast<TypeParam>();
  const auto model =
      OnlinePca<TypeParam>(standardizing(Method::kRoipca, kFeatures, 50)).partial_fit(rows).model();
  const auto back = as_eigen(model.inverse_transform(model.transform(rows)));
  for (Index j = 0; j < kFeatures; ++j) {
    const double size = rows.col(j).template cast<double>().cwiseAbs().maxCoeff();
    EXPECT_LT((back.col(j) - rows.col(j)).template cast<double>().cwiseAbs().maxCoeff(),
              100 * kEpsilon<TypeParam> * size);
  }
  // T^2 over all components does not depend on units: that of batch PCA of the rows as they are.
  const auto t2 = as_eigen(model.t2(rows));
  EXPECT_NEAR(t2.mean(), 199.0 / 200.0 * (kFeatures - 1), 1e-2);
}

TYPED_TEST(Standardize, TheLogLikelihoodIsPerUnitOfTheRowsGiven) {
  const RowMatrix<TypeParam> rows = decaying_rows(200, kFeatures, 0.9, 6).cast<TypeParam>();
  RowMatrix<TypeParam> other_units = rows;
  other_units.col(2) *= TypeParam{1024};
  const Options options = standardizing(Method::kRoipca, 3, 50);
  const auto a = as_eigen(OnlinePca<TypeParam>(options).partial_fit(rows).model().log_likelihood(rows));
  const auto b =
      as_eigen(OnlinePca<TypeParam>(options).partial_fit(other_units).model().log_likelihood(other_units));
  EXPECT_LT(((a - b).array() - std::log(1024.0)).abs().maxCoeff(), 1e4 * kEpsilon<TypeParam>);
}

TYPED_TEST(Standardize, MergedModelsOfExactAreThatOfAllRows) {
  const RowMatrix<TypeParam> rows = rows_in_units(400, 6.0, 7).cast<TypeParam>();
  const Options options = standardizing(Method::kExact, 4, 50);
  const auto all = OnlinePca<TypeParam>(options).partial_fit(rows).model();
  const auto merged = merge(OnlinePca<TypeParam>(options).partial_fit(rows.topRows(150)).model(),
                            OnlinePca<TypeParam>(options).partial_fit(rows.bottomRows(250)).model());
  EXPECT_EQ(merged.rows, 400);
  const double tolerance = 2e3 * kEpsilon<TypeParam>;
  EXPECT_LT(relative_difference(as_eigen(merged.scale), as_eigen(all.scale)), tolerance);
  EXPECT_LT(relative_difference(as_eigen(merged.explained_variance()), as_eigen(all.explained_variance())),
            tolerance);
  EXPECT_LT(subspace_error(Rows<double>(components_of(all)), Rows<double>(components_of(merged))), tolerance);
}

TYPED_TEST(Standardize, MergingRescalesModelsWithOtherScales) {
  const RowMatrix<TypeParam> rows = rows_in_units(2000, 6.0, 8).cast<TypeParam>();
  Options options = standardizing(Method::kRoipca, 4, 50);
  options.oversampling = kFeatures - 4;
  const auto merged = merge(OnlinePca<TypeParam>(options).partial_fit(rows.topRows(900)).model(),
                            OnlinePca<TypeParam>(options).partial_fit(rows.bottomRows(1100)).model());
  for (const double ratio : merged.scale_ratio()) EXPECT_NEAR(ratio, 1.0, 1e-12);
  const auto oracle = dense_pca(divided(rows.template cast<double>(), true));
  const RowMatrix<double> truth = oracle.vectors.leftCols(4).transpose();
  // All directions are held: only rounding is left, of sums of 2,000.
  EXPECT_LT(subspace_error(Rows<double>(truth), Rows<double>(components_of(merged))),
            2e3 * kEpsilon<TypeParam>);
}

TYPED_TEST(Standardize, ThreadsShareTheScalesOfTheFirstRows) {
  const RowMatrix<TypeParam> rows = rows_in_units(3000, 6.0, 9).cast<TypeParam>();
  Options options = standardizing(Method::kRoipca, 4, 300);
  options.oversampling = kFeatures - 4;  // all directions are held: only rounding is left
  const auto alone = OnlinePca<TypeParam>(options).partial_fit(rows).model();
  options.threads = 3;
  const auto shared = OnlinePca<TypeParam>(options).partial_fit(rows).model();
  EXPECT_EQ(shared.scale, alone.scale);
  EXPECT_LT(subspace_error(Rows<double>(components_of(alone)), Rows<double>(components_of(shared))),
            1e3 * kEpsilon<TypeParam>);
}

TEST(StandardizeFiles, KeepTheScales) {
  const auto model = OnlinePca<double>(standardizing(Method::kRoipca, 3, 50))
                         .partial_fit(rows_in_units(100, 6.0, 1))
                         .model();
  EXPECT_EQ(first_difference(from_bytes<double>(to_bytes(model)), model), "");
  auto pca = OnlinePca<double>(model);
  EXPECT_EQ(pca.partial_fit(rows_in_units(100, 6.0, 2)).model().scale, model.scale);
}

// The eigenvalues of a model come from components that are rounded to T, and its trace does not. What they
// differ by must not become variance in directions that there are none of.
TYPED_TEST(Standardize, ResumedModelsHaveNoOtherDirectionsThanTheRows) {
  constexpr Index kRank = 3;
  const auto integers = [](Index count, Index width, unsigned seed) {
    return RowMatrix<double>((3.0 * normal_rows(count, width, seed)).array().round());
  };
  for (const bool center : {true, false}) {
    for (unsigned seed = 1; seed <= 8; ++seed) {
      const RowMatrix<double> exact = integers(80, kRank, seed) * integers(kRank, kFeatures, 100 + seed);
      const RowMatrix<TypeParam> rows = exact.cast<TypeParam>();
      Options options = standardizing(Method::kExact, 12, 50);
      options.center = center;
      for (const Index first : {20, 40, 60}) {
        OnlinePca<TypeParam> pca(
            OnlinePca<TypeParam>(options).partial_fit(RowMatrix<TypeParam>(rows.topRows(first))).model());
        const auto model = pca.partial_fit(RowMatrix<TypeParam>(rows.bottomRows(80 - first))).model();
        // Rows that are divided by their scales are rounded, each to epsilon.
        const double rounding = 16 * kEpsilon<TypeParam>;
        EXPECT_LE(model.eigenvalues[kRank], rounding * rounding * model.scatter_trace)
            << "seed " << seed << ", first rows " << first << ", center " << center;
      }
    }
  }
}

// Of the weights of the first rows, a heavy one has all but 1e-16.
TYPED_TEST(Standardize, FirstRowsHaveScalesBesideARowOfAnyWeight) {
  const RowMatrix<TypeParam> rows = rows_in_units(30, 4.0, 1).cast<TypeParam>();
  for (const double heavy : {1e8, 1e16, 1e30}) {
    for (const Index place : {0, 7}) {
      Vector<double> weights = Vector<double>::Ones(30);
      weights[place] = heavy;
      const auto model =
          OnlinePca<TypeParam>(standardizing(Method::kRoipca, 3, 30)).partial_fit(rows, weights).model();
      for (Index j = 0; j < kFeatures; ++j) {
        // Beside the heavy row, the others are compared with it alone: the sum over pairs is that of 29.
        const Vector<double> column = rows.col(j).template cast<double>();
        const double square = (column.array() - column[place]).square().sum() / (2.0 * 29.0);
        const double expected = square > 0.0 ? std::sqrt(square) : 1.0;
        // What the others have to do with each other is 29 / heavy of that.
        EXPECT_NEAR(model.scale[static_cast<std::size_t>(j)], expected, expected * (1e-14 + 30.0 / heavy))
            << "feature " << j << ", weight " << heavy;
      }
    }
  }
}

TEST(StandardizeFailure, ANumberTooLargeForTheScaleOfItsColumnChangesNothing) {
  RowMatrix<double> rows = decaying_rows(100, kFeatures, 0.9, 1);
  rows.col(3) *= 1e-150;
  OnlinePca<double> pca(standardizing(Method::kRoipca, 3, 50));
  pca.partial_fit(rows);
  const auto before = pca.model();
  RowMatrix<double> bad = rows.topRows(3);
  bad(1, 3) = 1e10;
  try {
    pca.partial_fit(bad);
    FAIL();
  } catch (const DataError& error) {
    EXPECT_EQ(error.row(), 1);
    EXPECT_NE(std::string(error.what()).find("scale of its column"), std::string::npos) << error.what();
  }
  EXPECT_EQ(first_difference(pca.model(), before), "");
}

TEST(StandardizeMerge, RefusesAModelThatIsNotStandardized) {
  const RowMatrix<double> rows = decaying_rows(100, kFeatures, 0.9, 1);
  const auto a = OnlinePca<double>(standardizing(Method::kRoipca, 3, 50)).partial_fit(rows).model();
  const auto b = OnlinePca<double>(options_for(Method::kRoipca, 3)).partial_fit(rows).model();
  EXPECT_THROW(merge(a, b), std::invalid_argument);
}

TEST(StandardizeBatch, IsPcaOfTheCorrelationMatrix) {
  const RowMatrix<double> rows = rows_in_units(60, 30.0, 1);
  const auto model = batch_pca<double>(rows, standardizing(Method::kRoipca, 4, 50));
  const auto oracle = dense_pca(divided(rows, true));
  EXPECT_LT(relative_difference(as_eigen(model.eigenvalues).head(4), oracle.values.head(4)), 1e-12);
}

}  // namespace
}  // namespace roipca
