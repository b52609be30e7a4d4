#include <gtest/gtest.h>

#include "roipca/online_pca.hpp"
#include "support/rows.hpp"
#include "support/same_bits.hpp"

namespace roipca {
namespace {

// Larger blocks took a thousand times as long per row.
TEST(BlockSize, BeyondThe256RowsThatHelpChangesNothing) {
  const RowMatrix<double> rows = support::normal_rows(900, 40, 1);
  Model<double> models[2];
  const Index sizes[] = {256, 4000};
  for (int i = 0; i < 2; ++i) {
    const Options options{.n_components = 3, .method = Method::kRoipca, .block_size = sizes[i]};
    models[i] = OnlinePca<double>(options).partial_fit(rows).model();
  }
  EXPECT_EQ(*models[1].options.block_size, 4000);
  models[1].options = models[0].options;
  EXPECT_EQ(support::first_difference(models[0], models[1]), "");
}

}  // namespace
}  // namespace roipca
