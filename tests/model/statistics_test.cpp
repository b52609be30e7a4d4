// Variances, likelihoods and distances against their definitions.
#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <cmath>
#include <numbers>

#include "roipca/batch_pca.hpp"
#include "support/dense_oracle.hpp"
#include "support/models.hpp"
#include "support/rows.hpp"

namespace roipca {
namespace {

using namespace support;

template <typename T>
class Statistics : public ::testing::Test {
 protected:
  static constexpr Index kRows = 150;
  static constexpr Index kFeatures = 9;
  static constexpr Index kReported = 4;
  const RowMatrix<T> rows_ = decaying_rows(kRows, kFeatures, 0.7, 1).cast<T>();
  const DensePca oracle_ = dense_pca(rows_.template cast<double>());
  const Model<T> model_ = batch_pca<T>(rows_, options_for(Method::kRoipca, kReported));
  // Eigenvalues and scatter are in double whatever T is.
  static constexpr double kTolerance = 64 * kEpsilon<double>;

  // log N(x; mean, covariance) by a Cholesky factor.
  static Vector<double> log_density(const RowMatrix<double>& x, const Vector<double>& mean,
                                    const Matrix<double>& covariance) {
    const Eigen::LLT<Matrix<double>> factor(covariance);
    const Matrix<double> l = factor.matrixL();
    const Matrix<double> centred = (x.rowwise() - mean.transpose()).transpose();
    const Vector<double> squares = factor.matrixL().solve(centred).colwise().squaredNorm();
    const double constant = static_cast<double>(mean.size()) * std::log(2.0 * std::numbers::pi) +
                            2.0 * l.diagonal().array().log().sum();
    return -0.5 * (squares.array() + constant);
  }
  // W W^T + sigma^2 I (Tipping and Bishop 1999): the variances along the components, the noise elsewhere.
  static Matrix<double> ppca_covariance(const Model<T>& model, double noise) {
    const Matrix<double> q = reported_basis(model);
    const Vector<double> beyond = as_eigen(model.explained_variance()).cwiseMax(noise).array() - noise;
    return q * beyond.asDiagonal() * q.transpose() +
           noise * Matrix<double>::Identity(model.features(), model.features());
  }
};
TYPED_TEST_SUITE(Statistics, Scalars);

TYPED_TEST(Statistics, DegreesOfFreedomOfPlainRowsAreOneLessThanTheRows) {
  EXPECT_DOUBLE_EQ(this->model_.degrees_of_freedom(), 149.0);
}

TYPED_TEST(Statistics, DegreesOfFreedomWithoutCentringAreTheWeight) {
  Options options = options_for(Method::kRoipca, 4);
  options.center = false;
  EXPECT_DOUBLE_EQ(batch_pca<TypeParam>(this->rows_, options).degrees_of_freedom(), 150.0);
}

TYPED_TEST(Statistics, DegreesOfFreedomOfWeightedRowsAreThoseOfReliabilityWeights) {
  const Vector<double> w = uniform_numbers(150, 3);
  const auto model = batch_pca<TypeParam>(this->rows_, options_for(Method::kRoipca, 4), w);
  EXPECT_NEAR(model.degrees_of_freedom(), w.sum() - w.squaredNorm() / w.sum(), this->kTolerance * w.sum());
}

TYPED_TEST(Statistics, OneRowHasNoDegreesOfFreedomAndNoVariance) {
  const auto model = batch_pca<TypeParam>(this->rows_.topRows(1), options_for(Method::kRoipca, 4));
  EXPECT_EQ(model.degrees_of_freedom(), 0.0);
  EXPECT_EQ(as_eigen(model.explained_variance()), Vector<double>::Zero(4));
  EXPECT_EQ(as_eigen(model.explained_variance_ratio()), Vector<double>::Zero(4));
  EXPECT_EQ(as_eigen(model.feature_variance()), Vector<double>::Zero(9));
  EXPECT_EQ(model.noise_variance(), 0.0);
}

TYPED_TEST(Statistics, ExplainedVarianceIsThatOfTheScores) {
  const Vector<double> expected = this->oracle_.values.head(4) / 149.0;
  EXPECT_LT(relative_difference(as_eigen(this->model_.explained_variance()), expected), this->kTolerance);
}

TYPED_TEST(Statistics, ExplainedVarianceRatioIsOfTheTotalOfAllFeatures) {
  const Vector<double> expected = this->oracle_.values.head(4) / this->oracle_.values.sum();
  EXPECT_LT(relative_difference(as_eigen(this->model_.explained_variance_ratio()), expected),
            this->kTolerance);
}

TYPED_TEST(Statistics, SingularValuesAreThoseOfTheCentredRows) {
  const Vector<double> expected = this->oracle_.values.head(4).cwiseSqrt();
  EXPECT_LT(relative_difference(as_eigen(this->model_.singular_values()), expected), this->kTolerance);
}

TYPED_TEST(Statistics, FeatureVarianceIsTheDiagonalOfTheCovariance) {
  const Vector<double> expected = this->oracle_.scatter.diagonal() / 149.0;
  EXPECT_LT(relative_difference(as_eigen(this->model_.feature_variance()), expected), this->kTolerance);
}

TYPED_TEST(Statistics, NoiseVarianceIsTheMeanOfTheOtherEigenvalues) {
  const double expected = this->oracle_.values.tail(5).mean() / 149.0;
  // The others are the trace minus the reported ones, so their rounding is that of the trace.
  EXPECT_NEAR(this->model_.noise_variance(), expected, this->kTolerance * this->oracle_.values.sum() / 149.0);
}

TYPED_TEST(Statistics, AFullModelHasNoNoise) {
  EXPECT_EQ(batch_pca<TypeParam>(this->rows_, options_for(Method::kRoipca, 0)).noise_variance(), 0.0);
}

TYPED_TEST(Statistics, LogLikelihoodIsTheDensityWithThePpcaCovariance) {
  const auto expected = this->log_density(this->rows_.template cast<double>(), as_eigen(this->model_.mean),
                                          this->ppca_covariance(this->model_, this->model_.noise_variance()));
  // Squared distances reach about 30 standard deviations squared; each is relative to T.
  EXPECT_LT((as_eigen(this->model_.log_likelihood(this->rows_)) - expected).cwiseAbs().maxCoeff(),
            9 * 30 * kEpsilon<TypeParam> * 16);
}

TYPED_TEST(Statistics, LogLikelihoodOfAFullModelIsTheNormalDensity) {
  const auto model = batch_pca<TypeParam>(this->rows_, options_for(Method::kRoipca, 0));
  const auto expected = this->log_density(this->rows_.template cast<double>(), this->oracle_.mean,
                                          this->oracle_.scatter / 149.0);
  // The smallest deviation is 0.7^8 = 0.06 of the largest, so scores on it are off by 17 roundings of the
  // row.
  EXPECT_LT((as_eigen(model.log_likelihood(this->rows_)) - expected).cwiseAbs().maxCoeff(),
            17 * 9 * 30 * kEpsilon<TypeParam> * 16);
}

// If a component has no variance, the floor (epsilon times the largest variance) replaces it, as it does for
// the noise.
TYPED_TEST(Statistics, LogLikelihoodOfADegenerateModelIsTheDensityWithTheFloor) {
  // Along the axes, so that the covariance is a diagonal: a Cholesky factor of any other would lose all
  // digits.
  Model<TypeParam> model = this->model_;
  as_eigen(model.mean).setZero();
  as_eigen(model.mean_tail).setZero();
  model.basis = to_rows(RowMatrix<TypeParam>::Identity(4, 9));
  model.eigenvalues = {300.0, 200.0, 0.0, 0.0};
  model.scatter.assign(9, 0.0);
  as_eigen(model.scatter).head(2) = as_eigen(model.eigenvalues).head(2);
  const double floor = kEpsilon<double> * model.explained_variance()[0];
  for (const Index axis : {0, 2, 8}) {
    const RowMatrix<double> row = Vector<double>::Unit(9, axis).transpose();
    const Vector<double> expected =
        this->log_density(row, as_eigen(model.mean), this->ppca_covariance(model, floor));
    EXPECT_NEAR(model.log_likelihood(to_rows(row.cast<TypeParam>()))[0] / expected[0], 1.0, this->kTolerance)
        << axis;
  }
}

TYPED_TEST(Statistics, LogLikelihoodOfRowsWithoutVarianceIsFinite) {
  const auto model =
      batch_pca<TypeParam>(to_rows(RowMatrix<TypeParam>::Ones(5, 3)), options_for(Method::kRoipca, 2));
  EXPECT_TRUE(as_eigen(model.log_likelihood(to_rows(RowMatrix<TypeParam>::Ones(2, 3)))).allFinite());
}

TYPED_TEST(Statistics, LogLikelihoodWithoutVarianceIsFiniteAndLeastForOtherRows) {
  for (const Index components : {1, 3}) {
    const auto model = batch_pca<TypeParam>(to_rows(RowMatrix<TypeParam>::Ones(5, 3)),
                                            options_for(Method::kRoipca, components));
    RowMatrix<TypeParam> rows = RowMatrix<TypeParam>::Ones(3, 3);
    rows.row(1) *= TypeParam{3};
    rows(2, 0) = std::numeric_limits<TypeParam>::quiet_NaN();
    const Vector<double> found = as_eigen(model.log_likelihood(rows));
    EXPECT_GT(found[0], 0.0);
    EXPECT_LT(found[1], found[0]);
    EXPECT_TRUE(std::isfinite(found.head(2).sum()));
    EXPECT_TRUE(std::isnan(found[2]));
  }
}

TYPED_TEST(Statistics, T2IsTheSumOfSquaredScoresOverTheirVariances) {
  const Matrix<double> scores = as_eigen(this->model_.transform(this->rows_)).template cast<double>();
  const Vector<double> inverse = as_eigen(this->model_.explained_variance()).cwiseInverse();
  const Vector<double> expected = scores.cwiseAbs2() * inverse;
  EXPECT_LT(relative_difference(as_eigen(this->model_.t2(this->rows_)), expected), 16 * kEpsilon<TypeParam>);
}

TYPED_TEST(Statistics, T2IgnoresComponentsWithoutVariance) {
  auto model = this->model_;
  as_eigen(model.eigenvalues).tail(as_eigen(model.eigenvalues).size() - 2).setZero();
  const Matrix<double> scores = as_eigen(model.transform(this->rows_)).template cast<double>();
  const Vector<double> inverse = as_eigen(model.explained_variance()).head(2).cwiseInverse();
  const Vector<double> expected = scores.leftCols(2).cwiseAbs2() * inverse;
  EXPECT_LT(relative_difference(as_eigen(model.t2(this->rows_)), expected), 16 * kEpsilon<TypeParam>);
}

TYPED_TEST(Statistics, SpeIsTheSquaredDistanceFromThePlane) {
  const Matrix<double> q = reported_basis(this->model_);
  const Matrix<double> centred =
      this->rows_.template cast<double>().rowwise() - as_eigen(this->model_.mean).transpose();
  const Vector<double> expected = (centred - centred * q * q.transpose()).rowwise().squaredNorm();
  EXPECT_LT(relative_difference(as_eigen(this->model_.spe(this->rows_)), expected), 64 * kEpsilon<TypeParam>);
}

TYPED_TEST(Statistics, SpeOfARowInThePlaneIsRounding) {
  const RowMatrix<TypeParam> scores = as_eigen(this->model_.transform(this->rows_));
  const auto in_plane = this->model_.inverse_transform(scores);
  // A squared rounding error: 9 features of size up to 5.
  EXPECT_LT(as_eigen(this->model_.spe(in_plane)).maxCoeff(), std::pow(9 * 5 * kEpsilon<TypeParam>, 2));
}

}  // namespace
}  // namespace roipca
