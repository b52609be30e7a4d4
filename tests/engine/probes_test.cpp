// Random probes: the scatter matrix times fixed directions, whatever the rows and calls are like, and the
// error that they tell after one pass.
#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>
#include <vector>

#include "model/probe_directions.hpp"
#include "roipca/accuracy.hpp"
#include "roipca/merge.hpp"
#include "roipca/model_file.hpp"
#include "roipca/online_pca.hpp"
#include "roipca/refinement.hpp"
#include "support/dense_oracle.hpp"
#include "support/models.hpp"
#include "support/rows.hpp"
#include "support/same_bits.hpp"
#include "support/sparse_rows.hpp"

namespace roipca {
namespace {

using namespace support;

constexpr Index kProbes = 5;

Options probing(const Way& way, Index n_components = 4) {
  Options options = options_for(way, n_components);
  options.probes = kProbes;
  return options;
}

template <typename T>
RowMatrix<T> example_rows(Index n = 700, Index d = 40) {
  RowMatrix<double> rows = decaying_rows(n, d, 0.9, 1);
  rows.array() += 3.0;
  return rows.cast<T>();
}

// |W - S Omega| relative to |S Omega|.
template <typename T>
double deviation(const Model<T>& model, const Matrix<double>& scatter) {
  const Matrix<double> expected =
      scatter * probe_directions<T>(scatter.rows(), kProbes).template cast<double>();
  if (model.probe_products.size() != static_cast<std::size_t>(expected.size())) return kNan;
  return relative_difference(
      Eigen::Map<const Matrix<double>>(model.probe_products.data(), expected.rows(), expected.cols()),
      expected);
}

template <typename T>
DensePca truth_of(const RowMatrix<T>& rows, const Vector<double>& weights = {}, bool center = true) {
  return dense_pca(rows.template cast<double>(), weights, center);
}

// Rounding of the sums over some hundred rows, and of their mean.
template <typename T>
constexpr double kRounding = 100.0 * kEpsilon<T>;

TEST(ProbeDirections, AreNormalIndependentNumbers) {
  const Index n = 20000;
  const Matrix<double> directions = probe_directions<double>(n, 6);
  const double error = 4.0 / std::sqrt(static_cast<double>(n));  // four standard deviations of a mean
  const Matrix<double> squares = directions.cwiseAbs2();
  EXPECT_LT(directions.colwise().mean().cwiseAbs().maxCoeff(), error);
  EXPECT_LT((squares.colwise().mean().array() - 1.0).abs().maxCoeff(), error * std::sqrt(2.0));
  EXPECT_LT((squares.cwiseAbs2().colwise().mean().array() - 3.0).abs().maxCoeff(), error * std::sqrt(96.0));
  Matrix<double> products = directions.transpose() * directions / static_cast<double>(n);
  products.diagonal().setZero();
  EXPECT_LT(products.cwiseAbs().maxCoeff(), error);
  const auto next = directions.topRows(n - 1).cwiseProduct(directions.bottomRows(n - 1));
  EXPECT_LT(next.colwise().mean().cwiseAbs().maxCoeff(), error);
  // Half of all numbers lie within 0.6745 of 0, and 0.27 % beyond 3.
  const auto part = [&](const auto& chosen) { return chosen.template cast<double>().mean(); };
  EXPECT_NEAR(part(directions.array().abs() < 0.67448975), 0.5, error / std::sqrt(6.0));
  EXPECT_NEAR(part(directions.array().abs() > 3.0), 0.0026998, 0.052 * error);
}

TEST(ProbeDirections, DoNotDependOnTheirNumberOrOnTheFeatures) {
  const Matrix<double> many = probe_directions<double>(50, 7);
  EXPECT_EQ(probe_directions<double>(20, 4), many.topLeftCorner(20, 4));
  EXPECT_EQ(probe_directions<float>(20, 4), many.topLeftCorner(20, 4).cast<float>());
}

template <typename T>
class Probes : public ::testing::Test {};
TYPED_TEST_SUITE(Probes, Scalars);

TYPED_TEST(Probes, KeepTheScatterOfEveryMethod) {
  const RowMatrix<TypeParam> rows = example_rows<TypeParam>();
  const DensePca truth = truth_of(rows);
  for (const Way& way : kAllMethods) {
    if (way == Method::kExact) continue;
    const auto learned = OnlinePca<TypeParam>(probing(way)).partial_fit(rows).model();
    EXPECT_LT(deviation(learned, truth.scatter), kRounding<TypeParam>) << name(way);
    const auto fitted =
        OnlinePca<TypeParam>(probing(way)).fit(rows).model();  // from a batch, where that is usual
    EXPECT_LT(deviation(fitted, truth.scatter), kRounding<TypeParam>) << name(way);
  }
  EXPECT_TRUE(OnlinePca<TypeParam>(probing(Method::kExact)).partial_fit(rows).model().probe_products.empty());
}

TYPED_TEST(Probes, FollowWeightsForgettingAndCentring) {
  const RowMatrix<TypeParam> rows = example_rows<TypeParam>(300, 25);
  const Vector<double> weights = (4.0 * uniform_numbers(300, 3)).array().floor();  // 0 to 3
  for (const bool center : {true, false}) {
    for (const double forgetting : {1.0, 0.99, 0.7}) {
      Vector<double> aged = weights;
      double age = 1.0;
      for (Index i = 299; i >= 0; --i) {
        if (weights[i] == 0.0) continue;
        aged[i] *= age;
        age *= forgetting;
      }
      const DensePca truth = truth_of(rows, aged, center);
      for (const Way way : {Way(Method::kRoipca), Way(Method::kRoipca, UpdateEvery::kRow)}) {
        Options options = probing(way);
        options.center = center;
        options.forgetting = forgetting;
        const auto model = OnlinePca<TypeParam>(options).partial_fit(rows, weights).model();
        EXPECT_LT(deviation(model, truth.scatter), kRounding<TypeParam>)
            << name(way) << ", " << center << ", " << forgetting;
      }
    }
  }
}

TYPED_TEST(Probes, OfSparseRowsAreThoseOfTheDenseOnes) {
  const auto csr = documents<TypeParam>(600, 150, 15, 2);
  const std::vector<TypeParam> numbers = csr.dense();
  const RowMatrix<TypeParam> rows = Eigen::Map<const RowMatrix<TypeParam>>(numbers.data(), 600, 150);
  for (const double forgetting : {1.0, 0.98}) {
    Vector<double> aged(600);
    for (Index i = 0; i < 600; ++i) aged[i] = std::pow(forgetting, 599 - i);
    for (const bool center : {true, false}) {
      const DensePca truth = truth_of(rows, aged, center);
      Options options = probing(Method::kRoipca);
      options.center = center;
      options.forgetting = forgetting;
      OnlinePca<TypeParam> pca(options);
      pca.partial_fit(csr.view(0, 350));
      EXPECT_LT(deviation(OnlinePca<TypeParam>(pca).partial_fit(csr.view(350, 250)).model(), truth.scatter),
                kRounding<TypeParam>);
      // Dense rows after sparse ones, and sparse ones after a model.
      EXPECT_LT(
          deviation(OnlinePca<TypeParam>(pca).partial_fit(Rows<TypeParam>(rows).slice(350, 250)).model(),
                    truth.scatter),
          kRounding<TypeParam>);
      EXPECT_LT(
          deviation(OnlinePca<TypeParam>(pca.model()).partial_fit(csr.view(350, 250)).model(), truth.scatter),
          kRounding<TypeParam>);
    }
  }
}

TYPED_TEST(Probes, CutsReadingsAndStopsChangeNoBit) {
  const RowMatrix<TypeParam> rows = example_rows<TypeParam>(400, 30);
  const auto csr = documents<TypeParam>(200, 30, 9, 5);
  for (const Way way : {Way(Method::kRoipca), Way(Method::kFroipca)}) {
    Options options = probing(way);
    options.forgetting = way == Method::kRoipca ? 1.0 : 0.99;
    const auto whole = OnlinePca<TypeParam>(options).partial_fit(csr.view()).partial_fit(rows).model();
    OnlinePca<TypeParam> pca(options);
    for (Index i = 0; i < 200; i += 7) pca.partial_fit(csr.view(i, std::min<Index>(7, 200 - i)));
    for (Index i = 0; i < 400; i += 13) {
      pca = OnlinePca<TypeParam>::from_state(pca.state());
      pca.partial_fit(Rows<TypeParam>(rows).slice(i, std::min<Index>(13, 400 - i)));
      pca.model();
    }
    EXPECT_EQ(first_difference(whole, pca.model()), "");
    EXPECT_EQ(first_difference(from_bytes<TypeParam>(to_bytes(whole)), whole), "");
  }
}

TYPED_TEST(Probes, AddUpInMergesThreadsAndWindows) {
  const RowMatrix<TypeParam> rows = example_rows<TypeParam>(3000, 30);
  RowMatrix<TypeParam> shifted = rows;
  shifted.bottomRows(1000).array() += TypeParam{2};  // the means differ
  const Options options = probing(Method::kRoipca);
  const auto part = [&](Index first, Index count, const Options& with) {
    return OnlinePca<TypeParam>(with).partial_fit(Rows<TypeParam>(shifted).slice(first, count)).model();
  };
  const DensePca truth = truth_of(shifted);
  const auto merged = merge(part(0, 2000, options), part(2000, 1000, options));
  EXPECT_LT(deviation(merged, truth.scatter), kRounding<TypeParam>);
  Options by_threads = options;
  by_threads.threads = 3;
  EXPECT_LT(deviation(part(0, 3000, by_threads), truth.scatter), kRounding<TypeParam>);
  for (const Index length : {300, 2000}) {  // rows that are kept, and panes
    Options windowed = options;
    windowed.window = length;
    const auto model =
        OnlinePca<TypeParam>::from_state(OnlinePca<TypeParam>(windowed).partial_fit(shifted).state()).model();
    const DensePca latest = truth_of(RowMatrix<TypeParam>(shifted.bottomRows(model.rows)));
    EXPECT_LT(deviation(model, latest.scatter), kRounding<TypeParam>) << length;
  }
  Options few = options;
  few.probes = 2;
  const auto of_few = merge(part(0, 2000, few), part(2000, 1000, options));
  ASSERT_EQ(of_few.probe_products.size(), 60U);
  EXPECT_TRUE(
      std::equal(of_few.probe_products.begin(), of_few.probe_products.end(), merged.probe_products.begin()));
  few.probes = 0;
  EXPECT_TRUE(merge(part(0, 2000, options), part(2000, 1000, few)).probe_products.empty());
}

TEST(ProbesOfDouble, KeepTheirDigitsAtAnyMagnitudeAndFarFromTheOrigin) {
  const RowMatrix<double> rows = example_rows<double>(200, 12);
  for (const double scale : {1e-140, 1e140}) {
    const RowMatrix<double> scaled = scale * rows;
    const auto model = OnlinePca<double>(probing(Method::kRoipca)).partial_fit(scaled).model();
    const auto plain = OnlinePca<double>(probing(Method::kRoipca)).partial_fit(rows).model();
    const Vector<double> back = as_eigen(model.probe_products) / scale / scale;
    EXPECT_LT((back - as_eigen(plain.probe_products)).norm(), 1e-13 * back.norm());
  }
  RowMatrix<double> far = rows;
  far.array() += 1e9;
  const auto model = OnlinePca<double>(probing(Method::kRoipca)).partial_fit(far).model();
  // Entries are rounded to 1e-7, and their deviations are about 1.
  EXPECT_LT(deviation(model, truth_of(far).scatter), 1e-12);
}

TEST(ProbesOfDouble, OfStandardizedRowsAreThoseOfTheDividedRows) {
  const RowMatrix<double> rows = example_rows<double>(600, 20);
  Options options = probing(Method::kRoipca);
  options.standardize = true;
  options.first_rows = 100;
  const auto model = OnlinePca<double>(options).partial_fit(rows).model();
  const RowMatrix<double> divided = rows * as_eigen(model.scale).cwiseInverse().asDiagonal();
  EXPECT_LT(deviation(model, truth_of(divided).scatter), 1e-12);
  EXPECT_TRUE(error_estimate(model));
}

// The scales of the first rows are not those of all rows, by which batch PCA divides.
TEST(Accuracy, OfStandardizedRowsIncludesTheErrorOfTheirScales) {
  for (const bool drifts : {false, true}) {
    SCOPED_TRACE(drifts);
    RowMatrix<double> rows = decaying_rows(3000, 60, 0.9, 11);
    rows.leftCols(6) *= 3.0;
    if (drifts) rows.bottomRows(1500).leftCols(3) *= 4.0;
    Options options = probing(Method::kRoipca, 5);
    options.probes = 10;
    options.standardize = true;
    options.first_rows = 300;
    const auto model = OnlinePca<double>(options).partial_fit(rows).model();
    const Vector<double> deviations = dense_pca(rows).scatter.diagonal().cwiseSqrt();
    const RowMatrix<double> divided = rows * deviations.cwiseInverse().asDiagonal();
    const double error =
        subspace_error(reported_basis(model), dense_pca(divided).vectors.leftCols(options.n_components));
    EXPECT_LT(error, error_bound(model).value());
    EXPECT_LT(error_estimate(model).value(), 10.0 * error);
    EXPECT_GT(error_estimate(model).value(), 0.1 * error);
    EXPECT_TRUE(is_worth_another_pass(model, 1e-6));
    const auto refined = Refinement<double>(model).add(rows).finish();
    EXPECT_LT(error_estimate(refined).value(), 0.1 * error_estimate(model).value());
  }
}

TEST(ProbesOfDouble, ExcludeMissingValues) {
  Options options = probing(Method::kRoipca);
  options.missing = Missing::kImpute;
  EXPECT_THROW(check(options), std::invalid_argument);
}

TEST(Accuracy, AfterOnePassIsNearTheTruthAndBelowTheBound) {
  for (const double ratio : {0.8, 0.93, 0.97}) {
    const RowMatrix<double> rows = decaying_rows(3000, 80, ratio, 9);
    const DensePca truth = dense_pca(rows);
    Options options = probing(Method::kRoipca, 5);
    options.probes = 10;
    Model<double> model = OnlinePca<double>(options).partial_fit(rows).model();
    for (int pass = 1; pass <= 3; ++pass) {
      const double error = subspace_error(reported_basis(model), truth.vectors.leftCols(5));
      if (error < 1e-24) break;  // rounding
      EXPECT_LT(error, error_bound(model).value()) << ratio << ", pass " << pass;
      EXPECT_LT(error_estimate(model).value(), 10.0 * error) << ratio << ", pass " << pass;
      EXPECT_GT(error_estimate(model).value(), 0.1 * error) << ratio << ", pass " << pass;
      EXPECT_LE(error_bound(model, 0.9).value(), error_bound(model, 0.9999).value());
      model = Refinement<double>(model).add(rows).finish();
      EXPECT_LT(relative_difference(Eigen::Map<const Matrix<double>>(model.probe_products.data(), 80, 10),
                                    truth.scatter * probe_directions<double>(80, 10)),
                1e-12);
    }
  }
}

TEST(Accuracy, OfAllDirectionsOrOfAllVarianceNeedsNoNextComponent) {
  // Three dimensions and room for more: nothing is left out, and the trace says so.
  const RowMatrix<double> plane = low_rank_rows(500, 20, 3, 3);
  const auto model = OnlinePca<double>(probing(Method::kRoipca, 3)).partial_fit(plane).model();
  EXPECT_LT(error_bound(model).value(), 1e-15);
  // Oja's rule holds no more than it reports.
  const RowMatrix<double> rows = example_rows<double>();
  const auto oja = OnlinePca<double>(probing(Method::kOja)).partial_fit(rows).model();
  const double error = subspace_error(reported_basis(oja), dense_pca(rows).vectors.leftCols(4));
  EXPECT_LT(error, error_bound(oja).value());
  EXPECT_GT(error_estimate(oja).value(), 0.1 * error);
}

}  // namespace
}  // namespace roipca
