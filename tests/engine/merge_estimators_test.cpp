// Estimators that keep the scatter matrix are merged by adding their matrices.
#include <gtest/gtest.h>

#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "roipca/merge.hpp"
#include "roipca/online_pca.hpp"
#include "support/dense_oracle.hpp"
#include "support/models.hpp"
#include "support/rows.hpp"

namespace roipca {
namespace {

using namespace support;

template <typename T>
class MergingScatters : public ::testing::Test {
 protected:
  static OnlinePca<T> fitted(const RowMatrix<T>& rows,
                             const Options& options = options_for(Method::kExact, 3)) {
    return OnlinePca<T>(options).partial_fit(rows);
  }
  // Parts of 7 to 90 rows, which end within blocks, with means of their own.
  static std::vector<RowMatrix<T>> parts() {
    std::vector<RowMatrix<T>> parts;
    for (const Index rows : {40, 7, 90, 64, 33, 12}) {
      const auto seed = static_cast<unsigned>(rows);
      RowMatrix<double> part = decaying_rows(rows, 20, 0.8, seed);
      part.rowwise() += normal_rows(1, 20, seed + 1).row(0);
      parts.push_back(part.cast<T>());
    }
    return parts;
  }
  static RowMatrix<double> stacked(const std::vector<RowMatrix<T>>& parts) {
    RowMatrix<double> all(0, parts[0].cols());
    for (const auto& part : parts) {
      all.conservativeResize(all.rows() + part.rows(), Eigen::NoChange);
      all.bottomRows(part.rows()) = part.template cast<double>();
    }
    return all;
  }
  // Rows are centred in T, some more of them than in one stream.
  static constexpr double kTolerance = 200 * kEpsilon<T>;
};
TYPED_TEST_SUITE(MergingScatters, Scalars);

TYPED_TEST(MergingScatters, IsBatchPcaOfAllRows) {
  const auto parts = this->parts();
  auto pca = this->fitted(parts[0]);
  for (std::size_t i = 1; i < parts.size(); ++i) pca.merge(this->fitted(parts[i]));
  const auto truth = dense_pca(this->stacked(parts));
  const auto model = pca.model();
  EXPECT_EQ(model.rows, 246);
  EXPECT_LE((as_eigen(model.mean) - truth.mean).cwiseAbs().maxCoeff(), 1e-15 * 246);
  EXPECT_LE(relative_difference(modelled_scatter(model), truth.scatter), this->kTolerance);
  EXPECT_NEAR(model.degrees_of_freedom(), 245.0, 1e-11);
  EXPECT_NEAR(model.trace(), truth.scatter.trace(), this->kTolerance * truth.scatter.trace());
}

TYPED_TEST(MergingScatters, GoesOnWithMoreRows) {
  using T = TypeParam;
  const auto parts = this->parts();
  auto pca = this->fitted(parts[0]).merge(this->fitted(parts[1]));
  auto restored = OnlinePca<T>::from_state(pca.state());
  pca.partial_fit(parts[2]).partial_fit(parts[3]);
  restored.partial_fit(parts[2]).partial_fit(parts[3]);
  EXPECT_EQ(pca.state(), restored.state());
  const auto truth = dense_pca(this->stacked({parts[0], parts[1], parts[2], parts[3]}));
  EXPECT_LE(relative_difference(modelled_scatter(pca.model()), truth.scatter), this->kTolerance);
}

TYPED_TEST(MergingScatters, TakesTheRowsOfAllThreads) {
  const RowMatrix<TypeParam> x = decaying_rows(3000, 20, 0.8, 5).cast<TypeParam>();
  Options options = options_for(Method::kExact, 3);
  options.threads = 3;
  auto pca = this->fitted(x.topRows(1700), options);
  pca.merge(this->fitted(x.bottomRows(1300), options));
  const auto truth = dense_pca(x.template cast<double>());
  EXPECT_LE(relative_difference(modelled_scatter(pca.model()), truth.scatter), this->kTolerance);
}

// Squares of both parts, and of the distance between their means, are out of the range of T.
TYPED_TEST(MergingScatters, OfAnySize) {
  using T = TypeParam;
  const double large = std::is_same_v<T, float> ? 0x1p100 : 0x1p480;
  const auto parts = this->parts();
  for (const auto& [a, b] : {std::pair(large, large), {large, 1.0 / large}, {1.0 / large, large}}) {
    const RowMatrix<T> first = parts[0] * static_cast<T>(a);
    const RowMatrix<T> second = parts[2] * static_cast<T>(b);
    const auto model = this->fitted(first).merge(this->fitted(second)).model();
    const auto truth = dense_pca(this->stacked({first, second}) / large);
    EXPECT_LE(relative_difference(modelled_scatter(model) / large / large, truth.scatter), this->kTolerance);
  }
}

TYPED_TEST(MergingScatters, OfModelsAddsThem) {
  const auto parts = this->parts();
  const auto truth = dense_pca(this->stacked(parts));
  MergeTree<TypeParam> tree;
  for (const auto& part : parts) tree.add(this->fitted(part).model());
  // Components are rounded to T.
  EXPECT_LE(relative_difference(modelled_scatter(*tree.result()), truth.scatter), 2 * this->kTolerance);
  const auto pair = merge(this->fitted(parts[0]).model(), this->fitted(parts[2]).model());
  const auto of_pair = dense_pca(this->stacked({parts[0], parts[2]}));
  EXPECT_LE(relative_difference(modelled_scatter(pair), of_pair.scatter), 2 * this->kTolerance);
  EXPECT_EQ(pair.options.method, Method::kExact);
}

// As tasks of a cluster do it: each merges neighbours, and the next those of the tasks.
TYPED_TEST(MergingScatters, InGroupsHasTheBitsOfOneTree) {
  using T = TypeParam;
  const auto parts = this->parts();
  MergeTree<T> all;
  for (const auto& part : parts) all.add(this->fitted(part));
  for (const std::size_t group : {2U, 4U}) {
    MergeTree<T> outer;
    for (std::size_t first = 0; first < parts.size(); first += group) {
      MergeTree<T> inner;
      for (std::size_t i = first; i < std::min(first + group, parts.size()); ++i)
        inner.add(this->fitted(parts[i]));
      const auto sent = std::get<OnlinePca<T>>(*inner.part()).state();
      outer.add(OnlinePca<T>::from_state(sent));
    }
    EXPECT_EQ(std::get<OnlinePca<T>>(*outer.part()).state(), std::get<OnlinePca<T>>(*all.part()).state());
    EXPECT_EQ(*outer.result(), *all.result());
  }
}

TYPED_TEST(MergingScatters, AndModelsOfOtherMethodsInOneTree) {
  using T = TypeParam;
  const RowMatrix<T> x = low_rank_rows(120, 20, 3, 1).cast<T>();
  MergeTree<T> tree;
  tree.add(this->fitted(x.topRows(50)));
  tree.add(this->fitted(x.middleRows(50, 30), options_for(Method::kRoipca, 3)));
  tree.add(this->fitted(x.bottomRows(40)).model());
  EXPECT_TRUE(std::holds_alternative<Model<T>>(*tree.part()));
  const auto truth = dense_pca(x.template cast<double>());
  EXPECT_LE(relative_difference(modelled_scatter(*tree.result()), truth.scatter), 2000 * kEpsilon<T>);
}

TYPED_TEST(MergingScatters, KeepsNamesParametersAndOptions) {
  using T = TypeParam;
  const auto parts = this->parts();
  Options options;
  options.n_components = 3;
  const auto part = [&](std::size_t i) { return this->fitted(parts[i], options).model(); };
  ASSERT_EQ(part(0).resolved.method, Method::kExact);
  auto named = part(1);
  named.feature_names = std::vector<std::string>(20, "f");
  auto first = part(0);
  first.parameters = "p";
  MergeTree<T> tree;
  tree.add(first);
  tree.add(named);
  for (const auto& all : {merge(first, named), *tree.result()}) {
    EXPECT_EQ(all.feature_names, named.feature_names);
    EXPECT_EQ(all.parameters, "p");
    EXPECT_EQ(all.options.method, Method::kAuto);
    EXPECT_NO_THROW(check(all));
  }
  named.feature_names[0] = "g";
  EXPECT_THROW(tree.add(named), std::invalid_argument);
}

// What streams of other methods know is less than a scatter matrix: they go on from the merged model.
TYPED_TEST(MergingScatters, IsForThoseThatKeepThem) {
  using T = TypeParam;
  const RowMatrix<T> x = low_rank_rows(90, 60, 4, 2).cast<T>();
  Options standardized = options_for(Method::kExact, 4);
  standardized.standardize = true;
  for (const Options& options :
       {options_for(Method::kRoipca, 4), options_for(Method::kFroipca, 4), standardized}) {
    auto pca = this->fitted(x.topRows(40), options);
    const auto other = this->fitted(x.bottomRows(50), options);
    EXPECT_FALSE(pca.adds_scatters());
    const auto expected = merge(pca.model(), other.model());
    EXPECT_LE(relative_difference(modelled_scatter(pca.merge(other).model()), modelled_scatter(expected)),
              2000 * kEpsilon<T>);
  }
}

TYPED_TEST(MergingScatters, ChangesNothingWhenItFails) {
  using T = TypeParam;
  auto pca = this->fitted(this->parts()[0]);
  const auto before = pca.state();
  EXPECT_THROW(pca.merge(this->fitted(normal_rows(9, 5, 1).cast<T>())), std::invalid_argument);
  EXPECT_THROW(pca.merge(OnlinePca<T>(options_for(Method::kExact, 3))), std::logic_error);
  EXPECT_THROW(pca.merge(this->fitted(this->parts()[1]), 0.0), std::invalid_argument);
  EXPECT_EQ(pca.state(), before);
}

TYPED_TEST(MergingScatters, CombinesTheScoresOfRowsBeforeTheyWereLearned) {
  const RowMatrix<TypeParam> x = decaying_rows(4000, 20, 0.8, 6).cast<TypeParam>();
  auto pca = this->fitted(x.topRows(2000));
  pca.merge(this->fitted(x.bottomRows(2000)));
  const auto merged = pca.model().prequential;
  const auto whole = this->fitted(x).model().prequential;
  EXPECT_GT(merged.rows, 0);
  // Of rows of one kind: means over some thousand rows.
  EXPECT_NEAR(merged.spe_mean[2], whole.spe_mean[2], 0.1 * whole.spe_mean[2]);
  EXPECT_NEAR(merged.t2_mean[2], whole.t2_mean[2], 0.1 * whole.t2_mean[2]);
}

}  // namespace
}  // namespace roipca
