// Bad input is refused with an error that names it, and the estimator is unchanged.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "roipca/online_pca.hpp"
#include "support/models.hpp"
#include "support/rows.hpp"

namespace roipca {
namespace {

using namespace support;

template <typename T>
class BadInput : public ::testing::Test {
 protected:
  static constexpr Index kFeatures = 6;
  static constexpr T kNan = std::numeric_limits<T>::quiet_NaN();
  static constexpr T kInf = std::numeric_limits<T>::infinity();
  const RowMatrix<T> good_ = normal_rows(40, kFeatures, 1).cast<T>();

  RowMatrix<T> with(T value, Index row, Index column) const {
    RowMatrix<T> rows = good_;
    rows(row, column) = value;
    return rows;
  }

  using Call = std::function<void(OnlinePca<T>&)>;

  // Returns the message of the Error that `call` throws; fails if it throws none or another one.
  template <typename Error>
  static std::string refusal(OnlinePca<T>& pca, const Call& call) {
    try {
      call(pca);
    } catch (const Error& error) {
      return error.what();
    } catch (const std::exception& error) {
      ADD_FAILURE() << "another exception: " << error.what();
    }
    ADD_FAILURE() << "accepted";
    return {};
  }

  // Expects a refusal whose message contains each of `parts`, and an unchanged estimator, also for one
  // without rows.
  template <typename Error>
  void expect_refused(const Call& call, const std::vector<std::string>& parts) const {
    for (const Way& method : kAllMethods) {
      SCOPED_TRACE(name(method));
      OnlinePca<T> pca(options_for(method, 2));
      pca.partial_fit(good_);
      const auto before = pca.model();
      const std::string message = refusal<Error>(pca, call);
      for (const auto& part : parts) EXPECT_NE(message.find(part), std::string::npos) << message;
      EXPECT_EQ(first_difference(pca.model(), before), "");
    }
  }
  template <typename Error>
  void expect_refused_before_the_first_row(const Call& call) const {
    for (const Way& method : kAllMethods) {
      SCOPED_TRACE(name(method));
      OnlinePca<T> pca(options_for(method, 2));
      refusal<Error>(pca, call);
      EXPECT_EQ(pca.features(), 0);
      const RowMatrix<T> wider = normal_rows(9, kFeatures + 3, 2).cast<T>();
      const auto model = pca.partial_fit(wider).model();
      EXPECT_EQ(first_difference(model, OnlinePca<T>(options_for(method, 2)).partial_fit(wider).model()), "");
    }
  }
};
TYPED_TEST_SUITE(BadInput, Scalars);

TYPED_TEST(BadInput, ANanInAnyRowIsRefusedWithItsPlace) {
  for (const Index row : {0, 20, 39}) {
    const auto rows = this->with(this->kNan, row, 3);
    this->template expect_refused<DataError>([&](auto& pca) { pca.partial_fit(rows); },
                                             {"row " + std::to_string(row) + ":", "NaN", "column 3"});
  }
}

TYPED_TEST(BadInput, AnInfinityInAnyRowIsRefusedWithItsPlace) {
  for (const Index row : {0, 20, 39}) {
    for (const TypeParam value : {this->kInf, -this->kInf}) {
      const auto rows = this->with(value, row, 5);
      this->template expect_refused<DataError>([&](auto& pca) { pca.partial_fit(rows); },
                                               {"row " + std::to_string(row) + ":", "infinity", "column 5"});
    }
  }
}

TYPED_TEST(BadInput, TheErrorHasItsRow) {
  OnlinePca<TypeParam> pca(options_for(Method::kRoipca, 2));
  try {
    pca.partial_fit(this->with(this->kNan, 20, 0));
    FAIL() << "accepted";
  } catch (const DataError& error) {
    EXPECT_EQ(error.row(), 20);
    EXPECT_EQ("row 20: " + std::string(error.reason()), error.what());
  }
}

TYPED_TEST(BadInput, ANanInAnUpdateIsRefused) {
  const Vector<TypeParam> row = this->with(this->kNan, 0, 2).row(0);
  this->template expect_refused<DataError>([&](auto& pca) { pca.update(row); },
                                           {"row 0:", "NaN", "column 2"});
}

TYPED_TEST(BadInput, ANanInFitIsRefused) {
  const auto rows = this->with(this->kNan, 39, 2);
  this->template expect_refused<DataError>([&](auto& pca) { pca.fit(rows); }, {"row 39:", "NaN", "column 2"});
}

TYPED_TEST(BadInput, BadRowsBeforeTheFirstGoodOneDoNotSetTheWidth) {
  const auto rows = this->with(this->kNan, 20, 3);
  this->template expect_refused_before_the_first_row<DataError>([&](auto& pca) { pca.partial_fit(rows); });
  this->template expect_refused_before_the_first_row<DataError>([&](auto& pca) { pca.fit(rows); });
}

TYPED_TEST(BadInput, AWrongWidthIsRefusedWithBothNumbers) {
  const RowMatrix<TypeParam> rows = RowMatrix<TypeParam>::Ones(3, 7);
  this->template expect_refused<std::invalid_argument>([&](auto& pca) { pca.partial_fit(rows); },
                                                       {"7 features", "6 features"});
}

TYPED_TEST(BadInput, NoRowsAreRefused) {
  const RowMatrix<TypeParam> rows(0, 6);
  this->template expect_refused<std::invalid_argument>([&](auto& pca) { pca.partial_fit(rows); },
                                                       {"no rows"});
  this->template expect_refused<std::invalid_argument>([&](auto& pca) { pca.fit(rows); }, {"no rows"});
}

TYPED_TEST(BadInput, RowsWithoutColumnsAreRefused) {
  const RowMatrix<TypeParam> rows(3, 0);
  this->template expect_refused<std::invalid_argument>([&](auto& pca) { pca.partial_fit(rows); },
                                                       {"no features"});
  this->template expect_refused_before_the_first_row<std::invalid_argument>(
      [&](auto& pca) { pca.partial_fit(rows); });
}

TYPED_TEST(BadInput, MoreComponentsThanFeaturesAreRefusedWithBothNumbers) {
  const RowMatrix<TypeParam> narrow = RowMatrix<TypeParam>::Ones(3, 1);
  this->template expect_refused_before_the_first_row<std::invalid_argument>(
      [&](auto& pca) { pca.partial_fit(narrow); });
  this->template expect_refused<std::invalid_argument>([&](auto& pca) { pca.fit(narrow); },
                                                       {"2", "1 feature"});
}

TYPED_TEST(BadInput, ABadWeightIsRefusedWithItsRow) {
  for (const double weight : {-1.0, std::numeric_limits<double>::quiet_NaN(), HUGE_VAL}) {
    Vector<double> weights = Vector<double>::Ones(40);
    weights[17] = weight;
    this->template expect_refused<DataError>([&](auto& pca) { pca.partial_fit(this->good_, weights); },
                                             {"row 17:", "weight"});
    this->template expect_refused<DataError>(
        [&](auto& pca) { pca.update(this->good_.row(0).transpose(), weight); }, {"weight"});
  }
}

TYPED_TEST(BadInput, AWrongNumberOfWeightsIsRefusedWithBothNumbers) {
  const Vector<double> weights = Vector<double>::Ones(39);
  this->template expect_refused<std::invalid_argument>(
      [&](auto& pca) { pca.partial_fit(this->good_, weights); }, {"39 weights", "40 rows"});
}

TYPED_TEST(BadInput, FitWithoutAnyWeightIsRefused) {
  const Vector<double> weights = Vector<double>::Zero(40);
  this->template expect_refused<std::invalid_argument>([&](auto& pca) { pca.fit(this->good_, weights); },
                                                       {"weight"});
}

class TooLarge : public BadInput<double>, public ::testing::WithParamInterface<double> {};
INSTANTIATE_TEST_SUITE_P(Double, TooLarge, ::testing::Values(1.7e308, -1.7e308, 1e300, 2e151));

TEST_P(TooLarge, ANumberWhoseSquareIsOutOfRangeIsRefusedWithItsPlace) {
  const auto rows = with(GetParam(), 20, 3);
  expect_refused<DataError>([&](auto& pca) { pca.partial_fit(rows); }, {"row 20:", "too large", "column 3"});
}

TYPED_TEST(BadInput, OptionsOutOfRangeAreRefused) {
  Options options;
  options.forgetting = 0.0;
  EXPECT_THROW(OnlinePca<TypeParam>{options}, std::invalid_argument);
}

}  // namespace
}  // namespace roipca
