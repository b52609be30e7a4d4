// The unit of the rows does not matter, nor does a change of unit in the middle of a stream.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "roipca/online_pca.hpp"
#include "support/dense_oracle.hpp"
#include "support/models.hpp"
#include "support/rows.hpp"

namespace roipca {
namespace {

using namespace support;

template <typename T>
class Scales : public ::testing::Test {
 protected:
  static std::vector<double> scales() {
    if (kEpsilon < T >> 1e-10) return {1e-30, 1e-10, 1e10, 1e30};
    return {1e-150, 1e-30, 1e30, 1e150};
  }
  static void expect_sound(const Model<T>& model) {
    EXPECT_TRUE(all_finite(model));
    EXPECT_LT(orthonormality_error(as_columns(model.basis)), 512 * kEpsilon<T>);
    EXPECT_NO_THROW(check(model));
  }
  static Model<T> model_of(const Options& options, const RowMatrix<T>& rows) {
    return OnlinePca<T>(options).partial_fit(rows).model();
  }
};
TYPED_TEST_SUITE(Scales, Scalars);

// Squares of the small numbers leave the range of float, but not those of the rows.
TYPED_TEST(Scales, RowsWithAFewLargeNumbersAmongVerySmallOnes) {
  RowMatrix<double> wide = normal_rows(40, 60, 3) * 1e-19;
  for (Index i = 1; i < wide.rows(); i += 2) wide(i, (7 * i) % 60) = 1e4;
  const RowMatrix<TypeParam> rows = wide.cast<TypeParam>();
  const auto exact = OnlinePca<double>({.n_components = 20, .method = Method::kExact, .center = false})
                         .partial_fit(RowMatrix<double>(rows.template cast<double>()))
                         .model();
  for (const Index block_size : {3, 7, 32}) {
    const auto model = this->model_of(
        {.n_components = 20, .method = Method::kRoipca, .block_size = block_size, .center = false}, rows);
    this->expect_sound(model);
    for (std::size_t i = 0; i < 20; ++i) {
      EXPECT_NEAR(model.eigenvalues[i], exact.eigenvalues[i], 64 * kEpsilon<TypeParam> * exact.eigenvalues[0])
          << block_size << " " << i;
    }
  }
}

TYPED_TEST(Scales, LowRankRowsOfAnyScaleHaveTheEigenpairsOfBatchPca) {
  const RowMatrix<double> unit = low_rank_rows(80, 9, 3, 1);
  for (const double scale : this->scales()) {
    const RowMatrix<TypeParam> rows = (unit * scale).cast<TypeParam>();
    const auto oracle = dense_pca(rows.template cast<double>());
    for (const Way& method : kLosslessMethods) {
      const auto model = this->model_of(options_for(method, 3), rows);
      // 80 rotations of 4 columns; relative to the largest eigenvalue, so that squares of 1e300 are not
      // needed.
      const Matrix<double> error =
          modelled_scatter(model) / oracle.values[0] - oracle.scatter / oracle.values[0];
      EXPECT_LT(error.norm(), 80 * 4 * 4 * kEpsilon<TypeParam>) << name(method) << " at " << scale;
    }
  }
}

TYPED_TEST(Scales, EveryMethodIsSoundAtEveryScale) {
  for (const double scale : this->scales()) {
    const RowMatrix<TypeParam> rows = (decaying_rows(300, 9, 0.7, 1) * scale).cast<TypeParam>();
    for (const Way& method : kAllMethods) {
      SCOPED_TRACE(name(method));
      const auto model = this->model_of(options_for(method, 3), rows);
      this->expect_sound(model);
      EXPECT_GT(model.eigenvalues[0], 0.0) << scale;
    }
  }
}

TYPED_TEST(Scales, APowerOfTwoChangesNoBitOfTheComponents) {
  const RowMatrix<TypeParam> rows = decaying_rows(300, 9, 0.7, 1).cast<TypeParam>();
  const int reach = kEpsilon<TypeParam> > 1e-10 ? 90 : 490;
  for (const Way& method : kAllMethods) {
    const auto plain = this->model_of(options_for(method, 3), rows);
    for (const int exponent : {-reach, -40, 40, reach}) {
      const RowMatrix<TypeParam> scaled = rows * static_cast<TypeParam>(std::ldexp(1.0, exponent));
      EXPECT_TRUE(same_bits(this->model_of(options_for(method, 3), scaled).basis, plain.basis))
          << name(method) << " at 2^" << exponent;
    }
  }
}

TYPED_TEST(Scales, APowerOfTwoChangesNoBitOfARankBelowTheComponents) {
  const RowMatrix<TypeParam> rows = low_rank_rows(100, 9, 2, 1).cast<TypeParam>();
  for (const Way& method : kAllMethods) {
    const auto plain = this->model_of(options_for(method, 4), rows);
    const auto scaled = this->model_of(options_for(method, 4), rows * TypeParam{0x1p-80F});
    EXPECT_TRUE(same_bits(scaled.basis, plain.basis)) << name(method);
  }
}

// A heavy row at 0 moves the mean there, and other rows at 0 are then 1e-16 of their neighbours. What such a
// row has outside of the components is still far above the least number that float has.
TYPED_TEST(Scales, APowerOfTwoChangesNoBitBesideRowsThatAreFarSmaller) {
  Options options = options_for(Method::kRoipca, 9);
  options.update_every = UpdateEvery::kRow;
  Vector<double> weights = Vector<double>::Ones(120);
  weights[60] = 1e16;
  for (unsigned seed = 0; seed < 40; ++seed) {
    RowMatrix<TypeParam> rows =
        (normal_rows(120, 40, seed).array() + 1000.0).matrix().template cast<TypeParam>();
    for (Index i = 60; i < 120; i += 2) rows.row(i).setZero();
    const auto plain = OnlinePca<TypeParam>(options).partial_fit(rows, weights).model();
    const RowMatrix<TypeParam> smaller = rows * TypeParam{0x1p-30F};
    const auto scaled = OnlinePca<TypeParam>(options).partial_fit(smaller, weights).model();
    EXPECT_TRUE(same_bits(scaled.basis, plain.basis)) << seed;
  }
}

// Float reaches from 1e-38 to 3e38 only.
template <typename T>
constexpr double kSmall = kEpsilon<T> > 1e-10 ? 1e-30 : 1e-100;
template <typename T>
constexpr double kLarge = kEpsilon<T> > 1e-10 ? 1e30 : 1e100;

TYPED_TEST(Scales, AStreamThatBecomesHugeOrTinyHasTheModelOfItsHugeRows) {
  for (const bool grows : {true, false}) {
    SCOPED_TRACE(grows ? "becomes huge" : "becomes tiny");
    RowMatrix<double> wide = decaying_rows(400, 9, 0.5, 1);
    wide.topRows(200) *= grows ? kSmall<TypeParam> : kLarge<TypeParam>;
    wide.bottomRows(200) *= grows ? kLarge<TypeParam> : kSmall<TypeParam>;
    const RowMatrix<TypeParam> rows = wide.cast<TypeParam>();
    for (const Way& method : kAllMethods) {
      SCOPED_TRACE(name(method));
      this->expect_sound(this->model_of(options_for(method, 3), rows));
    }
    const auto oracle = dense_pca(rows.template cast<double>());
    const auto model = this->model_of(options_for(Method::kExact, 3), rows);
    EXPECT_LT(relative_difference(modelled_scatter(model), oracle.scatter), 400 * kEpsilon<TypeParam>);
  }
}

// The unit of the large rows is kept until they are forgotten; by then the tiny ones are far below it.
TYPED_TEST(Scales, AStreamThatForgetsHugeRowsFindsTheTinyOnes) {
  RowMatrix<double> wide = decaying_rows(4000, 5, 0.5, 1);
  wide.topRows(20) *= kLarge<TypeParam>;
  wide.bottomRows(3980) *= kSmall<TypeParam>;
  const RowMatrix<TypeParam> rows = wide.cast<TypeParam>();
  for (const Way& method : kAllMethods) {
    SCOPED_TRACE(name(method));
    Options options = options_for(method, 2);
    options.center = false;
    options.forgetting = 0.5;
    OnlinePca<TypeParam> pca(options);
    for (Index i = 0; i < 4000; i += 100) {
      pca.partial_fit(rows.middleRows(i, 100));
      this->expect_sound(pca.model());
    }
    EXPECT_LT(pca.model().trace(), 100 * kSmall<TypeParam> * kSmall<TypeParam>);
    EXPECT_GT(pca.model().eigenvalues[0], 0.0);
  }
}

TYPED_TEST(Scales, AHugeOutlierIsTheFirstComponentAndBreaksNothing) {
  RowMatrix<double> wide = decaying_rows(300, 9, 0.7, 1);
  const Vector<double> direction = normal_rows(9, 1, 2).col(0).normalized();
  wide.row(150) = (direction * kLarge<TypeParam>).transpose();
  const RowMatrix<TypeParam> rows = wide.cast<TypeParam>();
  for (const Way& method : kAllMethods) {
    SCOPED_TRACE(name(method));
    this->expect_sound(this->model_of(options_for(method, 3), rows));
  }
  for (const Way& method : kLosslessMethods) {
    const auto model = this->model_of(options_for(method, 3), rows);
    EXPECT_LT(subspace_angle(direction, reported_basis(model).leftCols(1)), 300 * kEpsilon<TypeParam>)
        << name(method);
  }
}

// Squares of the last ones are out of range, and those before them lose digits.
TYPED_TEST(Scales, RowsFarBelowTheOthersBreakNothing) {
  RowMatrix<double> wide = RowMatrix<double>::Zero(60, 8);
  wide.topLeftCorner(20, 2) = normal_rows(20, 2, 1);
  const double reach = kEpsilon<TypeParam> > 1e-10 ? 38.0 : 300.0;
  for (Index i = 0; i < 40; ++i) {
    wide(20 + i, 2 + i % 6) = std::pow(10.0, -reach * static_cast<double>(i + 1) / 40.0);
  }
  const RowMatrix<TypeParam> rows = wide.cast<TypeParam>();
  for (const Way& method : kAllMethods) {
    SCOPED_TRACE(name(method));
    Options options = options_for(method, 8);
    options.center = false;
    this->expect_sound(this->model_of(options, rows));
    this->expect_sound(this->model_of(options, rows.bottomRows(59).colwise().reverse()));
  }
}

// c = 1 suits rows of size 1. For other rows it is a bad choice, which may cost accuracy but must break
// nothing.
TYPED_TEST(Scales, AFixedLearningRateThatSuitsNoRowBreaksNothing) {
  for (const double scale : this->scales()) {
    const RowMatrix<TypeParam> rows = (decaying_rows(300, 9, 0.7, 1) * scale).cast<TypeParam>();
    for (const Method method : {Method::kGha, Method::kOja}) {
      SCOPED_TRACE(name(method));
      Options options = options_for(method, 3);
      options.learning_rate = LearningRate::fixed(1.0);
      this->expect_sound(this->model_of(options, rows));
    }
  }
}

TYPED_TEST(Scales, ATunedLearningRateSurvivesAChangeOfScale) {
  RowMatrix<double> wide = decaying_rows(500, 9, 0.5, 1);
  wide.topRows(250) *= kSmall<TypeParam>;
  wide.bottomRows(250) *= kLarge<TypeParam>;
  const RowMatrix<TypeParam> rows = wide.cast<TypeParam>();
  for (const Method method : {Method::kGha, Method::kOja}) {
    SCOPED_TRACE(name(method));
    Options options = options_for(method, 3);
    options.learning_rate = LearningRate::tuned();
    this->expect_sound(this->model_of(options, rows));
  }
}

}  // namespace
}  // namespace roipca
