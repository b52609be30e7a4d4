// Merging streams that forget, against batch PCA with the same weights.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "roipca/merge.hpp"
#include "roipca/online_pca.hpp"
#include "support/dense_oracle.hpp"
#include "support/models.hpp"
#include "support/rows.hpp"

namespace roipca {
namespace {

using namespace support;

constexpr double kForgetting = 0.97;

template <typename T>
class Decay : public ::testing::Test {
 protected:
  static Options options(const Way& way) {
    Options options = options_for(way, 5);
    options.forgetting = kForgetting;
    return options;
  }
  // Two kinds of rows on planes of three dimensions, which five components hold together.
  static RowMatrix<T> rows(Index count, unsigned seed) {
    RowMatrix<double> rows = low_rank_rows(count, 60, 2, 1);
    rows.rowwise() += normal_rows(1, 60, seed).row(0);
    return rows.cast<T>();
  }
  // Weights of `count` rows in a stream that forgets, times `decay`.
  static Vector<double> weights(Index count, double decay) {
    Vector<double> weights(count);
    for (Index i = 0; i < count; ++i) weights[i] = decay * std::pow(kForgetting, count - 1 - i);
    return weights;
  }
  static void expect_near(const Model<T>& model, const RowMatrix<T>& first, const RowMatrix<T>& second,
                          double decay) {
    RowMatrix<double> x(first.rows() + second.rows(), first.cols());
    x << first.template cast<double>(), second.template cast<double>();
    Vector<double> w(x.rows());
    w << weights(first.rows(), decay), weights(second.rows(), 1.0);
    const auto truth = dense_pca(x, w);
    EXPECT_NEAR(model.weight, truth.weight, 1e-12 * truth.weight);
    EXPECT_LE((as_eigen(model.mean) - truth.mean).cwiseAbs().maxCoeff(), 1e-13);
    EXPECT_NEAR(model.degrees_of_freedom(), truth.weight - w.squaredNorm() / truth.weight,
                1e-11 * truth.weight);
    EXPECT_LE(relative_difference(modelled_scatter(model), truth.scatter), 2000 * kEpsilon<T>);
    EXPECT_EQ(model.rows, x.rows());
    EXPECT_EQ(model.options.forgetting, kForgetting);
  }
};
TYPED_TEST_SUITE(Decay, Scalars);

TYPED_TEST(Decay, CountsTheFirstRowsLessInBatchPcaToo) {
  using T = TypeParam;
  const RowMatrix<T> first = this->rows(80, 2);
  const RowMatrix<T> second = this->rows(50, 3);
  for (const Way& way : {Way(Method::kRoipca), Way(Method::kIpca), Way(Method::kExact)}) {
    const auto a = OnlinePca<T>(this->options(way)).partial_fit(first);
    const auto b = OnlinePca<T>(this->options(way)).partial_fit(second);
    for (const double decay : {1.0, 0.5, std::pow(kForgetting, 50)}) {
      SCOPED_TRACE(name(way) + ", decay " + std::to_string(decay));
      this->expect_near(merge(a.model(), b.model(), decay), first, second, decay);
      auto pca = a;
      this->expect_near(pca.merge(b, decay).model(), first, second, decay);
    }
  }
}

// Rows that came later: one stream that went on.
TYPED_TEST(Decay, OfTheRowsAfterGivesOneStream) {
  using T = TypeParam;
  const RowMatrix<T> first = this->rows(80, 2);
  const RowMatrix<T> second = this->rows(50, 3);
  const Options options = this->options(Method::kRoipca);
  auto stream = OnlinePca<T>(options).partial_fit(first);
  const auto merged =
      merge(stream.model(), OnlinePca<T>(options).partial_fit(second).model(), std::pow(kForgetting, 50));
  stream.partial_fit(second);
  EXPECT_LE(relative_difference(modelled_scatter(merged), modelled_scatter(stream.model())),
            2000 * kEpsilon<T>);
  // And goes on as one stream.
  OnlinePca<T> resumed(merged);
  const RowMatrix<T> third = this->rows(40, 2);
  resumed.partial_fit(third);
  stream.partial_fit(third);
  EXPECT_LE(relative_difference(modelled_scatter(resumed.model()), modelled_scatter(stream.model())),
            2000 * kEpsilon<T>);
}

TYPED_TEST(Decay, InATreeIsOneFactorPerPart) {
  using T = TypeParam;
  for (const Way& way : {Way(Method::kRoipca), Way(Method::kExact)}) {
    MergeTree<T> tree(0.5);
    RowMatrix<double> x(5 * 30, 60);
    Vector<double> w(5 * 30);
    for (Index i = 0; i < 5; ++i) {
      if (i == 3) tree.add_nothing();  // lets nothing fade
      const RowMatrix<T> part = this->rows(30, i < 3 ? 2 : 3);
      x.middleRows(30 * i, 30) = part.template cast<double>();
      w.segment(30 * i, 30).setConstant(std::pow(0.5, 4 - i));
      tree.add(OnlinePca<T>(options_for(way, 5)).partial_fit(part).model());
    }
    const auto truth = dense_pca(x, w);
    const auto model = *tree.result();
    EXPECT_NEAR(model.weight, truth.weight, 1e-12 * truth.weight);
    EXPECT_LE(relative_difference(modelled_scatter(model), truth.scatter), 2000 * kEpsilon<T>) << name(way);
  }
}

TEST(DecayInATree, LetsPartsFadeBeyondTheRangeOfNumbers) {
  MergeTree<double> tree(1e-9);
  const auto part =
      OnlinePca<double>(options_for(Method::kExact, 2)).partial_fit(normal_rows(5, 3, 1)).model();
  for (int i = 0; i < 100; ++i) tree.add(part);
  const auto model = *tree.result();
  EXPECT_NO_THROW(check(model));
  EXPECT_NEAR(model.weight, 5.0, 1e-7);
}

TYPED_TEST(Decay, OfStandardizedModelsIsThatOfTheCorrelationMatrix) {
  using T = TypeParam;
  const RowMatrix<T> first = decaying_rows(90, 8, 0.7, 4).cast<T>();
  const RowMatrix<T> second = decaying_rows(60, 8, 0.9, 5).cast<T>();
  Options options = this->options(Method::kExact);
  options.standardize = true;
  const auto a = OnlinePca<T>(options).partial_fit(first).model();
  const auto b = OnlinePca<T>(options).partial_fit(second).model();
  const auto merged = merge(a, b, 0.3);
  RowMatrix<double> x(150, 8);
  x << first.template cast<double>(), second.template cast<double>();
  Vector<double> w(150);
  w << this->weights(90, 0.3), this->weights(60, 1.0);
  const auto truth = dense_pca(x, w);
  const Vector<double> deviations = truth.scatter.diagonal().cwiseSqrt();
  const Matrix<double> correlation =
      deviations.cwiseInverse().asDiagonal() * truth.scatter * deviations.cwiseInverse().asDiagonal();
  const Matrix<double> modelled = modelled_scatter(merged) / merged.degrees_of_freedom();
  EXPECT_LE(relative_difference(modelled, correlation), 2000 * kEpsilon<T>);
}

TEST(DecayRefuses, WhatIsNotAFactorOrNotTheSameForgetting) {
  const auto model = [](double forgetting) {
    Options options = options_for(Method::kRoipca, 2);
    options.forgetting = forgetting;
    return OnlinePca<double>(options).partial_fit(normal_rows(30, 9, 1)).model();
  };
  const auto message = [](const auto& a, const auto& b, std::optional<double> decay) {
    try {
      merge(a, b, decay);
    } catch (const std::invalid_argument& error) {
      return std::string(error.what());
    }
    return std::string("was accepted");
  };
  EXPECT_EQ(message(model(0.9), model(0.9), 0.0), "decay must be above 0 and at most 1, not 0");
  EXPECT_EQ(message(model(0.9), model(0.9), 1.5), "decay must be above 0 and at most 1, not 1.5");
  EXPECT_EQ(message(model(0.9), model(0.9), kNan), "decay must be above 0 and at most 1, not nan");
  EXPECT_EQ(message(model(0.9), model(0.8), 0.5), "cannot merge models with different forgetting");
  EXPECT_EQ(message(model(1.0), model(1.0), 0.5), "was accepted");
  EXPECT_THROW(MergeTree<double>(2.0), std::invalid_argument);
}

}  // namespace
}  // namespace roipca
