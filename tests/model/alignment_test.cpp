#include "roipca/alignment.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <stdexcept>
#include <vector>

#include "roipca/batch_pca.hpp"
#include "roipca/model_file.hpp"
#include "roipca/online_pca.hpp"
#include "support/models.hpp"
#include "support/rows.hpp"

namespace roipca {
namespace {

using namespace support;

template <typename T>
class Alignment : public ::testing::Test {
 protected:
  static Model<T> model_of(const RowMatrix<double>& rows, Index components) {
    const RowMatrix<T> converted = rows.cast<T>();
    return batch_pca<T>(converted, {.n_components = components});
  }
  const RowMatrix<double> rows_ = decaying_rows(200, 9, 0.6, 1);
};
TYPED_TEST_SUITE(Alignment, Scalars);

TYPED_TEST(Alignment, SignsFollowThePreviousComponents) {
  const auto model = this->model_of(this->rows_, 4);
  OwnedRows<TypeParam> previous = model.components();
  for (const Index i : {0, 2}) {
    for (TypeParam& number : previous.row(i)) number = -number;
  }
  const auto result = aligned<TypeParam>(model, previous, Align::kPrevious);
  EXPECT_EQ(result.components(), previous);
  EXPECT_EQ(result.explained_variance(), model.explained_variance());
  EXPECT_EQ(result.basis, model.basis);
}

TYPED_TEST(Alignment, TheOrderFollowsOnlyOnRequest) {
  const auto model = this->model_of(this->rows_, 4);
  const OwnedRows<TypeParam> shown = model.components();
  OwnedRows<TypeParam> previous(4, 9);
  const std::vector<Index> order = {2, 0, 3, 1};
  for (Index i = 0; i < 4; ++i) {
    const TypeParam sign = i % 2 == 0 ? TypeParam{1} : TypeParam{-1};
    for (Index j = 0; j < 9; ++j) previous(i, j) = sign * shown(order[static_cast<std::size_t>(i)], j);
  }
  const auto with_order = aligned<TypeParam>(model, previous, Align::kPreviousOrder);
  EXPECT_EQ(with_order.components(), previous);
  const auto variance = model.explained_variance();
  EXPECT_EQ(with_order.explained_variance(),
            (std::vector<double>{variance[2], variance[0], variance[3], variance[1]}));
  const auto signs_only = aligned<TypeParam>(model, previous, Align::kPrevious);
  EXPECT_EQ(signs_only.explained_variance(), variance);
  EXPECT_EQ(first_difference(aligned<TypeParam>(model, previous, Align::kNone), model), "");
}

TYPED_TEST(Alignment, ScoresGoThroughTheAxesAndBack) {
  auto model = this->model_of(this->rows_, 4);
  const RowMatrix<TypeParam> rows = this->rows_.template cast<TypeParam>();
  const auto before = model.components();
  const auto plain = model.transform(rows);
  const auto t2 = model.t2(rows);
  const auto likelihood = model.log_likelihood(rows);
  const auto back = model.inverse_transform(plain);
  model.axes = {-3, 1, 4, -2};
  check(model);
  const auto shown = model.transform(rows);
  const auto now = model.components();
  for (Index i = 0; i < 4; ++i) {
    const Index place = std::abs(model.axes[static_cast<std::size_t>(i)]) - 1;
    const TypeParam sign = now(i, 0) == before(place, 0) ? TypeParam{1} : TypeParam{-1};
    EXPECT_EQ(as_eigen(shown).col(i), as_eigen(plain).col(place) * sign);
  }
  EXPECT_EQ(model.inverse_transform(shown), back);
  EXPECT_EQ(model.t2(rows), t2);
  EXPECT_EQ(model.log_likelihood(rows), likelihood);
  EXPECT_EQ(from_bytes<TypeParam>(to_bytes(model)), model);
}

TYPED_TEST(Alignment, ReportingFewerOrMoreKeepsTheAxesThatStay) {
  auto model = this->model_of(this->rows_, 4);
  model.axes = {-3, 1, 4, -2};
  const auto fewer = reporting(model, 3);
  EXPECT_EQ(fewer.axes, (std::vector<Index>{-3, 1, -2}));
  const auto more = reporting(fewer, 4);
  EXPECT_EQ(more.axes.size(), 4U);
  check(more);
}

TYPED_TEST(Alignment, AxesThatAreNoOrderAreNoModel) {
  auto model = this->model_of(this->rows_, 3);
  for (const std::vector<Index>& axes :
       {std::vector<Index>{1, 2}, {1, 2, 2}, {0, 1, 2}, {1, 2, 4}, {1, -1, 2}}) {
    model.axes = axes;
    EXPECT_THROW(check(model), std::invalid_argument);
  }
}

// Of two assignments in which no entry stands out, the sum of squares decides.
TYPED_TEST(Alignment, TheOrderIsTheBestOfAll) {
  const Index d = 6;
  for (unsigned seed = 0; seed < 20; ++seed) {
    const Matrix<double> q = orthonormal_columns(d, d, seed);
    auto model = this->model_of(decaying_rows(100, d, 0.7, seed + 100), d);
    OwnedRows<TypeParam> previous(d, d);
    as_columns(previous) = q.cast<TypeParam>();
    const auto result = aligned<TypeParam>(model, previous, Align::kPreviousOrder);
    const auto sum = [&](const Model<TypeParam>& m) {
      return (as_eigen(m.components()).array() * as_eigen(previous).array()).rowwise().sum().square().sum();
    };
    const double found = double{sum(result)};
    std::vector<Index> order(d);
    for (Index i = 0; i < d; ++i) order[static_cast<std::size_t>(i)] = i + 1;
    double best = 0.0;
    do {
      model.axes = order;
      best = std::max(best, double{sum(model)});
    } while (std::next_permutation(order.begin(), order.end()));
    EXPECT_NEAR(found, best, 100.0 * kEpsilon<TypeParam>);
  }
}

TYPED_TEST(Alignment, TheRotationBetweenReadingsIsThatOfProcrustes) {
  const auto from = this->model_of(this->rows_, 3);
  const auto to = this->model_of(decaying_rows(200, 9, 0.6, 1) + 0.05 * normal_rows(200, 9, 2), 3);
  const RowMatrix<double> rotation = as_eigen(rotation_between(from, to));
  // Orthogonal, and R^T (A B^T) is symmetric and positive semidefinite: what makes it the minimum.
  const double tolerance = 100.0 * kEpsilon<TypeParam>;
  EXPECT_LT((rotation * rotation.transpose() - RowMatrix<double>::Identity(3, 3)).norm(), tolerance);
  const RowMatrix<double> polar =
      rotation.transpose() * (as_eigen(from.components()).template cast<double>() *
                              as_eigen(to.components()).template cast<double>().transpose());
  EXPECT_LT((polar - polar.transpose()).norm(), tolerance);
  EXPECT_GT(polar.diagonal().minCoeff(), 0.0);
  EXPECT_THROW(rotation_between(from, this->model_of(this->rows_, 4)), std::invalid_argument);
}

// Readings of a stream, aligned by the estimator itself.
TYPED_TEST(Alignment, AnEstimatorAlignsEachReadingWithTheOneBefore) {
  const RowMatrix<TypeParam> rows = decaying_rows(400, 9, 0.95, 5).cast<TypeParam>();
  OnlinePca<TypeParam> plain({.n_components = 4});
  OnlinePca<TypeParam> steady({.n_components = 4, .align = Align::kPreviousOrder});
  auto before = steady.partial_fit(rows.topRows(20)).model();
  plain.partial_fit(rows.topRows(20));
  EXPECT_EQ(before.components(), plain.model().components());  // nothing came before
  for (Index i = 20; i < rows.rows(); i += 2) {
    steady.partial_fit(rows.middleRows(i, 2));
    plain.partial_fit(rows.middleRows(i, 2));
    if (i % 6 == 0) steady = OnlinePca<TypeParam>::from_state(steady.state());
    const auto now = steady.model();
    for (Index c = 0; c < 4; ++c) {
      const double cosine =
          double{as_eigen(before.components()).row(c).dot(as_eigen(now.components()).row(c))};
      EXPECT_GT(cosine, 0.0) << i;
    }
    EXPECT_EQ(now.basis, plain.model().basis);
    EXPECT_EQ(now.eigenvalues, plain.model().eigenvalues);
    before = now;
  }
}

}  // namespace
}  // namespace roipca
