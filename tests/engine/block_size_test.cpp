#include <gtest/gtest.h>

#include "roipca/online_pca.hpp"
#include "support/rows.hpp"
#include "support/same_bits.hpp"

namespace roipca {
namespace {

// Larger blocks took a thousand times as long per row.
TEST(BlockSize, BeyondThe256RowsThatHelpChangesNothing) {
  const RowMatrix<double> rows = support::normal_rows(900, 40, 1);
  const auto model_of = [&](Index block_size) {
    return OnlinePca<double>({.n_components = 3, .method = Method::kRoipca, .block_size = block_size})
        .partial_fit(rows)
        .model();
  };
  const Model<double> largest = model_of(256);
  Model<double> larger = model_of(4000);
  EXPECT_EQ(*larger.options.block_size, 4000);
  larger.options = largest.options;
  EXPECT_EQ(support::first_difference(largest, larger), "");
}

}  // namespace
}  // namespace roipca
