// A call that is interrupted leaves the estimator as it was.
#include <gtest/gtest.h>

#include <exception>
#include <string>

#include "roipca/online_pca.hpp"
#include "support/rows.hpp"

namespace roipca {
namespace {

struct Interrupt : std::exception {};

struct Case {
  const char* name;
  Options options;
};

class Interrupted : public ::testing::TestWithParam<Case> {
 protected:
  // More numbers than the components held, and than a call may have that is not interrupted.
  const RowMatrix<double> rows_ = support::normal_rows(4000, 50, 1);
  OnlinePca<double> pca_{GetParam().options};
};

TEST_P(Interrupted, PartialFitChangesNothing) {
  pca_.partial_fit(rows_.topRows(700));
  const auto before = pca_.state();
  EXPECT_THROW(pca_.partial_fit(rows_, Eigen::VectorXd(), [] { throw Interrupt(); }), Interrupt);
  EXPECT_EQ(pca_.state(), before);
}

TEST_P(Interrupted, FitChangesNothing) {
  pca_.partial_fit(rows_.topRows(700));
  const auto before = pca_.state();
  EXPECT_THROW(pca_.fit(rows_, Eigen::VectorXd(), [] { throw Interrupt(); }), Interrupt);
  EXPECT_EQ(pca_.state(), before);
}

TEST_P(Interrupted, TheFirstCallLeavesTheWidthOpen) {
  EXPECT_THROW(pca_.partial_fit(rows_, Eigen::VectorXd(), [] { throw Interrupt(); }), Interrupt);
  EXPECT_EQ(pca_.features(), 0);
  pca_.partial_fit(rows_.leftCols(40));
  EXPECT_EQ(pca_.features(), 40);
}

TEST_P(Interrupted, ACheckThatDoesNotThrowChangesNoBit) {
  OnlinePca<double> unchecked(pca_);
  int checks = 0;
  pca_.partial_fit(rows_, Eigen::VectorXd(), [&] { ++checks; });
  unchecked.partial_fit(rows_);
  EXPECT_GT(checks, 0);
  EXPECT_EQ(pca_.state(), unchecked.state());
}

INSTANTIATE_TEST_SUITE_P(Engines, Interrupted,
                         ::testing::Values(Case{"blocks", {.n_components = 3, .method = Method::kRoipca}},
                                           Case{"threads",
                                                {.n_components = 3, .method = Method::kRoipca, .threads = 3}},
                                           Case{"exact", {.n_components = 3, .method = Method::kExact}},
                                           Case{"rows", {.n_components = 3, .method = Method::kFroipca}}),
                         [](const auto& chosen) { return std::string(chosen.param.name); });

TEST(InterruptCheck, RunsBetweenBlocks) {
  const RowMatrix<double> rows = support::normal_rows(3000, 200, 2);  // takes about a second
  OnlinePca<double> pca({.n_components = 50, .method = Method::kIpca, .update_every = UpdateEvery::kRow});
  int checks = 0;
  pca.partial_fit(rows, Eigen::VectorXd(), [&] { ++checks; });
  EXPECT_GT(checks, 2);  // one of them is at the end
}

}  // namespace
}  // namespace roipca
