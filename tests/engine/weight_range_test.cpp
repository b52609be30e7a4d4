// Weights of very different sizes, and weights and rows at the ends of their range.
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "roipca/batch_pca.hpp"
#include "roipca/errors.hpp"
#include "roipca/merge.hpp"
#include "roipca/model_file.hpp"
#include "roipca/online_pca.hpp"
#include "support/models.hpp"
#include "support/rows.hpp"

namespace roipca {
namespace {

using namespace support;

// 113 bits, and a range in which nothing here overflows.
__extension__ using Quad = __float128;

// The weighted covariance as a sum over pairs of rows, which cancels nowhere:
//
//     sum_(i < j) w_i w_j (x_i - x_j)(x_i - x_j)^T / (2 P),    P = sum_(i < j) w_i w_j,
//
// and the divisor of the scatter, 2 P / W; without centring sum w x x^T / W, and W. With forgetting, a weight
// falls with every row after it.
struct Definition {
  double divisor;
  Matrix<double> covariance;
};

template <typename T>
Definition by_definition(const RowMatrix<T>& rows, const Vector<double>& weights, bool center = true,
                         double forgetting = 1.0) {
  const Index n = rows.rows();
  const Index d = rows.cols();
  std::vector<Quad> w(static_cast<std::size_t>(n));
  Quad age = 1;
  for (Index i = n - 1; i >= 0; --i) {
    w[static_cast<std::size_t>(i)] = age * weights[i];
    age *= forgetting;
  }
  Quad total = 0;
  Quad pairs = 0;
  std::vector<Quad> sums(static_cast<std::size_t>(d * d), 0);
  const auto add = [&](Quad weight, const auto& x) {
    for (Index k = 0; k < d * d; ++k) sums[static_cast<std::size_t>(k)] += weight * x(k / d) * x(k % d);
  };
  for (std::size_t i = 0; i < w.size(); ++i) {
    const auto row = static_cast<Index>(i);
    total += w[i];
    if (!center) add(w[i], [&](Index j) { return static_cast<Quad>(rows(row, j)); });
    for (std::size_t other = 0; center && other < i; ++other) {
      const auto before = static_cast<Index>(other);
      pairs += w[i] * w[other];
      add(w[i] * w[other], [&](Index j) { return static_cast<Quad>(rows(row, j)) - rows(before, j); });
    }
  }
  const Quad share = center ? 2 * pairs : total;
  Matrix<double> covariance(d, d);
  for (Index k = 0; k < d * d; ++k) {
    covariance(k / d, k % d) = static_cast<double>(sums[static_cast<std::size_t>(k)] / share);
  }
  return {static_cast<double>(center ? 2 * pairs / total : total), covariance};
}

Vector<double> descending_eigenvalues(const Matrix<double>& symmetric) {
  return Eigen::SelfAdjointEigenSolver<Matrix<double>>(symmetric).eigenvalues().reverse();
}

template <typename T>
class WeightRange : public ::testing::Test {
 protected:
  static constexpr Index kRows = 50;
  const RowMatrix<T> rows_ = low_rank_rows(kRows, 6, 3, 1).cast<T>();

  static Vector<double> one_heavy(Index place, double weight) {
    Vector<double> weights = uniform_numbers(kRows, 2).array() + 0.5;
    weights[place] = weight;
    return weights;
  }

  // 50 updates of 4 columns, and a heavy row that every rule rounds to T.
  static constexpr double kTolerance = 4 * 50 * 4 * kEpsilon<T>;

  static void expect_covariance(const Model<T>& model, const Definition& want, bool is_lossless) {
    EXPECT_NEAR(model.degrees_of_freedom() / want.divisor, 1.0, 4 * kRows * kEpsilon<double>);
    EXPECT_LT(relative_difference(as_eigen(model.feature_variance()), want.covariance.diagonal()),
              kTolerance);
    if (!is_lossless) return;
    const Vector<double> values = descending_eigenvalues(want.covariance).head(3);
    EXPECT_LT(relative_difference(as_eigen(model.explained_variance()), values), kTolerance);
  }
};
TYPED_TEST_SUITE(WeightRange, Scalars);

bool is_lossless(const Way& method) {
  return std::find(kLosslessMethods.begin(), kLosslessMethods.end(), method.method) != kLosslessMethods.end();
}

TYPED_TEST(WeightRange, OneHeavyRowAmongManyLeavesTheVariances) {
  for (const double weight : {1e6, 1e16, 1e30, 1e90}) {
    for (const Index place : {0, 1, 20, 49}) {
      const Vector<double> weights = this->one_heavy(place, weight);
      for (const bool center : {true, false}) {
        const auto want = by_definition<TypeParam>(this->rows_, weights, center);
        for (const Way& method : kAllMethods) {
          SCOPED_TRACE(::testing::Message() << name(method) << (center ? "" : ", not centred") << ", row "
                                            << place << " of weight " << weight);
          Options options = options_for(method, 3);
          options.center = center;
          this->expect_covariance(OnlinePca<TypeParam>(options).partial_fit(this->rows_, weights).model(),
                                  want, is_lossless(method) && center);
          this->expect_covariance(OnlinePca<TypeParam>(options).fit(this->rows_, weights).model(), want,
                                  is_lossless(method) && center);
        }
      }
    }
  }
}

TYPED_TEST(WeightRange, OneHeavyRowInABatchLeavesTheVariances) {
  for (const double weight : {1e6, 1e16, 1e30, 1e90}) {
    const Vector<double> weights = this->one_heavy(20, weight);
    this->expect_covariance(batch_pca<TypeParam>(this->rows_, options_for(Method::kRoipca, 3), weights),
                            by_definition<TypeParam>(this->rows_, weights), true);
  }
}

TYPED_TEST(WeightRange, OneHeavyRowAndForgettingLeaveTheVariances) {
  for (const double forgetting : {0.99, 0.5}) {
    for (const Index place : {1, 20, 49}) {
      const Vector<double> weights = this->one_heavy(place, 1e16);
      const auto want = by_definition<TypeParam>(this->rows_, weights, true, forgetting);
      for (const Way& method : kLosslessMethods) {
        SCOPED_TRACE(::testing::Message() << name(method) << " " << forgetting << " " << place);
        Options options = options_for(method, 3);
        options.forgetting = forgetting;
        this->expect_covariance(OnlinePca<TypeParam>(options).partial_fit(this->rows_, weights).model(), want,
                                true);
      }
    }
  }
}

// W - sum w^2 / W is 2 f to rounding, of a W of 1.
TYPED_TEST(WeightRange, ForgettingNearlyEverythingLeavesTheVarianceOfTwoRows) {
  for (const double forgetting : {1e-30, 1e-20, 1e-10}) {
    const auto want =
        by_definition<TypeParam>(this->rows_, Vector<double>::Ones(this->kRows), true, forgetting);
    for (const Way& method : kLosslessMethods) {
      SCOPED_TRACE(::testing::Message() << name(method) << " " << forgetting);
      Options options = options_for(method, 3);
      options.forgetting = forgetting;
      const auto model = OnlinePca<TypeParam>(options).partial_fit(this->rows_).model();
      EXPECT_NEAR(model.degrees_of_freedom() / want.divisor, 1.0, 4 * this->kRows * kEpsilon<double>);
      EXPECT_LT(relative_difference(as_eigen(model.feature_variance()), want.covariance.diagonal()),
                this->kTolerance);
    }
  }
}

TYPED_TEST(WeightRange, MergedModelsHaveTheVariancesOfAllRows) {
  for (const Index place : {3, 40}) {
    const Vector<double> weights = this->one_heavy(place, 1e16);
    const auto want = by_definition<TypeParam>(this->rows_, weights);
    for (const Way& method : kLosslessMethods) {
      SCOPED_TRACE(::testing::Message() << name(method) << " " << place);
      const Options options = options_for(method, 3);
      const auto a =
          OnlinePca<TypeParam>(options).partial_fit(this->rows_.topRows(20), weights.head(20)).model();
      const auto b =
          OnlinePca<TypeParam>(options).partial_fit(this->rows_.bottomRows(30), weights.tail(30)).model();
      this->expect_covariance(merge(a, b), want, true);
      this->expect_covariance(merge(b, a), want, true);
      // Saved, loaded and continued.
      const auto back = from_bytes<TypeParam>(to_bytes(a));
      EXPECT_EQ(first_difference(back, a), "");
      this->expect_covariance(
          OnlinePca<TypeParam>(back).partial_fit(this->rows_.bottomRows(30), weights.tail(30)).model(), want,
          true);
    }
  }
}

TYPED_TEST(WeightRange, RowsOfWeightOneHaveOneDegreeOfFreedomLessThanRows) {
  for (const Way& method : kAllMethods) {
    OnlinePca<TypeParam> pca(options_for(method, 3));
    for (Index i = 0; i < this->kRows; ++i) {
      EXPECT_EQ(pca.update(this->rows_.row(i)).model().degrees_of_freedom(), static_cast<double>(i))
          << name(method);
    }
  }
}

TYPED_TEST(WeightRange, DegreesOfFreedomOfWeightsOverTheWholeRangeAreRight) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    // 10^-100 to 10^100, or ten times less or more of it.
    const double reach = seed % 2 == 0 ? 99.0 : 9.0;
    const Vector<double> weights = uniform_numbers(this->kRows, seed).unaryExpr([reach](double u) {
      return std::pow(10.0, reach * (2.0 * u - 1.0));
    });
    const auto want = by_definition<TypeParam>(this->rows_, weights);
    for (const Way& method : kAllMethods) {
      const auto model =
          OnlinePca<TypeParam>(options_for(method, 3)).partial_fit(this->rows_, weights).model();
      EXPECT_NEAR(model.degrees_of_freedom() / want.divisor, 1.0, 4 * this->kRows * kEpsilon<double>)
          << name(method) << " " << seed;
      EXPECT_TRUE(all_finite(model)) << name(method) << " " << seed;
    }
  }
}

// Twice the product of the weights 2^-100 .. 2^100 and of the rows, which are powers of two apart from what
// is to be compared: no bit differs.
TEST(WeightAndRowRange, HeavyRowsUpToTheLimitBehaveLikeAnyOthers) {
  const RowMatrix<double> rows = decaying_rows(100, 6, 0.6, 1);
  const Vector<double> weights = uniform_numbers(100, 2).array() + 0.5;
  for (const Way& method : kAllMethods) {
    for (const int exponent : {-165, 149, 165}) {      // 2^330 is 2e99
      for (const int scale : {-400, -165, 330}) {      // 2^(330 + 165) is 1e149
        if (2 * (exponent + scale) < -1000) continue;  // such sums are denormal
        const Options options = options_for(method, 3);
        const auto plain = OnlinePca<double>(options).partial_fit(rows, weights).model();
        const auto far = OnlinePca<double>(options)
                             .partial_fit(to_rows(rows * std::ldexp(1.0, scale)),
                                          to_vector(weights * std::ldexp(1.0, 2 * exponent)))
                             .model();
        SCOPED_TRACE(::testing::Message()
                     << name(method) << ", rows 2^" << scale << ", weights 4^" << exponent);
        EXPECT_TRUE(all_finite(far));
        EXPECT_TRUE(same_bits(far.basis, plain.basis));
        const auto back = [scale](const Vector<double>& v) -> Vector<double> {
          return v * std::ldexp(1.0, -scale) * std::ldexp(1.0, -scale);
        };
        EXPECT_LT(relative_difference(back(as_eigen(far.explained_variance())),
                                      as_eigen(plain.explained_variance())),
                  8 * kEpsilon<double>);
        EXPECT_LT(
            relative_difference(back(as_eigen(far.feature_variance())), as_eigen(plain.feature_variance())),
            8 * kEpsilon<double>);
      }
    }
  }
}

// Rows up to 1e151, of weight 1; of weight 1e90, up to 1e106.
TEST(WeightAndRowRange, ARowTooLargeForItsWeightIsRefusedAndNothingIsLost) {
  struct Case {
    double weight;
    double largest;
  };
  for (const auto& [weight, largest] :
       {Case{1.0, 1e151}, Case{1e-90, 1e151}, Case{1e90, 1e106}, Case{1e100, 1e101}}) {
    for (const Way& method : kAllMethods) {
      SCOPED_TRACE(::testing::Message() << name(method) << ", weight " << weight);
      RowMatrix<double> rows = 1e90 * normal_rows(30, 5, 1);
      Vector<double> weights = Vector<double>::Ones(30);
      weights[17] = weight;
      OnlinePca<double> pca(options_for(method, 3));
      pca.partial_fit(rows);
      const auto before = pca.model();

      rows(17, 2) = -1.01 * largest;
      try {
        pca.partial_fit(rows, weights);
        FAIL() << "was not refused";
      } catch (const DataError& error) {
        EXPECT_EQ(error.row(), 17);
        const std::string message = error.what();
        EXPECT_NE(message.find("too large"), std::string::npos) << message;
        EXPECT_NE(message.find("column 2"), std::string::npos) << message;
        EXPECT_EQ(message.find("with a weight of") != std::string::npos, weight > 1.0) << message;
      }
      EXPECT_EQ(first_difference(pca.model(), before), "");
      EXPECT_THROW(OnlinePca<double>(options_for(method, 3)).fit(rows, weights), DataError);
      EXPECT_THROW(batch_pca<double>(rows, options_for(method, 3), weights), DataError);

      rows(17, 2) = -0.99 * largest;
      const auto model = pca.partial_fit(rows, weights).model();
      EXPECT_TRUE(all_finite(model));
      EXPECT_TRUE(as_eigen(model.explained_variance()).allFinite());
      EXPECT_GT(model.explained_variance()[0], 0.0);
      EXPECT_NO_THROW(check(model));
    }
  }
}

// A call too large for the cache is checked as it is used, by several threads.
TEST(WeightAndRowRange, ARowTooLargeForItsWeightIsFoundInTheMiddleOfALargeCall) {
  RowMatrix<double> rows = normal_rows(20000, 8, 1);
  rows(15001, 3) = 1e120;
  Vector<double> weights = Vector<double>::Ones(20000);
  weights[15001] = 1e90;
  for (const Index threads : {1, 2}) {
    Options options = options_for(Method::kRoipca, 3);
    options.threads = threads;
    OnlinePca<double> pca(options);
    try {
      pca.partial_fit(rows, weights);
      FAIL() << "was not refused";
    } catch (const DataError& error) {
      EXPECT_EQ(error.row(), 15001);
    }
    EXPECT_EQ(pca.rows_seen(), 0);
  }
}

// Every float, with every weight.
TEST(WeightAndRowRange, FloatRowsOfAnySizeCanHaveAnyWeight) {
  const RowMatrix<float> rows = 0x1p120F * decaying_rows(60, 6, 0.6, 1).cast<float>();
  for (const Way& method : kAllMethods) {
    const auto model =
        OnlinePca<float>(options_for(method, 3)).partial_fit(rows, std::vector<double>(60, 1e100)).model();
    const auto plain = OnlinePca<float>(options_for(method, 3)).partial_fit(rows).model();
    SCOPED_TRACE(name(method));
    EXPECT_TRUE(all_finite(model));
    EXPECT_LT(relative_difference(as_eigen(model.feature_variance()), as_eigen(plain.feature_variance())),
              60 * kEpsilon<float>);
  }
}

}  // namespace
}  // namespace roipca
