// With `missing = kImpute`, NaN are missing values.
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <array>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "intake/row_filler.hpp"
#include "roipca/errors.hpp"
#include "roipca/merge.hpp"
#include "roipca/model_file.hpp"
#include "roipca/online_pca.hpp"
#include "roipca/refinement.hpp"
#include "support/dense_oracle.hpp"
#include "support/models.hpp"
#include "support/rows.hpp"

namespace roipca {
namespace {

using namespace support;

constexpr Index kFeatures = 17;
constexpr std::array kWays = {Way(Method::kRoipca), Way(Method::kIpca), Way(Method::kExact)};

Options imputing(const Way& way, Index n_components, Index first_rows) {
  Options options = options_for(way, n_components);
  options.missing = Missing::kImpute;
  options.first_rows = first_rows;
  return options;
}

// Three factors and noise, about a mean of 5.
RowMatrix<double> factor_rows(Index count, unsigned seed) {
  const RowMatrix<double> loadings = normal_rows(3, kFeatures, 99);
  RowMatrix<double> rows =
      normal_rows(count, 3, seed) * loadings + 0.3 * normal_rows(count, kFeatures, seed + 1);
  rows.array() += 5.0;
  return rows;
}

RowMatrix<double> with_gaps(RowMatrix<double> rows, double part, unsigned seed) {
  const Vector<double> uniform = uniform_numbers(rows.size(), seed);
  for (Index i = 0; i < rows.size(); ++i) {
    if (uniform[i] < part) rows.data()[i] = kNan;
  }
  return rows;
}

template <typename T>
double error_of(const Model<T>& model, const DensePca& oracle) {
  const RowMatrix<double> truth = oracle.vectors.leftCols(model.n_components).transpose();
  const RowMatrix<double> found = reported_basis(model).transpose();
  return subspace_error(Rows<double>(truth), Rows<double>(found));
}

TEST(RowFiller, FillsByTheConditionalExpectationAndKnowsItsCovariance) {
  // A covariance of rank 3 and noise, and what normal theory says of its last five variables.
  const Matrix<double> q = orthonormal_columns(kFeatures, 3, 1);
  const Vector<double> variance = Vector<double>{{9.0, 4.0, 2.0}};
  const double noise = 0.5;
  Matrix<double> covariance = q * (variance.array() - noise).matrix().asDiagonal() * q.transpose();
  covariance.diagonal().array() += noise;
  const FillModel model = FillModel::of<double>(q, variance, covariance.trace(), covariance.diagonal(), kInf);
  EXPECT_NEAR(model.noise, noise, 1e-12);
  Vector<double> row = normal_rows(1, kFeatures, 2).row(0);
  const Index there = kFeatures - 5;
  const Vector<double> known = row.head(there);
  row.tail(5).setConstant(kNan);
  RowFiller filler;
  filler.fill(model, row.data());
  const Matrix<double> of_known = covariance.topLeftCorner(there, there);
  const Matrix<double> between = covariance.bottomLeftCorner(5, there);
  const Matrix<double> left =
      covariance.bottomRightCorner(5, 5) - between * of_known.inverse() * between.transpose();
  EXPECT_LT((row.tail(5) - between * of_known.inverse() * known).norm(), 1e-12);
  EXPECT_LT((filler.gap_variance(model) - left.diagonal()).norm(), 1e-12);
  const Matrix<double> inner = q.bottomRows(5).transpose() * left * q.bottomRows(5);
  EXPECT_LT((filler.inner_covariance(model) - inner).norm(), 1e-12);
  const RowMatrix<double> any = normal_rows(kFeatures, 4, 3);
  EXPECT_LT((filler.covariance_times(model, any) - left * any.bottomRows(5)).norm(), 1e-12);
  const double density = -0.5 * (static_cast<double>(there) * std::log(2.0 * M_PI) +
                                 std::log(of_known.determinant()) + known.dot(of_known.inverse() * known));
  EXPECT_NEAR(filler.log_density(model), density, 1e-10);
}

// One feature in a large unit is a component almost by itself. Without its value, 1e-5 of the component is
// there: less than the rounding of 1 - q^2 if q is rounded to float.
TEST(RowFiller, FillsByWhatIsThereWhereAComponentIsAlmostAllMissing) {
  for (unsigned seed = 1; seed <= 8; ++seed) {
    Matrix<double> q = orthonormal_columns(kFeatures, 3, seed);
    q.row(0).setZero();
    q.col(0) *= 1e-5;
    q(0, 0) = 1.0;
    q = q.cast<float>().cast<double>().eval();
    FillModel model;
    model.basis = q;
    model.variance = Vector<double>{{1e13, 4.0, 2.0}};
    model.noise = 0.5;
    model.feature_noise = Vector<double>::Constant(kFeatures, 0.5);
    Vector<double> row = normal_rows(1, kFeatures, seed).row(0);
    row[0] = kNan;
    const Matrix<long double> there = q.bottomRows(kFeatures - 1).cast<long double>();
    Matrix<long double> m = there.transpose() * there;
    m.diagonal().array() += 0.5L / (model.variance.cast<long double>().array() - 0.5L);
    const Vector<long double> z =
        m.inverse() * (there.transpose() * row.tail(kFeatures - 1).cast<long double>());
    const auto expected = static_cast<double>(q.row(0).cast<long double>().dot(z));
    RowFiller().fill(model, row.data());
    // M has a condition of 1e10, and comes from products that are rounded once.
    EXPECT_NEAR(row[0], expected, 1e10 * 64 * kEpsilon<double> * std::abs(expected)) << "seed " << seed;
  }
}

template <typename T>
class MissingValues : public ::testing::Test {};
TYPED_TEST_SUITE(MissingValues, Scalars);

TYPED_TEST(MissingValues, ComponentsAndVariancesAreThoseOfTheRowsWithoutGaps) {
  const RowMatrix<double> rows = factor_rows(4000, 1);
  const auto oracle = dense_pca(rows);
  const RowMatrix<TypeParam> gaps = with_gaps(rows, 0.3, 3).cast<TypeParam>();
  for (const Way& way : kWays) {
    const auto model = OnlinePca<TypeParam>(imputing(way, 3, 300)).partial_fit(gaps).model();
    // 4000 rows: random errors of variances are 2 %, those of directions 1e-3 of noise over signal.
    EXPECT_LT(error_of(model, oracle), 1e-3) << name(way);
    for (Index i = 0; i < 3; ++i) {
      EXPECT_NEAR(model.eigenvalues[static_cast<std::size_t>(i)] / oracle.values[i], 1.0, 0.03) << name(way);
    }
    for (Index j = 0; j < kFeatures; ++j) {
      EXPECT_NEAR(model.scatter[static_cast<std::size_t>(j)] / oracle.scatter(j, j), 1.0, 0.06) << name(way);
      double sum = 0.0;
      Index count = 0;
      for (Index i = 0; i < 4000; ++i) {
        if (std::isnan(gaps(i, j))) continue;
        sum += static_cast<double>(gaps(i, j));
        ++count;
      }
      EXPECT_EQ(model.feature_weight[static_cast<std::size_t>(j)], static_cast<double>(count));
      EXPECT_NEAR(model.mean[static_cast<std::size_t>(j)], sum / static_cast<double>(count),
                  1e3 * kEpsilon<TypeParam>);
    }
    EXPECT_EQ(model.rows, 4000);
  }
}

TYPED_TEST(MissingValues, RowsWithoutGapsAreThoseOfAnyOtherStream) {
  const RowMatrix<TypeParam> rows = factor_rows(500, 1).cast<TypeParam>();
  for (const Way& way : kWays) {
    const auto model = OnlinePca<TypeParam>(imputing(way, 3, 100)).partial_fit(rows).model();
    const auto plain = OnlinePca<TypeParam>(options_for(way, 3)).partial_fit(rows).model();
    EXPECT_TRUE(model.feature_weight.empty());
    EXPECT_LT(relative_difference(as_eigen(model.explained_variance()), as_eigen(plain.explained_variance())),
              1e3 * kEpsilon<TypeParam>)
        << name(way);
  }
}

TYPED_TEST(MissingValues, NeitherCutsNorReadingNorStopsChangeABit) {
  RowMatrix<TypeParam> rows = with_gaps(factor_rows(200, 1), 0.2, 3).cast<TypeParam>();
  rows.row(7).setConstant(static_cast<TypeParam>(kNan));
  rows.row(120).setConstant(static_cast<TypeParam>(kNan));
  for (const Way& way : kWays) {
    for (const double forgetting : {1.0, 0.95}) {
      for (const bool standardize : {false, true}) {
        Options options = imputing(way, 3, 40);
        options.forgetting = forgetting;
        options.standardize = standardize;
        const auto whole = OnlinePca<TypeParam>(options).partial_fit(rows).model();
        EXPECT_EQ(whole.rows, 198);
        EXPECT_EQ(whole.empty_rows, 2);
        EXPECT_NO_THROW(check(whole));
        OnlinePca<TypeParam> pca(options);
        for (Index i = 0; i < rows.rows(); ++i) {
          pca.update(rows.row(i).transpose());
          if (i % 31 == 0) static_cast<void>(pca.model());
          pca = OnlinePca<TypeParam>::from_state(pca.state());
        }
        EXPECT_EQ(first_difference(pca.model(), whole), "") << name(way);
      }
    }
  }
}

TYPED_TEST(MissingValues, AFeatureThatIsSeenLateHasTheMeanOfItsValues) {
  RowMatrix<double> rows = factor_rows(1500, 1);
  rows.col(4).array() += 1e4;
  rows.col(4).head(700).setConstant(kNan);
  rows.col(9).segment(300, 500).setConstant(kNan);
  const RowMatrix<TypeParam> given = rows.cast<TypeParam>();
  for (const Way& way : kWays) {
    const auto model = OnlinePca<TypeParam>(imputing(way, 3, 200)).partial_fit(given).model();
    EXPECT_NEAR(model.mean[4], rows.col(4).tail(800).mean(), 1e4 * 100 * kEpsilon<TypeParam>) << name(way);
    EXPECT_EQ(model.feature_weight[4], 800.0);
    EXPECT_EQ(model.feature_weight[9], 1000.0);
    const auto oracle = dense_pca(factor_rows(1500, 1));
    EXPECT_NEAR(model.scatter[9] / oracle.scatter(9, 9), 1.0, 0.1) << name(way);
  }
}

// Beside a value of 1e8, the expectation of a missing one may be as large, and far from those of its feature.
TYPED_TEST(MissingValues, HugeExpectationsLeaveNoRoundingInTheMeanOfTheValues) {
  RowMatrix<double> all = factor_rows(400, 1);
  all.col(1) = 2.0 * all.col(0) + 0.1 * normal_rows(400, 1, 7);
  RowMatrix<TypeParam> rows = all.cast<TypeParam>();
  for (Index i = 100; i < 400; i += 9) {
    rows(i, 0) = TypeParam{1e8};
    rows(i, 1) = static_cast<TypeParam>(kNan);
  }
  Vector<double> values(400);
  Index count = 0;
  for (Index i = 0; i < 400; ++i) {
    if (!std::isnan(rows(i, 1))) values[count++] = static_cast<double>(rows(i, 1));
  }
  const double mean = values.head(count).mean();
  const double largest = values.head(count).cwiseAbs().maxCoeff();
  for (const Way& way : kWays) {
    OnlinePca<TypeParam> pca(imputing(way, 3, 50));
    pca.partial_fit(RowMatrix<TypeParam>(rows.topRows(200)));
    pca = OnlinePca<TypeParam>(pca.model());  // blocks do not begin where they did
    const auto model = pca.partial_fit(RowMatrix<TypeParam>(rows.bottomRows(200))).model();
    // Rows are rounded to T about an origin among them, and sums of 400 of them to double.
    EXPECT_NEAR(model.mean[1], mean, (2 * kEpsilon<TypeParam> + 400 * kEpsilon<double>)*largest) << name(way);
  }
}

// In one block with it, so that its weight is part of the sums.
TEST(MissingValues, AHeavyRowWithAGapLeavesNoRoundingInTheMeanOfTheOthers) {
  RowMatrix<double> rows = factor_rows(8, 1);
  const double mean = (rows.col(2).sum() - rows(3, 2)) / 7.0;
  rows(3, 2) = kNan;
  Vector<double> weights = Vector<double>::Ones(8);
  weights[3] = 1234567.0;  // the square of its root is another number
  for (const Way& way : kWays) {
    const auto model = OnlinePca<double>(imputing(way, 3, 8)).partial_fit(rows, weights).model();
    EXPECT_NEAR(model.mean[2], mean, 16 * kEpsilon<double> * rows.col(2).head(3).cwiseAbs().maxCoeff())
        << name(way);
    EXPECT_EQ(model.feature_weight[2], 7.0) << name(way);
  }
}

TYPED_TEST(MissingValues, GapsInConstantColumnsHaveNoVariance) {
  RowMatrix<TypeParam> rows = with_gaps(factor_rows(600, 1), 0.2, 3).cast<TypeParam>();
  for (Index i = 0; i < rows.rows(); ++i) {
    if (!std::isnan(rows(i, 2))) rows(i, 2) = TypeParam{7};
  }
  for (const Way& way : kWays) {
    const auto model = OnlinePca<TypeParam>(imputing(way, 3, 100)).partial_fit(rows).model();
    EXPECT_EQ(model.mean[2], 7.0) << name(way);
    EXPECT_LT(model.scatter[2], 1e-9 * model.trace()) << name(way);
  }
}

TYPED_TEST(MissingValues, ScalesOverThirtyDecades) {
  RowMatrix<double> rows = factor_rows(1200, 1);
  for (Index j = 0; j < kFeatures; ++j)
    rows.col(j) *= std::pow(10.0, 30.0 * static_cast<double>(j) / 16.0 - 15.0);
  const RowMatrix<TypeParam> given = with_gaps(rows, 0.2, 3).cast<TypeParam>();
  Options options = imputing(Method::kRoipca, 3, 300);
  options.standardize = true;
  const auto model = OnlinePca<TypeParam>(options).partial_fit(given).model();
  EXPECT_NO_THROW(check(model));
  EXPECT_TRUE(as_eigen(model.impute(given)).allFinite());
}

// Expectations of rows that are mostly 0 may be far smaller than the rows, and below the range of T.
TYPED_TEST(MissingValues, APowerOfTwoOnAllRowsChangesNoBit) {
  const double power = std::is_same_v<TypeParam, float> ? 0x1p-100 : 0x1p-450;
  for (unsigned seed = 1; seed <= 8; ++seed) {
    RowMatrix<double> rows = normal_rows(60, kFeatures, seed);
    const Vector<double> uniform = uniform_numbers(rows.size(), seed + 20);
    for (Index i = 0; i < rows.size(); ++i) rows.data()[i] *= uniform[i] < 0.07 ? 1.0 : 0.0;
    const RowMatrix<TypeParam> given = with_gaps(rows, 0.2, seed + 40).cast<TypeParam>();
    const RowMatrix<TypeParam> tiny = given * static_cast<TypeParam>(power);
    for (const Way& way : kWays) {
      const auto model = OnlinePca<TypeParam>(imputing(way, 7, 30)).partial_fit(given).model();
      const auto of_tiny = OnlinePca<TypeParam>(imputing(way, 7, 30)).partial_fit(tiny).model();
      EXPECT_EQ(as_eigen(model.basis), as_eigen(of_tiny.basis)) << name(way) << ", seed " << seed;
      EXPECT_EQ(as_eigen(model.eigenvalues) * power * power, as_eigen(of_tiny.eigenvalues))
          << name(way) << ", seed " << seed;
    }
  }
}

TYPED_TEST(MissingValues, MergedAndSharedModelsAreThoseOfAllRows) {
  const RowMatrix<double> rows = factor_rows(4000, 1);
  const auto oracle = dense_pca(rows);
  const RowMatrix<TypeParam> gaps = with_gaps(rows, 0.3, 3).cast<TypeParam>();
  Options options = imputing(Method::kRoipca, 3, 300);
  const auto alone = OnlinePca<TypeParam>(options).partial_fit(gaps).model();
  const auto merged = merge(OnlinePca<TypeParam>(options).partial_fit(gaps.topRows(1500)).model(),
                            OnlinePca<TypeParam>(options).partial_fit(gaps.bottomRows(2500)).model());
  options.threads = 3;
  const auto shared = OnlinePca<TypeParam>(options).partial_fit(gaps).model();
  for (const auto& model : {merged, shared}) {
    EXPECT_LT(error_of(model, oracle), 1e-3);
    EXPECT_EQ(model.feature_weight, alone.feature_weight);
    EXPECT_LT(relative_difference(as_eigen(model.mean), as_eigen(alone.mean)), 1e3 * kEpsilon<TypeParam>);
    EXPECT_NEAR(model.trace() / alone.trace(), 1.0, 0.02);
  }
}

TYPED_TEST(MissingValues, ImputedValuesAreNearTheTruth) {
  const RowMatrix<double> rows = factor_rows(2000, 1);
  const RowMatrix<TypeParam> gaps = with_gaps(rows, 0.3, 3).cast<TypeParam>();
  const auto model = OnlinePca<TypeParam>(imputing(Method::kRoipca, 3, 300)).partial_fit(gaps).model();
  const RowMatrix<double> filled = as_eigen(model.impute(gaps)).template cast<double>();
  double squares = 0.0;
  Index count = 0;
  for (Index i = 0; i < rows.size(); ++i) {
    if (!std::isnan(gaps.data()[i])) {
      EXPECT_EQ(filled.data()[i], static_cast<double>(gaps.data()[i]));
      continue;
    }
    squares += std::pow(filled.data()[i] - rows.data()[i], 2);
    ++count;
  }
  // The noise of a value, 0.3, and what 12 values leave open of three factors.
  EXPECT_LT(std::sqrt(squares / static_cast<double>(count)), 0.3 * 1.4);
  const auto scores = as_eigen(model.transform(gaps));
  const auto scores_of_filled = as_eigen(model.transform(model.impute(gaps)));
  EXPECT_LT((scores - scores_of_filled).template cast<double>().cwiseAbs().maxCoeff(),
            1e3 * kEpsilon<TypeParam>);
  EXPECT_TRUE(as_eigen(model.spe(gaps)).allFinite());
  EXPECT_TRUE(as_eigen(model.t2(gaps)).allFinite());
  EXPECT_TRUE(as_eigen(model.log_likelihood(gaps)).allFinite());
}

// Sum over the rows of E[(x - mean) (x - mean)^T | values there] under the distribution that rows are filled
// by.
Matrix<double> expected_scatter(const RowMatrix<double>& gaps, const Model<double>& model) {
  const FillModel by = fill_model(model);
  const auto q = by.basis.leftCols(by.predictors());
  Matrix<double> covariance = q * (by.variance.array() - by.noise).matrix().asDiagonal() * q.transpose();
  covariance.diagonal().array() += by.noise;
  Matrix<double> sum = Matrix<double>::Zero(kFeatures, kFeatures);
  for (Index i = 0; i < gaps.rows(); ++i) {
    std::vector<Index> there;
    std::vector<Index> missing;
    for (Index j = 0; j < kFeatures; ++j) (std::isnan(gaps(i, j)) ? missing : there).push_back(j);
    Vector<double> x = gaps.row(i).transpose() - as_eigen(model.mean);
    const Matrix<double> regression =
        covariance(missing, there) * Matrix<double>(covariance(there, there)).inverse();
    x(missing) = regression * Vector<double>(x(there));
    sum += x * x.transpose();
    sum(missing, missing) += covariance(missing, missing) - regression * covariance(there, missing);
  }
  return sum;
}

TEST(MissingRefinement, AnotherPassIsAStepOfTheEmAlgorithm) {
  const RowMatrix<double> gaps = with_gaps(factor_rows(1500, 1), 0.4, 3);
  const auto model = OnlinePca<double>(imputing(Method::kRoipca, 3, 100)).partial_fit(gaps).model();
  const auto refined = Refinement<double>(model).add(gaps).finish();
  EXPECT_NO_THROW(check(refined));
  const Matrix<double> scatter = expected_scatter(gaps, model);
  EXPECT_LT(relative_difference(as_eigen(refined.scatter), scatter.diagonal()), 1e-12);
  EXPECT_NEAR(refined.scatter_trace / scatter.trace(), 1.0, 1e-12);
  // The products S Q themselves, by the residuals of components that are nearly those of S.
  const Eigen::SelfAdjointEigenSolver<Matrix<double>> eigen(scatter);
  for (Index i = 0; i < 3; ++i) {
    const double value = eigen.eigenvalues()[kFeatures - 1 - i];
    EXPECT_NEAR(refined.eigenvalues[static_cast<std::size_t>(i)] / value, 1.0, 1e-6);
  }
}

TEST(MissingRefinement, SecondPassesKnowFeaturesThatWereSeenLate) {
  const RowMatrix<double> rows = factor_rows(2000, 1);
  RowMatrix<double> gaps = rows;
  gaps.col(4).head(1000).setConstant(kNan);
  const auto oracle = dense_pca(rows);
  auto model = OnlinePca<double>(imputing(Method::kRoipca, 3, 200)).partial_fit(gaps).model();
  EXPECT_LT(model.scatter[4] / oracle.scatter(4, 4), 0.7);
  for (int pass = 0; pass < 3; ++pass) model = Refinement<double>(model).add(gaps).finish();
  // Of 1,000 values: their variance is known to 4 %.
  EXPECT_NEAR(model.scatter[4] / oracle.scatter(4, 4), 1.0, 0.1);
}

TYPED_TEST(MissingValues, RefinementsDoNotDependOnCutsStopsOrParts) {
  RowMatrix<TypeParam> gaps = with_gaps(factor_rows(400, 1), 0.3, 3).cast<TypeParam>();
  gaps.row(9).setConstant(static_cast<TypeParam>(kNan));
  const auto model = OnlinePca<TypeParam>(imputing(Method::kRoipca, 3, 100)).partial_fit(gaps).model();
  const auto whole = Refinement<TypeParam>(model).add(gaps).finish();
  Refinement<TypeParam> cut(model);
  for (Index i = 0; i < gaps.rows(); ++i) {
    cut.add(RowMatrix<TypeParam>(gaps.row(i)));
    if (i % 50 == 0) cut = Refinement<TypeParam>::from_state(model, cut.state());
  }
  EXPECT_EQ(first_difference(cut.finish(), whole), "");
  Refinement<TypeParam> first(model);
  Refinement<TypeParam> second(model);
  first.add(RowMatrix<TypeParam>(gaps.topRows(150)));
  second.add(RowMatrix<TypeParam>(gaps.bottomRows(250)));
  const auto merged = first.merge(second).finish();
  EXPECT_LT(relative_difference(as_eigen(merged.scatter), as_eigen(whole.scatter)),
            1e3 * kEpsilon<TypeParam>);
  RowMatrix<TypeParam> others = gaps;
  others(3, 3) = std::isnan(others(3, 3)) ? TypeParam{5} : static_cast<TypeParam>(kNan);
  EXPECT_THROW(Refinement<TypeParam>(model).add(others).finish(), std::invalid_argument);
}

TEST(MissingFiles, KeepWhatIsKnownOfGaps) {
  const RowMatrix<double> gaps = with_gaps(factor_rows(300, 1), 0.2, 3);
  const auto model = OnlinePca<double>(imputing(Method::kRoipca, 3, 100)).partial_fit(gaps).model();
  EXPECT_EQ(first_difference(from_bytes<double>(to_bytes(model)), model), "");
  const auto more = OnlinePca<double>(model).partial_fit(gaps).model();
  EXPECT_EQ(more.feature_weight[0], 2.0 * model.feature_weight[0]);
}

TEST(MissingFailure, InfinitiesAreRefusedBesideMissingValuesAndChangeNothing) {
  RowMatrix<double> gaps = with_gaps(factor_rows(300, 1), 0.2, 3);
  OnlinePca<double> pca(imputing(Method::kRoipca, 3, 100));
  pca.partial_fit(gaps);
  const auto before = pca.model();
  gaps(4, 2) = kInf;
  try {
    pca.partial_fit(gaps);
    FAIL();
  } catch (const DataError& error) {
    EXPECT_EQ(error.row(), 4);
  }
  EXPECT_EQ(first_difference(pca.model(), before), "");
}

TEST(MissingFailure, RowsWithoutAnyValueMakeNoModel) {
  const RowMatrix<double> nothing = RowMatrix<double>::Constant(20, kFeatures, kNan);
  OnlinePca<double> pca(imputing(Method::kRoipca, 3, 10));
  pca.partial_fit(nothing);
  EXPECT_EQ(pca.rows_seen(), 0);
  EXPECT_THROW(pca.model(), std::logic_error);
  EXPECT_THROW(pca.fit(nothing), std::invalid_argument);
  EXPECT_EQ(pca.partial_fit(factor_rows(5, 1)).model().empty_rows, 20);
}

TEST(MissingFailure, NanIsAnErrorByDefaultAndForMethodsRowByRow) {
  const RowMatrix<double> gaps = with_gaps(factor_rows(30, 1), 0.2, 3);
  EXPECT_THROW(OnlinePca<double>(options_for(Method::kRoipca, 3)).partial_fit(gaps), DataError);
  EXPECT_THROW(OnlinePca<double>(imputing(Method::kFroipca, 3, 10)), std::invalid_argument);
  EXPECT_THROW(OnlinePca<double>(imputing(Way(Method::kRoipca, UpdateEvery::kRow), 3, 10)),
               std::invalid_argument);
}

// A row moves the mean of a feature by its weight, unless the value is missing: then its expected square must
// not count more often than there are rows to compare it with.
TYPED_TEST(MissingValues, AHeavyRowWithAGapLeavesTheVarianceOfTheOthers) {
  const RowMatrix<double> all = factor_rows(60, 1);
  RowMatrix<TypeParam> rows = all.cast<TypeParam>();
  rows(30, 2) = static_cast<TypeParam>(kNan);
  const double variance = (all.col(2).array() - all.col(2).mean()).square().sum() / 59.0;
  for (const Way& way : kWays) {
    for (const double heavy : {1e2, 1e4, 1e8, 1e16, 1e30}) {
      for (const Index first_rows : {5, 100}) {
        Vector<double> weights = Vector<double>::Ones(60);
        weights[30] = heavy;
        const auto model =
            OnlinePca<TypeParam>(imputing(way, 3, first_rows)).partial_fit(rows, weights).model();
        // Pairs of the others with the heavy row have twice the variance or half of it, on average.
        const double found = model.feature_variance()[2] / variance;
        EXPECT_GT(found, 1.0 / 3.0) << name(way) << ", weight " << heavy << ", first rows " << first_rows;
        EXPECT_LT(found, 3.0) << name(way) << ", weight " << heavy << ", first rows " << first_rows;
        EXPECT_TRUE(all_finite(model));
      }
    }
  }
}

}  // namespace
}  // namespace roipca
