// What a short call leaves when memory ends in it: all of its rows, or none of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <new>

#include "roipca/online_pca.hpp"
#include "support/heap.hpp"
#include "support/models.hpp"
#include "support/rows.hpp"

namespace roipca {
namespace {

using namespace support;

// Returns the model without what it does without if memory ends.
template <typename T>
Model<T> without_scores(Model<T> model) {
  model.prequential = {};
  model.change = {};
  return model;
}

// Adds the rows [from, to) in one short call, with memory for no allocation, for one, for two ... until there
// is enough, and then more rows.
template <typename T>
void expect_all_or_nothing(const Way& way, Index from, Index to) {
  const RowMatrix<T> x = decaying_rows(to + 100, 70, 0.9, 1).cast<T>();
  const RowMatrix<T> rows = x.middleRows(from, to - from);
  const RowMatrix<T> later = x.bottomRows(100);
  OnlinePca<T> before(options_for(way, 3));
  for (Index i = 0; i < from; i += 50) before.partial_fit(x.middleRows(i, std::min<Index>(50, from - i)));
  const auto state = before.state();
  OnlinePca<T> all(before);
  const Model<T> expected = without_scores(all.partial_fit(rows).partial_fit(later).model());
  bool is_enough = false;
  for (long count = 0; !is_enough; ++count) {
    OnlinePca<T> pca(before);
    const long first = heap::allocations();
    bool is_refused = false;
    try {
      const heap::Shortage shortage(count);
      pca.partial_fit(rows);
    } catch (const std::bad_alloc&) {
      is_refused = true;
    }
    is_enough = heap::allocations() - first <= count;
    if (is_refused) {
      ASSERT_TRUE(pca.state() == state) << name(way) << ", " << count << " allocations";
    } else {
      ASSERT_EQ(first_difference(without_scores(pca.partial_fit(later).model()), expected), "")
          << name(way) << ", " << count << " allocations";
    }
  }
}

template <typename T>
class MemoryEnds : public ::testing::Test {};
TYPED_TEST_SUITE(MemoryEnds, Scalars);

TYPED_TEST(MemoryEnds, BeforeTheFirstScores) {
  for (const Way& way : kAllMethods) expect_all_or_nothing<TypeParam>(way, 10, 50);
}

TYPED_TEST(MemoryEnds, WhileAModelToCompareWithIsRead) {
  for (const Way& way : kAllMethods) expect_all_or_nothing<TypeParam>(way, 200, 300);
}

TYPED_TEST(MemoryEnds, WhileRowsAreScored) {
  for (const Way& way : kAllMethods) expect_all_or_nothing<TypeParam>(way, 700, 900);
}

}  // namespace
}  // namespace roipca
