// Reading a model while the stream goes on.
#include <gtest/gtest.h>

#include <stdexcept>

#include "roipca/online_pca.hpp"
#include "support/rows.hpp"
#include "support/same_bits.hpp"

namespace roipca {
namespace {

class Reading : public ::testing::Test {
 protected:
  const RowMatrix<double> rows_ = support::normal_rows(110, 20, 1);
  OnlinePca<double> pca_{{.n_components = 3, .method = Method::kRoipca}};
};

TEST_F(Reading, IsOneObjectUntilTheNextRows) {
  pca_.partial_fit(rows_.topRows(100));
  const auto first = pca_.snapshot();
  EXPECT_EQ(pca_.snapshot(), first);
  EXPECT_EQ(OnlinePca<double>(pca_).snapshot(), first);
  EXPECT_EQ(support::first_difference(pca_.model(), *first), "");
  pca_.update(rows_.row(100));
  EXPECT_NE(pca_.snapshot(), first);
  EXPECT_EQ(pca_.snapshot()->rows, 101);
}

TEST_F(Reading, IsNotChangedByTheNextRows) {
  pca_.partial_fit(rows_.topRows(100));
  const auto first = pca_.snapshot();
  const Model<double> copy = *first;
  pca_.partial_fit(rows_.bottomRows(10));
  EXPECT_EQ(support::first_difference(*first, copy), "");
}

TEST_F(Reading, OutlivesACallThatFails) {
  pca_.partial_fit(rows_.topRows(100));
  const auto first = pca_.snapshot();
  EXPECT_THROW(pca_.partial_fit(rows_.leftCols(10)), std::invalid_argument);
  EXPECT_EQ(pca_.snapshot(), first);
}

TEST_F(Reading, AfterAFitIsOfTheNewRowsOnly) {
  pca_.partial_fit(rows_);
  EXPECT_EQ(pca_.snapshot()->rows, 110);
  pca_.fit(rows_.topRows(50));
  EXPECT_EQ(pca_.snapshot()->rows, 50);
}

}  // namespace
}  // namespace roipca
