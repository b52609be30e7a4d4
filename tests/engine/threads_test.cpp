// Several threads share the rows of a call.
#include <gtest/gtest.h>

#include <utility>

#include "roipca/online_pca.hpp"
#include "support/dense_oracle.hpp"
#include "support/models.hpp"
#include "support/rows.hpp"

namespace roipca {
namespace {

using namespace support;

Options threaded(Method method, Index threads) {
  Options options = options_for(method, 4);
  options.threads = threads;
  return options;
}

class Threads : public ::testing::TestWithParam<Method> {
 protected:
  const RowMatrix<double> rows_ = decaying_rows(5000, 60, 0.85, 1);
};

TEST_P(Threads, GiveTheSameBitsEveryTimeAndHoweverRowsAreCut) {
  const Options options = threaded(GetParam(), 3);
  const auto whole = OnlinePca<double>(options).partial_fit(rows_).model();
  EXPECT_EQ(first_difference(whole, OnlinePca<double>(options).partial_fit(rows_).model()), "");
  OnlinePca<double> pieces(options);
  for (Index from = 0, count = 1; from < 5000; from += count, count = (count * 7 + 3) % 900 + 1) {
    count = std::min(count, 5000 - from);
    pieces.partial_fit(rows_.middleRows(from, count));
  }
  EXPECT_EQ(first_difference(whole, pieces.model()), "");
}

TEST_P(Threads, AgreeWithBatchPca) {
  const auto truth = dense_pca(rows_);
  const auto model = OnlinePca<double>(threaded(GetParam(), 2)).partial_fit(rows_).model();
  EXPECT_EQ(model.rows, 5000);
  EXPECT_LE((as_eigen(model.mean) - truth.mean).cwiseAbs().maxCoeff(), 1e-13);
  EXPECT_NEAR(model.trace(), truth.scatter.trace(), 1e-11 * truth.scatter.trace());
  // Two halves truncate about twice as much as one pass; the last term is rounding.
  const auto alone = OnlinePca<double>(threaded(GetParam(), 1)).partial_fit(rows_).model();
  const Matrix<double> u = truth.vectors.leftCols(4);
  EXPECT_LE(subspace_error(u, reported_basis(model)), 4.0 * subspace_error(u, reported_basis(alone)) + 1e-24);
}

TEST_P(Threads, ABadRowIsNamedAndNothingIsLost) {
  OnlinePca<double> pca(threaded(GetParam(), 2));
  pca.partial_fit(rows_.topRows(700));
  const auto before = pca.model();
  RowMatrix<double> bad = rows_;
  bad(4321, 7) = std::numeric_limits<double>::quiet_NaN();
  bad(4700, 3) = std::numeric_limits<double>::infinity();
  try {
    pca.partial_fit(bad);
    FAIL() << "accepted";
  } catch (const DataError& error) {
    EXPECT_EQ(error.row(), 4321);
    EXPECT_STREQ(error.what(), "row 4321: NaN in column 7");
  }
  EXPECT_EQ(first_difference(before, pca.model()), "");
}

TEST_P(Threads, RowsOfWeightZeroMayFillAWholeShare) {
  Vector<double> weights = Vector<double>::Ones(5000);
  weights.head(300).setZero();
  const auto model = OnlinePca<double>(threaded(GetParam(), 2)).partial_fit(rows_, weights).model();
  EXPECT_EQ(model.rows, 4700);
  EXPECT_LE((as_eigen(model.mean) - dense_pca(rows_, weights).mean).cwiseAbs().maxCoeff(), 1e-13);
}

TEST_P(Threads, ACallOfWeightZeroOnlyDoesNotMoveTheRowsAfterItToAnotherThread) {
  Vector<double> weights = Vector<double>::Ones(5000);
  weights.head(300).setZero();
  weights.segment(1000, 400).setZero();
  const Options options = threaded(GetParam(), 2);
  const auto whole = OnlinePca<double>(options).partial_fit(rows_, weights).model();
  OnlinePca<double> pieces(options);
  for (const auto& [from, to] : {std::pair<Index, Index>{0, 300}, {300, 1000}, {1000, 1400}, {1400, 5000}}) {
    pieces.partial_fit(rows_.middleRows(from, to - from), weights.segment(from, to - from));
  }
  EXPECT_EQ(first_difference(whole, pieces.model()), "");
}

INSTANTIATE_TEST_SUITE_P(Methods, Threads, ::testing::Values(Method::kRoipca, Method::kExact),
                         [](const auto& method) { return std::string(name(method.param)); });

}  // namespace
}  // namespace roipca
