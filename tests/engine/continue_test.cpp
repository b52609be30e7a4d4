// A model is enough to add more rows.
#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "basis/orthonormal.hpp"
#include "roipca/batch_pca.hpp"
#include "roipca/online_pca.hpp"
#include "support/models.hpp"
#include "support/rows.hpp"

namespace roipca {
namespace {

using namespace support;

template <typename T>
class Continue : public ::testing::Test {
 protected:
  static constexpr Index kRows = 400;
  const RowMatrix<T> rows_ = decaying_rows(kRows, 29, 0.8, 1).cast<T>();

  Model<T> never_stopping(const Options& options) const {
    return comparable(OnlinePca<T>(options).partial_fit(rows_).model());
  }
  Model<T> stopping_every(Index count, const Options& options) const {
    auto model = OnlinePca<T>(options).partial_fit(rows_.topRows(count)).model();
    for (Index from = count; from < kRows; from += count) {
      model = OnlinePca<T>(model).partial_fit(rows_.middleRows(from, std::min(count, kRows - from))).model();
    }
    return comparable(model);
  }
  // From a model, rows are compared with those that follow it alone, and scored by the components of the
  // model until these are read again.
  static Model<T> comparable(Model<T> model) {
    model.change = {};
    model.prequential = {};
    return model;
  }
};
TYPED_TEST_SUITE(Continue, Scalars);

constexpr std::array kBitwise = {Way(Method::kFroipca), Way(Method::kIpca, UpdateEvery::kRow)};

TYPED_TEST(Continue, FromAModelGivesTheSameBitsAsNeverStopping) {
  for (const Way& method : kBitwise) {
    const Options options = options_for(method, 3);
    EXPECT_EQ(first_difference(this->stopping_every(37, options), this->never_stopping(options)), "")
        << name(method);
  }
}

TYPED_TEST(Continue, AfterEveryRowGivesTheSameBitsAsNeverStopping) {
  for (const Way& method : kBitwise) {
    const Options options = options_for(method, 3);
    EXPECT_EQ(first_difference(this->stopping_every(1, options), this->never_stopping(options)), "")
        << name(method);
  }
}

TYPED_TEST(Continue, FromAModelOfForgottenRowsGivesTheSameBits) {
  for (const Way& method : kBitwise) {
    Options options = options_for(method, 3);
    options.forgetting = 0.98;
    EXPECT_EQ(first_difference(this->stopping_every(37, options), this->never_stopping(options)), "")
        << name(method);
  }
}

// Here a stop applies deferred rotations: a few roundings for each of the rows.
TYPED_TEST(Continue, FromAModelOfRoipcaRowByRowGivesTheSameToRounding) {
  for (const Index count : {1, 37}) {
    for (const double forgetting : {1.0, 0.98}) {
      Options options = options_for(Way(Method::kRoipca, UpdateEvery::kRow), 3);
      options.forgetting = forgetting;
      const auto stopped = this->stopping_every(count, options);
      const auto whole = this->never_stopping(options);
      EXPECT_LT(relative_difference(modelled_scatter(stopped), modelled_scatter(whole)),
                this->kRows * kEpsilon<TypeParam>)
          << count << ", forgetting " << forgetting;
    }
  }
}

// A stop ends a block before it is full. If nothing is truncated, the difference is only rounding. The
// standard deviation along the last of the 13 held components is 0.8^12 = 0.07 of the first, and products of
// rows are rounded relative to its square.
TYPED_TEST(Continue, FromAModelByBlocksGivesTheSameToRoundingWhereNothingIsCutOff) {
  const RowMatrix<TypeParam> rows = decaying_rows(this->kRows, 13, 0.8, 1).template cast<TypeParam>();
  for (const Method method : {Method::kRoipca, Method::kIpca}) {
    const Options options = options_for(method, 3);
    const auto whole = OnlinePca<TypeParam>(options).partial_fit(rows).model();
    const auto head = OnlinePca<TypeParam>(options).partial_fit(rows.topRows(37)).model();
    const auto stopped = OnlinePca<TypeParam>(head).partial_fit(rows.bottomRows(this->kRows - 37)).model();
    EXPECT_LT(relative_difference(modelled_scatter(stopped), modelled_scatter(whole)),
              this->kRows * kEpsilon<TypeParam>)
        << roipca::name(method);
  }
}

// The drift guard must not restart its counter at every stop.
TYPED_TEST(Continue, StoppingOftenDoesNotLetTheBasisDrift) {
  const RowMatrix<TypeParam> rows = decaying_rows(20'000, 29, 0.8, 1).cast<TypeParam>();
  for (const Way& method : {Way(Method::kRoipca), Way(Method::kRoipca, UpdateEvery::kRow),
                            Way(Method::kFroipca), Way(Method::kIpca)}) {
    auto model = OnlinePca<TypeParam>(options_for(method, 3)).partial_fit(rows.topRows(50)).model();
    for (Index from = 50; from < 20'000; from += 50) {
      model = OnlinePca<TypeParam>(model).partial_fit(rows.middleRows(from, 50)).model();
    }
    // The tolerance of the guard, and a few roundings per update between two of its measurements.
    EXPECT_LT(orthonormality_error(as_columns(model.basis)), 2 * DriftGuard<TypeParam>::tolerance())
        << name(method);
  }
}

// A stop converts their state to eigenpairs or to orthonormal columns: this costs a few roundings, which the
// 200 rows after it may amplify slightly.
TYPED_TEST(Continue, FromAModelOfExactOrOjaGivesTheSameToRounding) {
  for (const Method method : {Method::kExact, Method::kOja}) {
    const Options options = options_for(method, 3);
    const auto stopped = this->stopping_every(200, options);
    const auto whole = this->never_stopping(options);
    EXPECT_LT(relative_difference(modelled_scatter(stopped), modelled_scatter(whole)),
              200 * kEpsilon<TypeParam>)
        << name(method);
  }
}

TYPED_TEST(Continue, FromABatchModelOfLowRankRowsEqualsABatchOfAllRows) {
  const RowMatrix<TypeParam> rows = low_rank_rows(200, 29, 3, 5).cast<TypeParam>();
  for (const Way& method : kLosslessMethods) {
    const auto head = batch_pca<TypeParam>(rows.topRows(80), options_for(method, 3));
    const auto all = batch_pca<TypeParam>(rows, options_for(method, 3));
    const auto model = OnlinePca<TypeParam>(head).partial_fit(rows.bottomRows(120)).model();
    // 120 updates, each a rotation of up to 13 + 1 columns.
    EXPECT_LT(relative_difference(modelled_scatter(model), modelled_scatter(all)),
              120 * 14 * kEpsilon<TypeParam>)
        << name(method);
  }
}

TYPED_TEST(Continue, FromABrokenModelIsRefused) {
  auto model = this->never_stopping(options_for(Method::kRoipca, 3));
  model.eigenvalues[0] = -1.0;
  EXPECT_THROW(OnlinePca<TypeParam>{model}, std::invalid_argument);
}

TYPED_TEST(Continue, FromAModelRowsOfAnotherWidthAreRefused) {
  OnlinePca<TypeParam> pca(this->never_stopping(options_for(Method::kRoipca, 3)));
  EXPECT_THROW(pca.partial_fit(to_rows(RowMatrix<TypeParam>::Ones(2, 28))), std::invalid_argument);
}

}  // namespace
}  // namespace roipca
