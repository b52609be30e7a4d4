#include "roipca/batch_pca.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <stdexcept>
#include <vector>

#include "roipca/errors.hpp"
#include "support/dense_oracle.hpp"
#include "support/models.hpp"
#include "support/rows.hpp"

namespace roipca {
namespace {

using namespace support;

struct Shape {
  Index n, d;
};

// Tall, wide, square, a single row, a single feature, and sizes on both sides of a vector register.
constexpr std::array<Shape, 9> kShapes = {
    {{50, 7}, {7, 50}, {20, 20}, {1, 6}, {30, 1}, {1, 1}, {2, 3}, {17, 16}, {40, 33}}};

template <typename T>
class Batch : public ::testing::Test {
 protected:
  static RowMatrix<T> rows(const Shape& shape) {
    RowMatrix<double> rows = normal_rows(shape.n, shape.d, 1);
    rows.array() += 3.0;
    return rows.cast<T>();
  }
  // Everything is in double; the basis is rounded to T at the end.
  static constexpr double kTolerance = 64 * kEpsilon<double> + 2 * kEpsilon<T>;
};
TYPED_TEST_SUITE(Batch, Scalars);

TYPED_TEST(Batch, EigenpairsAreThoseOfTheDenseScatterForEveryShape) {
  for (const auto& shape : kShapes) {
    const auto rows = this->rows(shape);
    const auto oracle = dense_pca(rows.template cast<double>());
    if (oracle.values[0] == 0.0) continue;
    const auto model = batch_pca<TypeParam>(rows, options_for(Method::kExact, 0));
    EXPECT_LT(relative_difference(modelled_scatter(model), oracle.scatter),
              this->kTolerance * std::sqrt(shape.d))
        << shape.n << " x " << shape.d;
  }
}

TYPED_TEST(Batch, MeanScatterAndWeightAreThoseOfTheDenseOracle) {
  for (const auto& shape : kShapes) {
    const auto rows = this->rows(shape);
    const auto oracle = dense_pca(rows.template cast<double>());
    const auto model = batch_pca<TypeParam>(rows, options_for(Method::kRoipca, 1));
    EXPECT_LT((as_eigen(model.mean) - oracle.mean).norm(), 4 * kEpsilon<double> * oracle.mean.norm());
    EXPECT_LE((as_eigen(model.scatter) - oracle.scatter.diagonal()).norm(),
              64 * kEpsilon<double> * oracle.values[0]);
    EXPECT_EQ(model.weight, static_cast<double>(shape.n));
    EXPECT_EQ(model.rows, shape.n);
  }
}

TYPED_TEST(Batch, ComponentsAreOrthonormalForEveryShapeWhateverTheRank) {
  for (const auto& shape : kShapes) {
    const auto model = batch_pca<TypeParam>(this->rows(shape), options_for(Method::kExact, 0));
    EXPECT_EQ(model.basis.rows(), shape.d);
    EXPECT_LT(orthonormality_error(as_columns(model.basis)), 16 * kEpsilon<TypeParam>)
        << shape.n << " x " << shape.d;
  }
}

TYPED_TEST(Batch, ThereIsNoVarianceBeyondTheRank) {
  const auto model = batch_pca<TypeParam>(this->rows({5, 12}), options_for(Method::kExact, 0));
  EXPECT_EQ(as_eigen(model.eigenvalues).tail(12 - 4), Vector<double>::Zero(8));
}

TYPED_TEST(Batch, WithoutCentringEigenpairsAreThoseOfTheSecondMoments) {
  Options options = options_for(Method::kExact, 0);
  options.center = false;
  for (const auto& shape : kShapes) {
    const auto rows = this->rows(shape);
    const auto oracle = dense_pca(rows.template cast<double>(), {}, false);
    const auto model = batch_pca<TypeParam>(rows, options);
    EXPECT_LT(relative_difference(modelled_scatter(model), oracle.scatter),
              this->kTolerance * std::sqrt(shape.d))
        << shape.n << " x " << shape.d;
  }
}

TYPED_TEST(Batch, WeightsAreThoseOfTheDenseOracle) {
  const auto rows = this->rows({60, 9});
  const Vector<double> weights = uniform_numbers(60, 3) * 5.0;
  const auto oracle = dense_pca(rows.template cast<double>(), weights);
  const auto model = batch_pca<TypeParam>(rows, options_for(Method::kExact, 0), weights);
  EXPECT_LT(relative_difference(modelled_scatter(model), oracle.scatter), 3 * this->kTolerance);
}

TYPED_TEST(Batch, RepeatedEigenvaluesAreFound) {
  RowMatrix<TypeParam> rows(40, 20);
  rows << RowMatrix<TypeParam>::Identity(20, 20), -RowMatrix<TypeParam>::Identity(20, 20);
  const auto model = batch_pca<TypeParam>(rows, options_for(Method::kExact, 0));
  EXPECT_LT((as_eigen(model.eigenvalues).array() - 2.0).abs().maxCoeff(), 40 * kEpsilon<double>);
}

// Rows that are each one of the axes: most eigenvalues are the same, and many are 0.
TYPED_TEST(Batch, EigenpairsOfOneHotRowsAreThoseOfTheDenseOracle) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    std::mt19937 random(seed);
    std::vector<Index> places(32);
    for (Index& place : places) place = static_cast<Index>(random() % 40);
    std::sort(places.begin(), places.end());
    RowMatrix<double> rows = RowMatrix<double>::Zero(32, 40);
    for (Index i = 0; i < 32; ++i) rows(i, places[static_cast<std::size_t>(i)]) = 1.0;
    const RowMatrix<TypeParam> x = rows.cast<TypeParam>();
    const auto model = batch_pca<TypeParam>(x, options_for(Method::kFroipca, 23));
    const auto truth = dense_pca(rows);
    EXPECT_LE((as_eigen(model.eigenvalues).head(23) - truth.values.head(23)).cwiseAbs().maxCoeff(), 1e-13)
        << seed;
    EXPECT_LE(orthonormality_error(as_columns(model.basis)), 64 * kEpsilon<TypeParam>) << seed;
  }
}

TYPED_TEST(Batch, ItHoldsAsManyEigenpairsAsTheOptionsAskFor) {
  Options options = options_for(Method::kRoipca, 3);
  options.oversampling = 4;
  EXPECT_EQ(batch_pca<TypeParam>(this->rows({50, 20}), options).basis.rows(), 7);
}

TYPED_TEST(Batch, ZeroRowsHaveNoVariance) {
  const auto model = batch_pca<TypeParam>(OwnedRows<TypeParam>(4, 3), options_for(Method::kExact, 2));
  EXPECT_EQ(as_eigen(model.eigenvalues), Vector<double>::Zero(2));
  EXPECT_LT(orthonormality_error(as_columns(model.basis)), 4 * kEpsilon<TypeParam>);
}

TYPED_TEST(Batch, AConstantColumnHasNoVarianceWhateverItsMeanIsRoundedTo) {
  for (const Index n : {3, 11, 13, 59, 353}) {
    RowMatrix<TypeParam> rows = this->rows({n, 5});
    rows.col(1).setConstant(static_cast<TypeParam>(0.1));
    rows.col(3).setConstant(static_cast<TypeParam>(1e8 / 3.0));
    const Vector<double> weights = uniform_numbers(n, 3) * 5.0;
    for (const auto& model : {batch_pca<TypeParam>(rows, options_for(Method::kExact, 0)),
                              batch_pca<TypeParam>(rows, options_for(Method::kExact, 0), weights)}) {
      for (const std::size_t column : {1, 3}) {
        EXPECT_EQ(model.scatter[column], 0.0) << n;
        EXPECT_EQ(model.mean[column], double{rows(0, static_cast<Index>(column))}) << n;
        EXPECT_EQ(model.mean_tail[column], 0.0) << n;
      }
    }
  }
}

TYPED_TEST(Batch, EveryScaleGivesTheSameComponentsToTheLastBit) {
  const auto rows = this->rows({50, 20});
  const auto plain = batch_pca<TypeParam>(rows, options_for(Method::kExact, 0));
  const int reach = std::is_same_v<TypeParam, float> ? 100 : 498;
  for (const int exponent : {-reach, reach}) {
    const auto scale = static_cast<TypeParam>(std::ldexp(1.0, exponent));
    const auto scaled = batch_pca<TypeParam>(to_rows(rows * scale), options_for(Method::kExact, 0));
    EXPECT_TRUE(same_bits(scaled.basis, plain.basis)) << exponent;
  }
}

TYPED_TEST(Batch, WeightsThatAreAllZeroAreRefused) {
  EXPECT_THROW(
      batch_pca<TypeParam>(this->rows({3, 2}), options_for(Method::kExact, 1), std::vector<double>(3)),
      std::invalid_argument);
}

TYPED_TEST(Batch, ARowThatIsNotANumberIsRefused) {
  auto rows = this->rows({3, 2});
  rows(1, 1) = std::numeric_limits<TypeParam>::quiet_NaN();
  EXPECT_THROW(batch_pca<TypeParam>(rows, options_for(Method::kExact, 1)), DataError);
}

TYPED_TEST(Batch, TheModelPassesItsOwnCheck) {
  for (const auto& shape : kShapes) {
    EXPECT_NO_THROW(check(batch_pca<TypeParam>(this->rows(shape), options_for(Method::kRoipca, 1))));
  }
}

}  // namespace
}  // namespace roipca
