#include "roipca/learning_rate.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "roipca/batch_pca.hpp"
#include "roipca/online_pca.hpp"
#include "support/dense_oracle.hpp"
#include "support/models.hpp"
#include "support/rows.hpp"

namespace roipca {
namespace {

using namespace support;

constexpr std::array kGradientMethods = {Method::kGha, Method::kOja};

template <typename T>
class Rate : public ::testing::Test {
 protected:
  const RowMatrix<T> rows_ = decaying_rows(400, 12, 0.6, 1).cast<T>();

  static Options with(Method method, LearningRate rate) {
    Options options = options_for(method, 3);
    options.learning_rate = rate;
    return options;
  }
  // Of a stream that starts from a batch of its first rows, as in the paper.
  double error(const Options& options) const {
    const Matrix<double> truth = dense_pca(rows_.template cast<double>()).vectors.leftCols(3);
    OnlinePca<T> pca(batch_pca<T>(rows_.topRows(80), options));
    return subspace_error(truth, reported_basis(pca.partial_fit(rows_.bottomRows(320)).model()));
  }
};
TYPED_TEST_SUITE(Rate, Scalars);

TYPED_TEST(Rate, AFixedRateIsCOverTheRows) {
  for (const Method method : kGradientMethods) {
    OnlinePca<TypeParam> pca(this->with(method, LearningRate::fixed(0.7)));
    const auto rates = pca.partial_fit(this->rows_).learning_rates();
    ASSERT_EQ(rates.size(), 3U) << name(method);
    for (const double rate : rates) EXPECT_DOUBLE_EQ(rate, 0.7 / 400.0) << name(method);
  }
}

TYPED_TEST(Rate, AScaleFreeRateIsTheInverseMeanEigenvalue) {
  for (const Method method : kGradientMethods) {
    OnlinePca<TypeParam> pca(options_for(method, 3));
    const auto rates = pca.partial_fit(this->rows_).learning_rates();
    ASSERT_EQ(rates.size(), 3U) << name(method);
    const double expected = 3.0 / as_eigen(pca.model().eigenvalues).head(3).sum();
    for (const double rate : rates) EXPECT_NEAR(rate, expected, 1e-12 * expected) << name(method);
  }
}

TYPED_TEST(Rate, AScaleFreeRateFollowsTheUnitOfTheRows) {
  OnlinePca<TypeParam> pca(options_for(Method::kOja, 3));
  OnlinePca<TypeParam> scaled(options_for(Method::kOja, 3));
  const double rate = pca.partial_fit(this->rows_).learning_rates()[0];
  const RowMatrix<TypeParam> rows = this->rows_ * TypeParam{0x1p60F};
  EXPECT_EQ(scaled.partial_fit(rows).learning_rates()[0], rate * 0x1p-120);
}

// With one component of eigenvalue lambda before a row, t after it, and mu = 0, the paper's rate is
// (1/z^2) (t - lambda) / t.
TYPED_TEST(Rate, FroipcaGivesThePapersOptimalRate) {
  Options options = options_for(Method::kFroipca, 1);
  options.mu = Mu::zero();
  options.center = false;
  OnlinePca<TypeParam> pca(options);
  pca.partial_fit(this->rows_);
  const auto before = pca.model();
  const Vector<TypeParam> row = normal_rows(12, 1, 5).cast<TypeParam>();
  pca.update(row);
  const double z = as_columns(before.basis).col(0).template cast<double>().dot(row.template cast<double>());
  const double t = pca.model().eigenvalues[0];
  const double expected = (t - before.eigenvalues[0]) / (z * z * t);
  // t - lambda loses the digits that lambda has beyond z^2.
  const double lost = t / (t - before.eigenvalues[0]);
  ASSERT_EQ(pca.learning_rates().size(), 1U);
  EXPECT_NEAR(pca.learning_rates()[0], expected, 16 * lost * kEpsilon<TypeParam> * expected);
}

TYPED_TEST(Rate, FroipcaHasOneThatIsNotNegativeForEachComponent) {
  OnlinePca<TypeParam> pca(options_for(Method::kFroipca, 3));
  pca.partial_fit(this->rows_.topRows(100));
  for (Index i = 100; i < 400; ++i) {
    const auto rates = pca.update(this->rows_.row(i).transpose()).learning_rates();
    ASSERT_EQ(rates.size(), 3U);
    for (const double rate : rates) ASSERT_GE(rate, 0.0) << i;
  }
}

TYPED_TEST(Rate, OtherMethodsHaveNone) {
  for (const Method method :
       {Method::kRoipca, Method::kIpca, Method::kCcipca, Method::kFrequentDirections, Method::kExact}) {
    EXPECT_TRUE(
        OnlinePca<TypeParam>(options_for(method, 3)).partial_fit(this->rows_).learning_rates().empty());
  }
}

TYPED_TEST(Rate, BeforeTheFirstRowThereIsNone) {
  for (const Way& method : kAllMethods) {
    EXPECT_TRUE(OnlinePca<TypeParam>(options_for(method, 3)).learning_rates().empty()) << name(method);
  }
}

TYPED_TEST(Rate, TheTunedOneBeatsOnesAHundredTimesLargerAndSmaller) {
  for (const Method method : kGradientMethods) {
    const double c = tune_learning_rate<TypeParam>(this->rows_, options_for(method, 3));
    const double tuned = this->error(this->with(method, LearningRate::fixed(c)));
    EXPECT_LT(tuned, this->error(this->with(method, LearningRate::fixed(100.0 * c)))) << name(method);
    EXPECT_LT(tuned, this->error(this->with(method, LearningRate::fixed(c / 100.0)))) << name(method);
  }
}

TYPED_TEST(Rate, TuningFollowsTheUnitOfTheRows) {
  const double c = tune_learning_rate<TypeParam>(this->rows_, options_for(Method::kOja, 3));
  const RowMatrix<TypeParam> scaled = this->rows_ * TypeParam{0x1p40F};
  const double scaled_c = tune_learning_rate<TypeParam>(scaled, options_for(Method::kOja, 3));
  EXPECT_NEAR(scaled_c, c * 0x1p-80, 1e-12 * scaled_c);
}

TYPED_TEST(Rate, TuningDoesNotDependOnTheCuts) {
  for (const Method method : kGradientMethods) {
    OnlinePca<TypeParam> whole(this->with(method, LearningRate::tuned()));
    OnlinePca<TypeParam> single(this->with(method, LearningRate::tuned()));
    whole.partial_fit(this->rows_);
    for (Index i = 0; i < 400; ++i) {
      single.update(this->rows_.row(i).transpose());
      if (i % 50 == 49) single = OnlinePca<TypeParam>(single);
    }
    EXPECT_GT(whole.model().resolved.learning_rate, 0.0) << name(method);
    EXPECT_EQ(first_difference(single.model(), whole.model()), "") << name(method);
  }
}

TYPED_TEST(Rate, FitTunesOnTheBatchItStartsFrom) {
  const auto pca = OnlinePca<TypeParam>(this->with(Method::kOja, LearningRate::tuned())).fit(this->rows_);
  EXPECT_EQ(pca.model().resolved.learning_rate,
            tune_learning_rate<TypeParam>(this->rows_, options_for(Method::kOja, 3)));
}

// Among a part of the rows, a feature that begins late does not vary, and would be left in its own unit.
TYPED_TEST(Rate, OfStandardizedRowsDoesNotDependOnTheirUnit) {
  RowMatrix<TypeParam> rows = this->rows_;
  rows.topRows(100).col(0).setZero();
  for (const Method method : kGradientMethods) {
    Options options = options_for(method, 3);
    options.standardize = true;
    const double rate = tune_learning_rate<TypeParam>(to_rows(rows), options);
    EXPECT_GT(rate, 0.0) << name(method);
    EXPECT_EQ(tune_learning_rate<TypeParam>(to_rows(rows * TypeParam{1024}), options), rate) << name(method);
  }
}

TYPED_TEST(Rate, FitTunesAnew) {
  OnlinePca<TypeParam> pca(this->with(Method::kOja, LearningRate::tuned()));
  pca.fit(to_rows(this->rows_ * TypeParam{1024}));
  pca.fit(this->rows_);
  EXPECT_EQ(pca.model().resolved.learning_rate,
            tune_learning_rate<TypeParam>(this->rows_, options_for(Method::kOja, 3)));
}

TYPED_TEST(Rate, RowsWithoutVarianceFitEveryRate) {
  EXPECT_EQ(
      tune_learning_rate<TypeParam>(to_rows(RowMatrix<TypeParam>::Ones(30, 4)), options_for(Method::kOja, 3)),
      0.0);
}

// A rate has a unit, 1 / variance. If it comes from rows that differ, the unit of the rows changes no bit.
TYPED_TEST(Rate, AStreamThatBeginsWithEqualRowsIsTunedOnLaterOnes) {
  RowMatrix<TypeParam> rows = RowMatrix<TypeParam>::Zero(1000, this->rows_.cols());
  rows.bottomRows(400) = this->rows_;
  for (const Method method : kGradientMethods) {
    OnlinePca<TypeParam> pca(this->with(method, LearningRate::tuned()));
    OnlinePca<TypeParam> scaled(this->with(method, LearningRate::tuned()));
    pca.partial_fit(rows);
    scaled.partial_fit(to_rows(rows * TypeParam{1024}));
    const double rate = pca.model().resolved.learning_rate;
    EXPECT_GT(rate, 0.0) << name(method);
    EXPECT_EQ(scaled.model().resolved.learning_rate * 1024.0 * 1024.0, rate) << name(method);
    EXPECT_EQ(as_columns(scaled.model().basis), as_columns(pca.model().basis)) << name(method);
  }
}

TYPED_TEST(Rate, TooFewRowsToTuneOnAreRefused) {
  EXPECT_THROW(tune_learning_rate<TypeParam>(this->rows_.topRows(24), options_for(Method::kOja, 3)),
               std::invalid_argument);
  EXPECT_NO_THROW(tune_learning_rate<TypeParam>(this->rows_.topRows(25), options_for(Method::kOja, 3)));
}

TYPED_TEST(Rate, AMethodWithoutALearningRateIsRefused) {
  EXPECT_THROW(tune_learning_rate<TypeParam>(this->rows_, options_for(Method::kRoipca, 3)),
               std::invalid_argument);
}

}  // namespace
}  // namespace roipca
