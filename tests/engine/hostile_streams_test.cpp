// Rows that nobody would wish for, in every combination of windows, scales, gaps and forgetting: a model that
// is valid, or an error that names the row and leaves everything as it was.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "roipca/errors.hpp"
#include "roipca/online_pca.hpp"
#include "roipca/refinement.hpp"
#include "support/models.hpp"
#include "support/rows.hpp"

namespace roipca {
namespace {

using namespace support;

constexpr Index kFeatures = 9;
constexpr Index kRows = 900;

std::vector<Options> ways() {
  std::vector<Options> result;
  for (const Method method : {Method::kRoipca, Method::kExact}) {
    for (const bool standardize : {false, true}) {
      for (const Index window : {0, 1, 2, 40, 900}) {
        Options options = {.n_components = 2, .method = method, .standardize = standardize, .first_rows = 50};
        options.missing = Missing::kImpute;
        if (window > 0) options.window = window;
        result.push_back(options);
        if (window > 0) continue;
        options.forgetting = 0.99;
        result.push_back(options);
      }
    }
  }
  return result;
}

std::string text(const Options& options) {
  return std::string(name(options.method)) + (options.standardize ? " standardized" : "") + " window " +
         std::to_string(options.window.value_or(0)) + " forgetting " + std::to_string(options.forgetting);
}

template <typename T>
class HostileStreams : public ::testing::Test {
 protected:
  static constexpr T kGap = std::numeric_limits<T>::quiet_NaN();

  static Model<T> learned(const Options& options, const RowMatrix<T>& rows) {
    const Model<T> model = OnlinePca<T>(options).partial_fit(rows).model();
    check(model);
    EXPECT_TRUE(all_finite(model)) << text(options);
    const OwnedRows<T> filled = model.impute(rows);
    const std::vector<double> t2 = model.t2(rows);
    for (Index i = 0; i < rows.rows(); ++i) {
      if (rows.row(i).hasNaN()) continue;
      EXPECT_TRUE(std::isfinite(t2[static_cast<std::size_t>(i)])) << text(options);
    }
    static_cast<void>(filled);
    return model;
  }
};
TYPED_TEST_SUITE(HostileStreams, Scalars);

TYPED_TEST(HostileStreams, GapsInConstantColumnsAreFilledByTheConstant) {
  RowMatrix<TypeParam> rows = normal_rows(kRows, kFeatures, 1).template cast<TypeParam>();
  rows.col(3).setConstant(TypeParam{0.1F});
  rows.col(4).setConstant(TypeParam{0});
  for (Index i = 0; i < kRows; i += 2) rows(i, 3) = rows(i, 4) = this->kGap;
  for (const Options& options : ways()) {
    const auto model = this->learned(options, rows);
    if (options.window == 1) continue;  // one row: both columns may be missing in it
    const double rounding = 8.0 * kEpsilon<TypeParam>;
    EXPECT_NEAR(model.mean[3], double{TypeParam{0.1F}}, rounding) << text(options);
    EXPECT_NEAR(model.mean[4], 0.0, rounding) << text(options);
    EXPECT_LT(model.feature_variance()[3], 1e-12) << text(options);
    EXPECT_LT(model.feature_variance()[4], 1e-12) << text(options);
    if (options.standardize) {
      EXPECT_EQ(model.scale[3], 1.0) << text(options);
      EXPECT_EQ(model.scale[4], 1.0) << text(options);
    }
    EXPECT_NEAR(double{model.impute(rows)(0, 3)}, double{TypeParam{0.1F}}, 1e-3) << text(options);
  }
}

TYPED_TEST(HostileStreams, AWindowOfOneRowIsThatRow) {
  RowMatrix<TypeParam> rows = normal_rows(kRows, kFeatures, 2).template cast<TypeParam>();
  for (Index i = 0; i < kRows; i += 3) rows(i, 1) = this->kGap;
  for (const bool standardize : {false, true}) {
    Options options = {.n_components = 2, .standardize = standardize, .first_rows = 50};
    options.missing = Missing::kImpute;
    options.window = 1;
    OnlinePca<TypeParam> pca(options);
    for (Index i = 0; i < kRows; ++i) {
      pca.partial_fit(rows.middleRows(i, 1));
      if (i < 60 || i % 100 == 0) {
        const auto model = pca.model();
        check(model);
        EXPECT_EQ(model.rows, 1);
        EXPECT_EQ(model.rows_before, i);
        EXPECT_NEAR(model.mean[0], double{rows(i, 0)},
                    8.0 * kEpsilon<TypeParam> * std::abs(double{rows(i, 0)}) + 1e-7);
        EXPECT_NEAR(model.trace(), 0.0, 1e-10);
      }
    }
  }
}

TYPED_TEST(HostileStreams, EverythingMissingIsCountedAndNothingIsLearned) {
  const RowMatrix<TypeParam> nothing = RowMatrix<TypeParam>::Constant(70, kFeatures, this->kGap);
  const RowMatrix<TypeParam> rows = normal_rows(200, kFeatures, 3).template cast<TypeParam>();
  for (const Options& options : ways()) {
    OnlinePca<TypeParam> pca(options);
    pca.partial_fit(nothing);
    EXPECT_EQ(pca.rows_seen(), 0) << text(options);
    EXPECT_THROW(pca.model(), std::logic_error) << text(options);
    pca.partial_fit(rows).partial_fit(nothing);
    EXPECT_EQ(pca.rows_seen(), 200) << text(options);
    EXPECT_EQ(pca.model().empty_rows, 140) << text(options);
    const auto without = OnlinePca<TypeParam>(options).partial_fit(rows).model();
    EXPECT_EQ(pca.model().eigenvalues, without.eigenvalues) << text(options);
    EXPECT_EQ(pca.model().rows, without.rows) << text(options);
  }
}

TYPED_TEST(HostileStreams, AnInfinityAmongGapsIsRefusedAndChangesNothing) {
  RowMatrix<TypeParam> rows = normal_rows(200, kFeatures, 4).template cast<TypeParam>();
  for (Index i = 0; i < 200; i += 2) rows(i, 1) = this->kGap;
  RowMatrix<TypeParam> bad = rows;
  bad(150, 1) = this->kGap;
  bad(150, 2) = std::numeric_limits<TypeParam>::infinity();
  for (const Options& options : ways()) {
    OnlinePca<TypeParam> pca(options);
    pca.partial_fit(rows);
    const auto before = pca.model();
    try {
      pca.partial_fit(bad);
      ADD_FAILURE() << "accepted: " << text(options);
    } catch (const DataError& error) {
      EXPECT_EQ(error.row(), 150) << text(options);
      EXPECT_NE(std::string(error.what()).find("inf"), std::string::npos) << error.what();
    }
    EXPECT_EQ(first_difference(pca.model(), before), "") << text(options);
  }
}

TYPED_TEST(HostileStreams, ScalesOverThirtyDecadesStayApart) {
  RowMatrix<double> wide = normal_rows(kRows, kFeatures, 5);
  for (Index j = 0; j < kFeatures; ++j)
    wide.col(j) *= std::pow(10.0, 30.0 * double(j) / (kFeatures - 1) - 15.0);
  RowMatrix<TypeParam> rows = wide.cast<TypeParam>();
  for (Index i = 0; i < kRows; i += 5) rows(i, i % kFeatures) = this->kGap;
  for (const Options& options : ways()) {
    const auto model = this->learned(options, rows);
    if (!options.standardize || options.window.value_or(900) < 40) continue;
    // Independent columns in their own units: no direction has much more than its share.
    EXPECT_LT(model.explained_variance()[0], 4.0) << text(options);
    EXPECT_GT(model.explained_variance()[0], 0.5) << text(options);
    for (Index j = 0; j < kFeatures; ++j) {
      const double scale = model.scale[static_cast<std::size_t>(j)];
      EXPECT_NEAR(std::log10(scale), 30.0 * double(j) / (kFeatures - 1) - 15.0, 0.3) << text(options);
    }
    if (options.window || options.forgetting < 1.0) continue;
    const auto refined = Refinement<TypeParam>(model).add(rows).finish();
    check(refined);
    for (const double ratio : refined.scale_ratio()) EXPECT_NEAR(ratio, 1.0, 1e-9) << text(options);
  }
}

}  // namespace
}  // namespace roipca
