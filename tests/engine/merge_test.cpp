// Models of parts against the model of the whole.
#include "roipca/merge.hpp"

#include <gtest/gtest.h>

#include <span>
#include <vector>

#include "roipca/online_pca.hpp"
#include "support/dense_oracle.hpp"
#include "support/models.hpp"
#include "support/rows.hpp"

namespace roipca {
namespace {

using namespace support;

template <typename T>
class Merging : public ::testing::Test {
 protected:
  static Model<T> fitted(const Options& options, const RowMatrix<T>& rows) {
    return OnlinePca<T>(options).partial_fit(rows).model();
  }
};
TYPED_TEST_SUITE(Merging, Scalars);

TYPED_TEST(Merging, LosesNothingThatCanBeHeld) {
  using T = TypeParam;
  RowMatrix<double> rows = low_rank_rows(300, 90, 4, 1);
  rows.bottomRows(180).rowwise() += normal_rows(1, 90, 2).row(0);  // another mean
  const RowMatrix<T> x = rows.cast<T>();
  const auto truth = dense_pca(x.template cast<double>());
  for (const Way& way : {Way(Method::kRoipca), Way(Method::kIpca), Way(Method::kExact)}) {
    const Options options = options_for(way, 5);
    const auto whole = merge(this->fitted(options, x.topRows(120)), this->fitted(options, x.bottomRows(180)));
    EXPECT_EQ(whole.rows, 300);
    EXPECT_LE((as_eigen(whole.mean) - truth.mean).cwiseAbs().maxCoeff(),
              1e-13 * truth.mean.cwiseAbs().maxCoeff());
    EXPECT_LE(relative_difference(modelled_scatter(whole), truth.scatter), 2000 * kEpsilon<T>) << name(way);
    EXPECT_NEAR(whole.trace(), truth.scatter.trace(), 2000 * kEpsilon<T> * truth.scatter.trace());
  }
}

TYPED_TEST(Merging, IsCommutativeAndAssociative) {
  using T = TypeParam;
  const RowMatrix<T> x = low_rank_rows(90, 200, 6, 3).cast<T>();
  const Options options = options_for(Method::kRoipca, 4);
  const auto a = this->fitted(options, x.topRows(20));
  const auto b = this->fitted(options, x.middleRows(20, 30));
  const auto c = this->fitted(options, x.bottomRows(40));
  const Matrix<double> left = modelled_scatter(merge(merge(a, b), c));
  EXPECT_LE(relative_difference(modelled_scatter(merge(a, merge(b, c))), left), 2000 * kEpsilon<T>);
  EXPECT_LE(relative_difference(modelled_scatter(merge(c, merge(b, a))), left), 2000 * kEpsilon<T>);
}

TYPED_TEST(Merging, OfHalvesIsAsGoodAsOnePass) {
  using T = TypeParam;
  const RowMatrix<T> x = decaying_rows(4000, 150, 0.9, 4).cast<T>();
  const Options options = options_for(Method::kRoipca, 5);
  const Matrix<double> truth = dense_pca(x.template cast<double>()).vectors.leftCols(5);
  const auto halves =
      merge(this->fitted(options, x.topRows(1500)), this->fitted(options, x.bottomRows(2500)));
  const auto one_pass = this->fitted(options, x);
  const double slack = 1e4 * kEpsilon<T> * kEpsilon<T>;
  EXPECT_LE(subspace_error(truth, reported_basis(halves)),
            2.0 * subspace_error(truth, reported_basis(one_pass)) + slack);
}

// What Frequent Directions promises of one sketch: never above the scatter in any direction.
TYPED_TEST(Merging, OfSketchesStaysBelowTheScatter) {
  using T = TypeParam;
  const RowMatrix<T> x = decaying_rows(400, 30, 0.9, 7).cast<T>();
  Options options = options_for(Method::kFrequentDirections, 4);
  const auto merged = merge(this->fitted(options, x.topRows(150)), this->fitted(options, x.bottomRows(250)));
  const auto truth = dense_pca(x.template cast<double>());
  const Vector<double> values = as_eigen(merged.eigenvalues);
  // The sketch is shrunk by its Gram matrix in T.
  const double rounding = 400 * kEpsilon<T> * truth.values[0];
  EXPECT_LE((values - truth.values.head(values.size())).maxCoeff(), rounding);
}

// Or its error would be said to be none.
TYPED_TEST(Merging, OfAnExactModelAndAnotherIsNotExact) {
  using T = TypeParam;
  const RowMatrix<T> x = decaying_rows(1200, 60, 0.9, 9).cast<T>();
  const auto exact = this->fitted(options_for(Method::kExact, 3), x.topRows(400));
  const auto other = this->fitted(options_for(Method::kRoipca, 3), x.middleRows(400, 400));
  const Matrix<double> truth = dense_pca(x.template cast<double>()).vectors.leftCols(3);
  const double error_of_one_pass =
      subspace_error(truth, reported_basis(this->fitted(options_for(Method::kRoipca, 3), x)));
  for (const auto& both : {merge(exact, other), merge(other, exact)}) {
    EXPECT_EQ(both.resolved.method, Method::kRoipca);
    OnlinePca<T> pca(both);
    pca.partial_fit(RowMatrix<T>(x.bottomRows(400)));
    EXPECT_LE(subspace_error(truth, reported_basis(pca.model())),
              2.0 * error_of_one_pass + 1e4 * kEpsilon<T> * kEpsilon<T>);
  }
}

TYPED_TEST(Merging, TakesModelsOfFewRowsAndOfOne) {
  using T = TypeParam;
  const RowMatrix<T> x = normal_rows(8, 120, 5).cast<T>();
  const Options options = options_for(Method::kRoipca, 5);
  auto model = this->fitted(options, x.topRows(1));
  for (Index i = 1; i < 8; ++i) model = merge(model, this->fitted(options, x.middleRows(i, 1)));
  const auto truth = dense_pca(x.template cast<double>());
  EXPECT_LE(relative_difference(modelled_scatter(model), truth.scatter), 2000 * kEpsilon<T>);
}

TYPED_TEST(Merging, CountsWeights) {
  using T = TypeParam;
  const RowMatrix<T> x = low_rank_rows(100, 120, 3, 6).cast<T>();
  const Vector<double> w = uniform_numbers(100, 7);
  const Options options = options_for(Method::kRoipca, 4);
  const auto part = [&](Index from, Index n) {
    return OnlinePca<T>(options).partial_fit(x.middleRows(from, n), w.segment(from, n)).model();
  };
  const auto whole = merge(part(0, 40), part(40, 60));
  const auto truth = dense_pca(x.template cast<double>(), w);
  EXPECT_NEAR(whole.weight, truth.weight, 1e-13 * truth.weight);
  EXPECT_LE(relative_difference(modelled_scatter(whole), truth.scatter), 2000 * kEpsilon<T>);
}

TYPED_TEST(Merging, KeepsFeatureNamesAndParameters) {
  using T = TypeParam;
  const RowMatrix<T> x = normal_rows(20, 3, 8).cast<T>();
  const Options options = options_for(Method::kRoipca, 2);
  auto named = this->fitted(options, x.topRows(10));
  const auto nameless = this->fitted(options, x.bottomRows(10));
  named.feature_names = {"a", "b", "c"};
  named.parameters = "p";
  EXPECT_EQ(merge(named, nameless).feature_names, named.feature_names);
  EXPECT_EQ(merge(nameless, named).feature_names, named.feature_names);
  EXPECT_EQ(merge(named, nameless).parameters, "p");
  EXPECT_EQ(merge(nameless, named).parameters, "");
}

// The pairs of pairs, written out; part 3 has no rows.
TYPED_TEST(Merging, AsATreeJoinsNeighbours) {
  using T = TypeParam;
  const RowMatrix<T> x = decaying_rows(60, 30, 0.9, 9).cast<T>();
  const Options options = options_for(Method::kRoipca, 3);
  std::vector<Model<T>> parts;
  for (Index i = 0; i < 6; ++i) parts.push_back(this->fitted(options, x.middleRows(10 * i, 10)));
  const auto first = merge(merge(parts[0], parts[1]), merge(parts[2], parts[3]));
  const auto all = merge(first, merge(parts[4], parts[5]));
  EXPECT_EQ(first_difference(merge(std::span<const Model<T>>(parts)), all), "");

  MergeTree<T> tree;
  EXPECT_FALSE(tree.result());
  for (std::size_t i = 0; i < 3; ++i) tree.add(parts[i]);
  tree.add_nothing();
  for (std::size_t i = 3; i < 5; ++i) tree.add(parts[i]);
  const auto left = merge(merge(parts[0], parts[1]), parts[2]);
  EXPECT_EQ(first_difference(*tree.result(), merge(left, merge(parts[3], parts[4]))), "");
}

TEST(MergingRefuses, AModelThatDoesNotFitTheTreeWhenItIsAdded) {
  MergeTree<double> tree;
  const auto model = [](Index features) {
    return OnlinePca<double>(options_for(Method::kRoipca, 2))
        .partial_fit(normal_rows(9, features, 1))
        .model();
  };
  tree.add(model(5));
  tree.add(model(5));
  EXPECT_THROW(tree.add(model(6)), std::invalid_argument);
  tree.add(model(5));
  EXPECT_EQ(tree.result()->rows, 27);
}

TEST(MergingRefuses, NoModels) {
  EXPECT_THROW(merge(std::span<const Model<double>>()), std::invalid_argument);
}

TEST(MergingRefuses, ModelsThatDoNotFit) {
  const auto model = [](Index features, Index components, bool center) {
    Options options = options_for(Method::kRoipca, components);
    options.center = center;
    return OnlinePca<double>(options).partial_fit(normal_rows(30, features, 1)).model();
  };
  const auto message = [](const auto& a, const auto& b) {
    try {
      merge(a, b);
    } catch (const std::invalid_argument& error) {
      return std::string(error.what());
    }
    return std::string("was accepted");
  };
  EXPECT_EQ(message(model(9, 2, true), model(8, 2, true)), "cannot merge models with 9 and 8 features");
  EXPECT_EQ(message(model(9, 2, true), model(9, 3, true)), "cannot merge models with 2 and 3 components");
  EXPECT_EQ(message(model(9, 2, true), model(9, 2, false)),
            "cannot merge a centred model with one that is not centred");
  auto named = model(3, 2, true);
  auto renamed = named;
  named.feature_names = {"a", "b", "c"};
  renamed.feature_names = {"a", "b", "d"};
  EXPECT_EQ(message(named, renamed), "cannot merge models with different feature names");
}

TEST(MergingRefuses, ModelsWithForgetting) {
  Options options = options_for(Method::kRoipca, 2);
  const auto kept = OnlinePca<double>(options).partial_fit(normal_rows(30, 9, 1)).model();
  options.forgetting = 0.9;
  const auto forgotten = OnlinePca<double>(options).partial_fit(normal_rows(30, 9, 1)).model();
  EXPECT_THROW(merge(kept, forgotten), std::invalid_argument);
  EXPECT_THROW(merge(forgotten, kept), std::invalid_argument);
  EXPECT_THROW(merge(forgotten, forgotten), std::invalid_argument);
}

}  // namespace
}  // namespace roipca
