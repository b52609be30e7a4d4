// Sparse rows of so many features that thousands of them are added at once: batch PCA is the oracle.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <random>

#include "estimator/readings.hpp"
#include "roipca/eigen.hpp"
#include "roipca/roipca.hpp"
#include "sparse/sparse_stream.hpp"
#include "support/same_bits.hpp"
#include "support/sparse_rows.hpp"

namespace roipca {
namespace {

using namespace support;

constexpr Options kTen = {.n_components = 10, .method = Method::kRoipca};
// 400 rows are added at once.
constexpr Index kWords = 1600;

template <typename T>
Rows<T> rows_of(const std::vector<T>& dense, const Csr<T>& csr) {
  return {dense.data(), csr.count(), csr.columns};
}

template <typename T>
OwnedRows<double> leading(const Model<T>& model) {
  const Eigen::MatrixXd rows = as_eigen(model.basis).topRows(model.n_components).template cast<double>();
  return to_rows(rows);
}

// The part of the variance along batch PCA's components that the model's components miss, at most about.
template <typename T>
double missed(const Model<T>& model, const Model<T>& truth) {
  const Eigen::MatrixXd u = as_columns(model.basis).leftCols(model.n_components).template cast<double>();
  const Eigen::MatrixXd v = as_columns(truth.basis).template cast<double>();
  const Eigen::VectorXd values = as_eigen(truth.eigenvalues);
  const double captured = ((v.transpose() * u).rowwise().squaredNorm().array() * values.array()).sum();
  return 1.0 - captured / values.head(model.n_components).sum();
}

template <typename T>
void expect_moments_of(const Model<T>& model, const Model<T>& truth, double rounding) {
  EXPECT_EQ(model.rows, truth.rows);
  EXPECT_NEAR(model.weight, truth.weight, 1e-12 * truth.weight);
  EXPECT_NEAR(model.trace(), truth.trace(), rounding * truth.trace());
  for (std::size_t j = 0; j < truth.mean.size(); ++j) {
    ASSERT_NEAR(model.mean[j] + model.mean_tail[j], truth.mean[j] + truth.mean_tail[j], rounding);
  }
  const Eigen::MatrixXd u = as_columns(model.basis).template cast<double>();
  const Eigen::MatrixXd identity = Eigen::MatrixXd::Identity(u.cols(), u.cols());
  EXPECT_LT((u.transpose() * u - identity).cwiseAbs().maxCoeff(),
            512.0 * double{std::numeric_limits<T>::epsilon()});
}

// No further from batch PCA than dense rows are, which are added by small blocks.
template <typename T>
void expect_nearer_than_dense(const Csr<T>& csr, const Options& options, double rounding,
                              const std::vector<double>& weights = {}) {
  const auto dense = csr.dense();
  const auto truth = batch_pca<T>(rows_of(dense, csr), options, weights);
  const auto by_blocks = OnlinePca<T>(options).partial_fit(rows_of(dense, csr), weights).model();
  const auto model = OnlinePca<T>(options).partial_fit(csr.view(), weights).model();
  expect_moments_of(model, truth, rounding);
  EXPECT_LT(subspace_error(leading(model), leading(truth)),
            subspace_error(leading(by_blocks), leading(truth)) + rounding);
  EXPECT_LT(missed(model, truth), missed(by_blocks, truth) + rounding);
}

constexpr double kDouble = 1e-10;
constexpr double kFloat = 1e-4;

TEST(WideRows, AreNearerToBatchPcaThanDenseRows) {
  expect_nearer_than_dense(documents<double>(460, kWords, 30, 1), kTen, kDouble);
  expect_nearer_than_dense(documents<float>(460, kWords, 30, 1), kTen, kFloat);
}

TEST(WideRows, AreNearerToBatchPcaWithoutCentring) {
  Options options = kTen;
  options.center = false;
  expect_nearer_than_dense(documents<double>(460, kWords, 30, 2), options, kDouble);
}

TEST(WideRows, AreNearerToBatchPcaWithWeightsAndForgetting) {
  const auto csr = documents<double>(520, kWords, 30, 3);
  std::vector<double> weights(520);
  for (std::size_t i = 0; i < weights.size(); ++i)
    weights[i] = i % 5 == 0 ? 0.0 : 0.25 * static_cast<double>(1 + i % 7);
  Options options = kTen;
  expect_nearer_than_dense(csr, options, kDouble, weights);
  options.forgetting = 0.995;
  expect_nearer_than_dense(csr, options, kDouble, weights);
}

TEST(WideRows, AreNearerToBatchPcaBesideARowThatOutweighsAllBefore) {
  std::vector<double> weights(520, 1.0);
  weights[450] = 1e9;
  expect_nearer_than_dense(documents<double>(520, kWords, 30, 4), kTen, kDouble, weights);
}

TEST(WideRows, HaveTheEigenvaluesOfBatchPcaWhileAllAreHeld) {
  const auto csr = documents<double>(300, kWords, 30, 5);
  const auto dense = csr.dense();
  const auto truth = batch_pca<double>(rows_of(dense, csr), kTen);
  const auto model = OnlinePca<double>(kTen).partial_fit(csr.view()).model();
  // The tolerance of the iteration that finds them.
  EXPECT_LT(missed(model, truth), 1e-2);
  for (std::size_t i = 0; i < 10; ++i) {
    EXPECT_NEAR(model.eigenvalues[i], truth.eigenvalues[i], 2e-2 * truth.eigenvalues[i]);
  }
}

template <typename T>
void expect_the_same_without_the_others(const Csr<T>& csr) {
  OnlinePca<T> pca(kTen);
  pca.partial_fit(csr.view());
  const auto reported = pca.reported();
  EXPECT_EQ(pca.reported(), reported);  // the same object
  const auto all = pca.snapshot();
  ASSERT_EQ(reported->basis.rows(), 10);
  ASSERT_GT(all->basis.rows(), 10);
  EXPECT_EQ(reported->components(), all->components());
  EXPECT_EQ(reported->explained_variance(), all->explained_variance());
  EXPECT_EQ(reported->noise_variance(), all->noise_variance());
  EXPECT_EQ(reported->mean, all->mean);
  EXPECT_EQ(reported->transform(csr.view()), all->transform(csr.view()));
  EXPECT_EQ(reported->spe(csr.view()), all->spe(csr.view()));
}

TEST(WideRows, HaveTheSameReportedComponentsWithoutTheOthers) {
  expect_the_same_without_the_others(documents<double>(300, kWords, 30, 5));
  expect_the_same_without_the_others(documents<float>(300, kWords, 30, 5));
}

// Three words count so much more than the others that the first eigenvalue is hundreds of times the last.
template <typename T>
Csr<T> with_heavy_words(T factor) {
  auto csr = documents<T>(300, kWords, 30, 5);
  for (std::size_t e = 0; e < csr.values.size(); ++e) {
    if (csr.indices[e] < 3) csr.values[e] *= factor;
  }
  return csr;
}

template <typename T>
void expect_orthonormal(const Csr<T>& csr, double least_ratio) {
  const auto model = OnlinePca<T>(kTen).partial_fit(csr.view()).model();
  EXPECT_GT(model.eigenvalues.front(), least_ratio * model.eigenvalues.back());
  const Eigen::MatrixXd u = as_columns(model.basis).template cast<double>();
  const Eigen::MatrixXd identity = Eigen::MatrixXd::Identity(u.cols(), u.cols());
  EXPECT_LT((u.transpose() * u - identity).cwiseAbs().maxCoeff(),
            512.0 * double{std::numeric_limits<T>::epsilon()});
}

TEST(WideRows, HaveOrthonormalComponentsOfVeryDifferentVariances) {
  expect_orthonormal(with_heavy_words<double>(10.0), 64.0);
  expect_orthonormal(with_heavy_words<float>(10.0F), 64.0);
  expect_orthonormal(with_heavy_words<double>(40.0), 1024.0);
  expect_orthonormal(with_heavy_words<float>(40.0F), 1024.0);
  expect_orthonormal(with_heavy_words<double>(1000.0), 1e5);
  expect_nearer_than_dense(with_heavy_words<double>(10.0), kTen, kDouble);
}

TEST(WideRows, HaveTheSameReportedComponentsOfVeryDifferentVariancesWithoutTheOthers) {
  expect_the_same_without_the_others(with_heavy_words<double>(10.0));
  expect_the_same_without_the_others(with_heavy_words<float>(10.0F));
}

TEST(WideRows, AreReadInFullIfTheReportedComponentsDependOnTheOthers) {
  const auto csr = documents<double>(460, kWords, 30, 5);
  OnlinePca<double> after_a_block(kTen);
  after_a_block.partial_fit(csr.view());
  EXPECT_EQ(after_a_block.reported(), after_a_block.snapshot());
  OnlinePca<double> with_probes({.n_components = 10, .method = Method::kRoipca, .probes = 4});
  with_probes.partial_fit(csr.view(0, 300));
  EXPECT_EQ(with_probes.reported(), with_probes.snapshot());
  OnlinePca<double> aligned({.n_components = 10, .method = Method::kRoipca, .align = Align::kPrevious});
  aligned.partial_fit(csr.view(0, 300));
  EXPECT_EQ(aligned.reported(), aligned.snapshot());
}

// The others are then found on the way, and the model has them, as if it had been read in full.
template <typename T>
void expect_all_components(const Csr<T>& csr) {
  SparseStream<T> stream(kTen, csr.columns);
  for (Index i = 0; i < csr.count(); ++i) ASSERT_TRUE(stream.absorb(csr.view(), i, 1.0));
  const auto reported = stream.reported();
  ASSERT_TRUE(reported.has_value());
  EXPECT_GT(reported->basis.rows(), 10);
  EXPECT_EQ(first_difference(*reported, *stream.model()), "");
}

TEST(WideRows, AreReadInFullAtOnceIfTheReportedComponentsDependOnTheOthers) {
  expect_all_components(with_heavy_words<double>(1000.0));
  expect_all_components(with_heavy_words<float>(1000.0F));
}

// The eigenvalues of 16 different rows sum to the trace, but for rounding in either direction.
TEST(WideRows, AreReadAtOnceIfTheComponentsLeaveNothing) {
  for (const unsigned seed : {1U, 2U, 3U, 4U, 5U, 6U}) {
    const auto different = documents<double>(16, kWords, 30, seed);
    SparseStream<double> stream(kTen, kWords);
    for (Index i = 0; i < 300; ++i) ASSERT_TRUE(stream.absorb(different.view(), i % 16, 1.0));
    const auto reported = stream.reported();
    ASSERT_TRUE(reported.has_value()) << seed;
    EXPECT_EQ(reported->components(), stream.model()->components()) << seed;
  }
}

TEST(WideRows, AreNotReadAgainAfterAFullReading) {
  Model<double> full =
      OnlinePca<double>(kTen).partial_fit(documents<double>(300, kWords, 30, 5).view()).model();
  const Readings<double> readings;
  int times = 0;
  const auto read = [&] {
    ++times;
    return full;
  };
  const auto reported = readings.get_reported(read, [&] { return std::optional(full); });
  EXPECT_EQ(readings.get(read), reported);
  EXPECT_EQ(times, 0);
}

TEST(WideRows, AreReadAgainAfterMoreRows) {
  const auto csr = documents<double>(300, kWords, 30, 5);
  OnlinePca<double> pca(kTen);
  pca.partial_fit(csr.view(0, 200));
  EXPECT_EQ(pca.reported()->rows, 200);
  pca.partial_fit(csr.view(200, 100));
  EXPECT_EQ(pca.reported()->rows, 300);
}

TEST(WideRows, GiveTheSameBitsHoweverTheyAreCutAndRead) {
  const auto csr = documents<double>(700, kWords, 25, 6);
  const auto whole = OnlinePca<double>(kTen).partial_fit(csr.view()).state();
  for (const Index cut : {7, 111, 400}) {
    OnlinePca<double> pca(kTen);
    for (Index i = 0; i < csr.count(); i += cut) {
      pca.partial_fit(csr.view(i, std::min(cut, csr.count() - i)));
      if (i % 3 == 0) pca.model();  // reading does not disturb
    }
    EXPECT_EQ(pca.state(), whole) << "calls of " << cut << " rows";
  }
}

TEST(WideRows, ResumeFromAStateWithTheSameBits) {
  const auto csr = documents<double>(600, kWords, 25, 7);
  const auto whole = OnlinePca<double>(kTen).partial_fit(csr.view()).state();
  for (const Index stop : {1, 24, 25, 300, 399, 400, 401, 500}) {
    const auto state = OnlinePca<double>(kTen).partial_fit(csr.view(0, stop)).state();
    auto resumed = OnlinePca<double>::from_state(state);
    resumed.partial_fit(csr.view(stop, csr.count() - stop));
    ASSERT_EQ(resumed.state(), whole) << "stopped after " << stop;
  }
}

TEST(WideRows, MixWithDenseRowsAndMerge) {
  const auto csr = documents<double>(600, kWords, 30, 8);
  const auto dense = csr.dense();
  const Rows<double> rows = rows_of(dense, csr);
  const auto truth = batch_pca(rows, kTen);
  const auto by_blocks = OnlinePca<double>(kTen).partial_fit(rows).model();
  OnlinePca<double> mixed(kTen);
  mixed.partial_fit(csr.view(0, 450));
  mixed.partial_fit(rows.slice(450, 30));
  mixed.partial_fit(csr.view(480, 120));
  const auto model = mixed.model();
  expect_moments_of(model, truth, kDouble);
  EXPECT_LT(missed(model, truth), missed(by_blocks, truth));
  const auto merged = merge(OnlinePca<double>(kTen).partial_fit(csr.view(0, 300)).model(),
                            OnlinePca<double>(kTen).partial_fit(csr.view(300, 300)).model());
  expect_moments_of(merged, truth, kDouble);
  EXPECT_LT(missed(merged, truth), missed(by_blocks, truth));
}

TEST(WideRows, AreSharedByThreads) {
  Options options = kTen;
  options.threads = 2;
  // The first thread gets 464 of them.
  expect_nearer_than_dense(documents<double>(720, kWords, 30, 10), options, kDouble);
}

// Six different rows span five dimensions about their mean.
TEST(WideRows, MayHaveFewDirections) {
  const auto six = documents<double>(6, kWords, 30, 11);
  Csr<double> csr;
  csr.columns = kWords;
  for (Index i = 0; i < 460; ++i) {
    csr.push_row(six, i * i % 6);
    csr.end_row();
  }
  const auto dense = csr.dense();
  const auto truth = batch_pca<double>(rows_of(dense, csr), kTen);
  const auto model = OnlinePca<double>(kTen).partial_fit(csr.view()).model();
  for (std::size_t i = 0; i < 10; ++i) {
    EXPECT_NEAR(model.eigenvalues[i], truth.eigenvalues[i], 1e-12 * truth.eigenvalues[0]);
  }
  EXPECT_LT(missed(model, truth), 1e-12);
}

TEST(WideRows, MayBeEmptyFromTheStart) {
  Csr<double> csr;
  csr.columns = kWords;
  for (Index i = 0; i < 410; ++i) csr.end_row();
  OnlinePca<double> pca(kTen);
  EXPECT_EQ(pca.partial_fit(csr.view()).model().trace(), 0.0);
  const auto more = documents<double>(100, kWords, 30, 12);
  const auto model = pca.partial_fit(more.view()).model();
  EXPECT_EQ(model.rows, 510);
  auto all = csr;
  all.append(more);
  expect_nearer_than_dense(all, kTen, kDouble);
}

TEST(WideRows, MayBeUnsortedOrEmptyOrHaveDuplicatesAndExplicitZeros) {
  const auto given = documents<double>(460, kWords - 100, 30, 16);  // the last 100 words are never seen
  Csr<double> csr;
  csr.columns = kWords;
  std::mt19937 random(17);
  for (Index i = 0; i < given.count(); ++i) {
    const auto first = static_cast<std::size_t>(given.starts[static_cast<std::size_t>(i)]);
    auto e = static_cast<std::size_t>(given.starts[static_cast<std::size_t>(i) + 1]);
    while (i % 9 != 0 && e-- > first) {  // backwards
      csr.push(given.indices[e], given.values[e]);
      if (random() % 5 == 0) csr.push(given.indices[e], -0.5);
      if (random() % 5 == 0) csr.push(static_cast<Index>(random() % kWords), 0.0);
    }
    csr.end_row();
  }
  expect_nearer_than_dense(csr, kTen, kDouble);
}

TEST(WideRows, MayHaveADenseOneAmongThem) {
  auto csr = documents<double>(200, kWords, 30, 18);
  for (Index j = 0; j < kWords; ++j) csr.push(j, 0.1 + 0.001 * static_cast<double>(j));
  csr.end_row();
  csr.append(documents<double>(260, kWords, 30, 19));
  expect_nearer_than_dense(csr, kTen, kDouble);
}

TEST(WideRows, AreRefusedWithTheRowAndNothingIsLost) {
  const auto good = documents<double>(460, kWords, 30, 20);
  OnlinePca<double> pca(kTen);
  pca.partial_fit(good.view(0, 100));  // they wait for others
  const auto before = pca.state();
  const auto expect_refusal = [&](Index row, double value, Index column) {
    auto bad = good;
    const auto entry = static_cast<std::size_t>(bad.starts[static_cast<std::size_t>(row)]);
    bad.values[entry] = value;
    bad.indices[entry] = column;
    try {
      pca.partial_fit(bad.view());
      ADD_FAILURE() << "accepted " << value << " in column " << column;
    } catch (const DataError& error) {
      EXPECT_EQ(error.row(), row);
    }
    EXPECT_EQ(pca.state(), before);
  };
  expect_refusal(459, std::numeric_limits<double>::quiet_NaN(), 0);
  expect_refusal(450, std::numeric_limits<double>::infinity(), 0);
  expect_refusal(7, 1.0, kWords);
  expect_refusal(459, 1.0, -1);
  OnlinePca<double> undisturbed(kTen);
  undisturbed.partial_fit(good.view());
  pca.partial_fit(good.view(100, 360));
  EXPECT_EQ(pca.state(), undisturbed.state());
}

// What is left of such rows once the mean is taken out is a difference of large numbers: small blocks of
// dense rows take over.
TEST(WideRows, KeepTheirDigitsBesideAColumnFarFromZero) {
  const auto csr = documents<double>(500, kWords, 20, 13);
  Csr<double> shifted;
  shifted.columns = csr.columns;
  for (Index i = 0; i < csr.count(); ++i) {
    shifted.push_row(csr, i);
    shifted.push(kWords - 1, 1e9);
    shifted.end_row();
  }
  const auto dense = shifted.dense();
  const auto a = OnlinePca<double>(kTen).partial_fit(rows_of(dense, shifted)).model();
  const auto b = OnlinePca<double>(kTen).partial_fit(shifted.view()).model();
  EXPECT_LT(subspace_error(leading(a), leading(b)), kDouble);
}

TEST(WideRows, AreScoredBeforeTheyAreLearned) {
  const auto csr = documents<double>(700, kWords, 30, 14);
  const auto model = OnlinePca<double>(kTen).partial_fit(csr.view()).model();
  const auto held_out = documents<double>(400, kWords, 30, 15);
  const auto spe = model.spe(held_out.view());
  const double mean = as_eigen(spe).mean();
  ASSERT_FALSE(model.prequential.spe_mean.empty());
  EXPECT_NEAR(model.prequential.spe_mean[9], mean, 0.1 * mean);
}

}  // namespace
}  // namespace roipca
