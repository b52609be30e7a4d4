// Sparse rows through the estimator: the answer of dense rows, whatever the rows and the calls are like.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "roipca/eigen.hpp"
#include "roipca/roipca.hpp"
#include "support/rows.hpp"
#include "support/same_bits.hpp"
#include "support/sparse_rows.hpp"

namespace roipca {
namespace {

using namespace support;

constexpr Options kTen = {.n_components = 10, .method = Method::kRoipca};

template <typename T>
Rows<T> rows_of(const std::vector<T>& dense, const Csr<T>& csr) {
  return {dense.data(), csr.count(), csr.columns};
}

// The largest difference of variances as a part of the first, and the distance of the subspaces.
template <typename T>
void expect_same_model(const Model<T>& a, const Model<T>& b, double tolerance) {
  ASSERT_EQ(a.features(), b.features());
  ASSERT_EQ(a.n_components, b.n_components);
  EXPECT_EQ(a.rows, b.rows);
  EXPECT_NEAR(a.weight, b.weight, 1e-12 * a.weight);
  for (Index j = 0; j < a.features(); ++j) {
    const auto i = static_cast<std::size_t>(j);
    ASSERT_NEAR(a.mean[i] + a.mean_tail[i], b.mean[i] + b.mean_tail[i], 1e-13 * (1.0 + std::abs(a.mean[i])));
    ASSERT_NEAR(a.scatter[i], b.scatter[i], tolerance * (1e-300 + a.trace()));
  }
  EXPECT_NEAR(a.trace(), b.trace(), tolerance * a.trace());
  const auto m = static_cast<std::size_t>(a.n_components);
  Index rank = 0;
  for (std::size_t i = 0; i < m; ++i) {
    EXPECT_NEAR(a.eigenvalues[i], b.eigenvalues[i], tolerance * a.eigenvalues[0]);
    rank += a.eigenvalues[i] > 0.0 ? 1 : 0;
  }
  const Eigen::MatrixXd u = as_columns(a.basis).leftCols(rank).template cast<double>();
  const Eigen::MatrixXd v = as_columns(b.basis).leftCols(rank).template cast<double>();
  EXPECT_LT(subspace_error(to_rows(u.transpose()), to_rows(v.transpose())), tolerance);
}

template <typename T>
void expect_dense_answer(const Csr<T>& csr, const Options& options, double tolerance,
                         const std::vector<double>& weights = {}) {
  const auto dense = csr.dense();
  const auto a = OnlinePca<T>(options).partial_fit(rows_of(dense, csr), weights).model();
  const auto b = OnlinePca<T>(options).partial_fit(csr.view(), weights).model();
  expect_same_model(a, b, tolerance);
}

// Rounding of products among rows that are not centred, over some hundreds of blocks.
constexpr double kDouble = 1e-10;
constexpr double kFloat = 1e-4;

TEST(SparseRows, GiveTheDenseAnswer) {
  expect_dense_answer(documents<double>(1500, 600, 30, 1), kTen, kDouble);
  expect_dense_answer(documents<float>(1500, 600, 30, 1), kTen, kFloat);
}

// Products of dense rows are rounded to float from 640 features on, if much is not held.
TEST(SparseRows, GiveTheDenseAnswerToTheRoundingOfDenseProducts) {
  expect_dense_answer(documents<double>(1500, 700, 30, 1), kTen,
                      double{std::numeric_limits<float>::epsilon()});
}

TEST(SparseRows, GiveTheDenseAnswerInLongStreams) {
  expect_dense_answer(documents<double>(20'000, 150, 30, 19), kTen, kDouble);
  expect_dense_answer(documents<float>(20'000, 150, 30, 19), kTen, kFloat);
}

TEST(SparseRows, GiveTheDenseAnswerWithoutCentring) {
  Options options = kTen;
  options.center = false;
  expect_dense_answer(documents<double>(1500, 600, 30, 2), options, kDouble);
}

TEST(SparseRows, GiveTheDenseAnswerWithWeightsAndForgetting) {
  const auto csr = documents<double>(900, 600, 30, 3);
  std::vector<double> weights(900);
  for (std::size_t i = 0; i < weights.size(); ++i)
    weights[i] = i % 5 == 0 ? 0.0 : 0.25 * static_cast<double>(1 + i % 7);
  Options options = kTen;
  expect_dense_answer(csr, options, kDouble, weights);
  options.forgetting = 0.995;
  expect_dense_answer(csr, options, kDouble, weights);
}

TEST(SparseRows, GiveTheDenseAnswerBesideARowThatOutweighsAllBefore) {
  const auto csr = documents<double>(400, 500, 30, 4);
  std::vector<double> weights(400, 1.0);
  weights[250] = 1e9;
  expect_dense_answer(csr, kTen, kDouble, weights);
}

// Variances are differences of sums, of which such a row has all but 1e-14.
TEST(SparseRows, GiveTheDenseVariancesBesideARowThatOutweighsAllDigits) {
  const auto csr = documents<double>(400, 500, 30, 4);
  std::vector<double> weights(400, 1.0);
  Options options = kTen;
  for (const double forgetting : {1.0, 0.995}) {
    options.forgetting = forgetting;
    for (const double heavy : {1e13, 1e16}) {
      weights[250] = heavy;
      expect_dense_answer(csr, options, kDouble, weights);
    }
  }
}

// It has a mean, and no component that could hold what the mean has to do with the next rows.
TEST(SparseRows, ResumeFromAModelOfOneRow) {
  const auto csr = documents<double>(15, 500, 30, 6);
  const auto dense = csr.dense();
  const auto whole = OnlinePca<double>(kTen).partial_fit(rows_of(dense, csr)).model();
  for (const Index first : {1, 2}) {
    OnlinePca<double> resumed(OnlinePca<double>(kTen).partial_fit(csr.view(0, first)).model());
    resumed.partial_fit(csr.view(first, 5));
    EXPECT_EQ(resumed.model().rows, first + 5);  // a reading, which changes nothing
    expect_same_model(whole, resumed.partial_fit(csr.view(first + 5, 10 - first)).model(), kDouble);
  }
}

TEST(SparseRows, GiveTheDenseAnswerByEveryMethod) {
  const auto csr = documents<double>(700, 300, 20, 5);
  const auto dense = csr.dense();
  for (const Method method : {Method::kAuto, Method::kIpca, Method::kFroipca, Method::kCcipca, Method::kGha,
                              Method::kOja, Method::kFrequentDirections, Method::kExact}) {
    Options options = {.n_components = 5, .method = method};
    SCOPED_TRACE(name(method));
    const auto a = OnlinePca<double>(options).fit(rows_of(dense, csr)).model();
    const auto b = OnlinePca<double>(options).fit(csr.view()).model();
    expect_same_model(a, b, kDouble);
  }
}

TEST(SparseRows, GiveTheSameBitsHoweverTheyAreCut) {
  const auto csr = documents<double>(700, 400, 25, 6);
  const auto whole = OnlinePca<double>(kTen).partial_fit(csr.view()).state();
  for (const Index cut : {1, 7, 64, 333}) {
    OnlinePca<double> pca(kTen);
    for (Index i = 0; i < csr.count(); i += cut) {
      pca.partial_fit(csr.view(i, std::min(cut, csr.count() - i)));
      if (i % 5 == 0) pca.model();  // reading does not disturb
    }
    EXPECT_EQ(pca.state(), whole) << "calls of " << cut << " rows";
  }
}

TEST(SparseRows, ResumeFromAStateWithTheSameBits) {
  const auto csr = documents<double>(600, 400, 25, 7);
  const auto whole = OnlinePca<double>(kTen).partial_fit(csr.view()).state();
  for (Index stop = 1; stop < csr.count(); stop += 23) {
    const auto state = OnlinePca<double>(kTen).partial_fit(csr.view(0, stop)).state();
    auto resumed = OnlinePca<double>::from_state(state);
    resumed.partial_fit(csr.view(stop, csr.count() - stop));
    ASSERT_EQ(resumed.state(), whole) << "stopped after " << stop;
  }
}

TEST(SparseRows, MixWithDenseRows) {
  const auto csr = documents<double>(900, 300, 40, 8);
  const auto dense = csr.dense();
  const Rows<double> rows = rows_of(dense, csr);
  OnlinePca<double> mixed(kTen);
  for (Index i = 0; i < 900; i += 150) {
    if (i % 300 == 0) {
      mixed.partial_fit(csr.view(i, 150));
    } else {
      mixed.partial_fit(rows.slice(i, 150));
    }
  }
  const auto a = OnlinePca<double>(kTen).partial_fit(rows).model();
  const auto b = mixed.model();
  EXPECT_EQ(a.rows, b.rows);
  // Blocks end elsewhere, which changes what is dropped; means and trace are exact.
  EXPECT_NEAR(a.trace(), b.trace(), 1e-12 * a.trace());
  const auto truth = batch_pca(rows, kTen);
  const auto leading = [](const Model<double>& model) { return to_rows(as_eigen(model.basis).topRows(10)); };
  EXPECT_LT(subspace_error(leading(b), leading(truth)),
            4.0 * subspace_error(leading(a), leading(truth)) + 1e-12);
}

TEST(SparseRows, MergeWithModelsOfDenseRows) {
  const auto csr = documents<double>(800, 300, 40, 9);
  const auto dense = csr.dense();
  const Rows<double> rows = rows_of(dense, csr);
  const auto sparse_half = OnlinePca<double>(kTen).partial_fit(csr.view(0, 400)).model();
  const auto dense_half = OnlinePca<double>(kTen).partial_fit(rows.slice(400, 400)).model();
  const auto other_half = OnlinePca<double>(kTen).partial_fit(rows.slice(0, 400)).model();
  expect_same_model(merge(other_half, dense_half), merge(sparse_half, dense_half), kDouble);
}

TEST(SparseRows, AreSharedByThreads) {
  const auto csr = documents<double>(3000, 300, 40, 10);
  Options options = kTen;
  options.threads = 2;
  expect_dense_answer(csr, options, kDouble);
}

TEST(SparseRows, MayBeEmptyOrUnsortedOrHaveDuplicatesAndExplicitZeros) {
  Csr<double> csr;
  csr.columns = 500;
  std::mt19937 random(11);
  for (Index i = 0; i < 600; ++i) {
    const Index entries = i % 9 == 0 ? 0 : 1 + static_cast<Index>(random() % 20);
    for (Index e = 0; e < entries; ++e) {
      const auto column = static_cast<Index>(random() % 300);  // the others are never seen
      const double size = std::pow(0.98, static_cast<double>(column));
      csr.push(column, random() % 4 == 0 ? 0.0 : size * (1.0 + static_cast<double>(random() % 5)));
      if (random() % 5 == 0) csr.push(column, -0.5);
    }
    csr.end_row();
  }
  expect_dense_answer(csr, kTen, kDouble);
}

TEST(SparseRows, MayBeEmptyFromTheStart) {
  Csr<double> csr;
  csr.columns = 300;
  for (Index i = 0; i < 100; ++i) csr.end_row();
  const auto model = OnlinePca<double>(kTen).partial_fit(csr.view()).model();
  EXPECT_EQ(model.trace(), 0.0);
  EXPECT_EQ(model.rows, 100);
}

TEST(SparseRows, MayRepeat) {
  Csr<double> csr = documents<double>(300, 400, 20, 12);
  Csr<double> twice;
  twice.columns = csr.columns;
  for (Index i = 0; i < csr.count(); ++i) {
    for (int copy = 0; copy < 3; ++copy) {
      twice.push_row(csr, i);
      twice.end_row();
    }
  }
  expect_dense_answer(twice, kTen, kDouble);
}

TEST(SparseRows, MayHaveADenseOneAmongThem) {
  Csr<double> csr = documents<double>(300, 400, 20, 13);
  for (Index j = 0; j < 400; ++j) csr.push(j, 1.0 + 0.01 * static_cast<double>(j));
  csr.end_row();
  const auto more = documents<double>(300, 400, 20, 14);
  csr.append(more);
  expect_dense_answer(csr, kTen, kDouble);
}

// Differences of products of such rows would lose all digits of the others.
TEST(SparseRows, KeepTheirDigitsBesideAColumnFarFromZero) {
  Csr<double> csr = documents<double>(600, 400, 20, 15);
  Csr<double> shifted;
  shifted.columns = csr.columns;
  for (Index i = 0; i < csr.count(); ++i) {
    shifted.push(399, 1e9);
    shifted.push_row(csr, i);
    shifted.end_row();
  }
  expect_dense_answer(shifted, kTen, kDouble);
}

TEST(SparseRows, MayBeHugeOrTiny) {
  for (const double scale : {1e120, 1e-120}) {
    Csr<double> csr = documents<double>(300, 400, 20, 16);
    for (double& value : csr.values) value *= scale;
    expect_dense_answer(csr, kTen, kDouble);
  }
}

template <typename T>
void expect_same_bits_times_a_power_of_two(int exponent) {
  Csr<T> csr = documents<T>(300, 400, 20, 16);
  const auto a = OnlinePca<T>(kTen).partial_fit(csr.view()).model();
  for (T& value : csr.values) value = std::ldexp(value, exponent);
  const auto b = OnlinePca<T>(kTen).partial_fit(csr.view()).model();
  EXPECT_TRUE(same_bits(a.basis, b.basis)) << exponent;
  for (std::size_t i = 0; i < a.eigenvalues.size(); ++i) {
    EXPECT_EQ(std::ldexp(a.eigenvalues[i], 2 * exponent), b.eigenvalues[i]) << exponent;
  }
  for (std::size_t j = 0; j < a.mean.size(); ++j) {
    EXPECT_EQ(std::ldexp(a.mean[j], exponent), b.mean[j]) << exponent;
    EXPECT_EQ(std::ldexp(a.scatter[j], 2 * exponent), b.scatter[j]) << exponent;
  }
}

TEST(SparseRows, KeepTheirBitsTimesAPowerOfTwo) {
  for (const int exponent : {-100, -30, 10, 100}) expect_same_bits_times_a_power_of_two<float>(exponent);
  for (const int exponent : {-400, -30, 10, 400}) expect_same_bits_times_a_power_of_two<double>(exponent);
}

// It is close to the mean of the first block, which takes all of its digits but nine: no component may be
// made of it that the other rows have.
TEST(SparseRows, GiveTheDenseAnswerBesideAHeavyRowOfTheFirstBlock) {
  constexpr Options kFive = {.n_components = 5, .method = Method::kRoipca, .block_size = 7};
  std::vector<double> weights(28, 1.0);
  weights[5] = 1000.0;
  for (unsigned seed = 1; seed <= 60; ++seed) {
    const RowMatrix<double> rows = normal_rows(28, 5, seed).array() + 5.0;
    Csr<double> csr;
    csr.columns = 5;
    for (Index i = 0; i < rows.rows(); ++i) {
      for (Index j = 0; j < 5; ++j) csr.push(j, rows(i, j));
      csr.end_row();
    }
    const auto a = OnlinePca<double>(kFive).partial_fit(rows, weights).model();
    const auto b = OnlinePca<double>(kFive).partial_fit(csr.view(), weights).model();
    // Products of rows have the rounding of 100 times the squares of their distances.
    for (std::size_t i = 0; i < 5; ++i) {
      EXPECT_NEAR(b.eigenvalues[i] / a.eigenvalues[i], 1.0, 1e4 * std::numeric_limits<double>::epsilon())
          << "seed " << seed;
    }
  }
}

TEST(SparseRows, HaveNoVarianceInAConstantColumn) {
  for (const Index count : {50, 250, 1000, 300000}) {
    for (const double constant : {0.1, 0.3, 1e8}) {
      const auto documents_of = documents<double>(count, 100, 20, 16);
      Csr<double> csr;
      csr.columns = 101;
      for (Index i = 0; i < count; ++i) {
        csr.push_row(documents_of, i);
        csr.push(100, constant);
        csr.end_row();
      }
      const auto model = OnlinePca<double>(kTen).partial_fit(csr.view()).model();
      EXPECT_EQ(model.scatter[100], 0.0) << count << " rows of " << constant;
    }
  }
}

// Some of them need dense arithmetic, others do not.
TEST(SparseRows, GiveTheDenseAnswerBesideARowOfAnotherSize) {
  for (const double size : {1e-30, 1e-10, 1e10, 1e17}) {
    Csr<float> csr = documents<float>(300, 400, 20, 16);
    for (auto e = csr.starts[150]; e < csr.starts[151]; ++e) {
      auto& value = csr.values[static_cast<std::size_t>(e)];
      value = static_cast<float>(value * size);
    }
    expect_dense_answer(csr, kTen, kFloat);
  }
}

template <typename T>
void expect_dense_scores(double tolerance) {
  const auto csr = documents<T>(400, 300, 25, 20);
  const auto dense = csr.dense();
  const Rows<T> rows = rows_of(dense, csr);
  const auto model = OnlinePca<T>(kTen).partial_fit(csr.view()).model();
  const double size = std::sqrt(model.trace());
  EXPECT_LT((as_eigen(model.transform(rows)) - as_eigen(model.transform(csr.view()))).cwiseAbs().maxCoeff(),
            tolerance * size);
  const auto expect_near = [&](const std::vector<double>& a, const std::vector<double>& b) {
    EXPECT_LT((as_eigen(a) - as_eigen(b)).cwiseAbs().maxCoeff(),
              tolerance * as_eigen(a).cwiseAbs().maxCoeff());
  };
  expect_near(model.t2(rows), model.t2(csr.view()));
  expect_near(model.spe(rows), model.spe(csr.view()));
  expect_near(model.log_likelihood(rows), model.log_likelihood(csr.view()));
  EXPECT_THROW(model.transform(documents<T>(3, 299, 5, 1).view()), std::invalid_argument);
}

TEST(SparseRows, HaveTheScoresOfDenseRows) {
  expect_dense_scores<double>(1e-12);
  expect_dense_scores<float>(1e-5);
}

TEST(SparseRows, AreRefusedWithTheRowAndNothingIsLost) {
  const auto good = documents<double>(200, 400, 20, 17);
  OnlinePca<double> pca(kTen);
  pca.partial_fit(good.view());
  const auto before = pca.state();
  const auto expect_refusal = [&](const Csr<double>& csr, Index row, const std::string& words) {
    try {
      pca.partial_fit(csr.view());
      ADD_FAILURE() << "accepted: " << words;
    } catch (const DataError& error) {
      EXPECT_EQ(error.row(), row);
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
    }
    EXPECT_EQ(pca.state(), before);
  };
  auto bad = good;
  bad.values[static_cast<std::size_t>(bad.starts[5])] = std::numeric_limits<double>::quiet_NaN();
  expect_refusal(bad, 5,
                 "NaN in column " + std::to_string(bad.indices[static_cast<std::size_t>(bad.starts[5])]));
  bad = good;
  bad.values[static_cast<std::size_t>(bad.starts[9])] = std::numeric_limits<double>::infinity();
  expect_refusal(bad, 9, "infinity");
  bad = good;
  bad.indices[static_cast<std::size_t>(bad.starts[7])] = 400;
  expect_refusal(bad, 7, "column index 400 is out of range: the rows have 400 columns");
  bad.indices[static_cast<std::size_t>(bad.starts[7])] = -1;
  expect_refusal(bad, 7, "column index -1 is out of range");
  bad = good;
  std::swap(bad.starts[20], bad.starts[22]);
  expect_refusal(bad, 20, "ends before it starts");

  auto wide = documents<double>(10, 401, 20, 18);
  EXPECT_THROW(pca.partial_fit(wide.view()), std::invalid_argument);
  EXPECT_EQ(pca.state(), before);
}

}  // namespace
}  // namespace roipca
