// The moments that a stream keeps against the scores of each block by the model before it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "roipca/limits.hpp"
#include "roipca/merge.hpp"
#include "roipca/model_file.hpp"
#include "roipca/online_pca.hpp"
#include "support/models.hpp"
#include "support/rows.hpp"
#include "support/sparse_rows.hpp"

namespace roipca {
namespace {

using namespace support;

struct Moments {
  double pairs = 0.0;
  double sum = 0.0;
  double squares = 0.0;
  double cubes = 0.0;
  // Rows of weight growth^i in a block of this weight.
  void add(const std::vector<double>& scores, double growth, double weight) {
    double all = 0.0;
    for (std::size_t i = 0; i < scores.size(); ++i) all += std::pow(growth, static_cast<double>(i));
    pairs += weight;
    for (std::size_t i = 0; i < scores.size(); ++i) {
      const double part = weight * std::pow(growth, static_cast<double>(i)) / all;
      sum += part * scores[i];
      squares += part * scores[i] * scores[i];
      cubes += part * scores[i] * scores[i] * scores[i];
    }
  }
  double mean() const { return sum / pairs; }
  double spread() const { return squares / pairs / mean() / mean() - 1.0; }
  double third() const { return cubes / pairs / std::pow(mean(), 3.0) - 3.0 * spread() - 1.0; }
  void decay(double factor) {
    for (double* part : {&pairs, &sum, &squares, &cubes}) *part *= factor;
  }
};

struct Expected {
  Moments t2, spe;
};

// Reads the model before every block.
template <typename T>
Expected score_blocks(OnlinePca<T>& pca, const RowMatrix<T>& x, Index block, double forgetting = 1.0) {
  Expected expected;
  double weight = 0.0;
  double all_pairs = 0.0;
  for (Index first = 0; first < x.rows(); first += block) {
    const Index count = std::min(block, x.rows() - first);
    const RowMatrix<T> rows = x.middleRows(first, count);
    // Of the rows themselves, and with those before: as Model::weight_pairs counts.
    double before = weight * std::pow(forgetting, 1.0);
    double pairs = 0.0;
    double inside = 0.0;
    for (Index i = 0; i < count; ++i) {
      const double w = std::pow(forgetting, static_cast<double>(-i));
      pairs += (before + inside) * w;
      inside += w;
    }
    const double decay = std::pow(forgetting, static_cast<double>(count - 1));
    const double all_decay = std::pow(forgetting, static_cast<double>(count));
    expected.t2.decay(all_decay * all_decay);
    expected.spe.decay(all_decay * all_decay);
    all_pairs += pairs;
    // Without forgetting, rows count by what they add to the square of all pairs.
    const double counts =
        forgetting < 1.0 ? pairs * decay * decay : all_pairs * all_pairs - std::pow(all_pairs - pairs, 2.0);
    if (first > 0 && first >= 3 * (pca.options().n_components + 1)) {
      const Model<T> model = pca.model();
      expected.t2.add(model.t2(rows), 1.0 / forgetting, counts);
      expected.spe.add(model.spe(rows), 1.0 / forgetting, counts);
    }
    pca.partial_fit(rows);
    weight = (before + inside) * decay;
  }
  return expected;
}

template <typename T>
class PrequentialScores : public ::testing::Test {};
TYPED_TEST_SUITE(PrequentialScores, Scalars);

// Between settlings the components are turned among each other by what a few blocks bring; SPE outside of all
// components held does not notice, and is the same to rounding of |x|^2.
TYPED_TEST(PrequentialScores, OfBlocksAreThoseOfTheModelBeforeTheBlock) {
  using T = TypeParam;
  for (const Index count : {1024, 1034}) {  // the last ten wait for others when the model is read
    const RowMatrix<T> x = decaying_rows(count, 60, 0.9, 1).cast<T>();
    Options options = options_for(Method::kRoipca, 6);
    options.oversampling = 0;
    options.block_size = 16;
    OnlinePca<T> pca(options);
    const Expected expected = score_blocks(pca, x, 16);
    const Prequential found = pca.model().prequential;
    EXPECT_EQ(found.rows, count - 32);
    ASSERT_EQ(found.spe_mean.size(), 6U);
    EXPECT_NEAR(found.spe_mean[5], expected.spe.mean(), 1e3 * kEpsilon<T> * expected.spe.mean());
    EXPECT_NEAR(found.spe_spread[5], expected.spe.spread(), 1e3 * kEpsilon<T>);
    EXPECT_NEAR(found.spe_third[5], expected.spe.third(), 1e4 * kEpsilon<T>);
    EXPECT_NEAR(found.t2_mean[5], expected.t2.mean(), 0.01 * expected.t2.mean());
    EXPECT_NEAR(found.t2_spread[5], expected.t2.spread(), 0.03 * expected.t2.spread());
  }
}

// Gaps are filled by a model that is up to a sixteenth older than the one read before the block, or up to a
// third older for the exact method.
TYPED_TEST(PrequentialScores, OfRowsWithGapsAreThoseOfTheModelBeforeTheBlock) {
  using T = TypeParam;
  RowMatrix<T> x = decaying_rows(1920, 20, 0.7, 1).cast<T>();
  const Vector<double> uniform = uniform_numbers(x.size(), 2);
  for (Index i = 0; i < x.size(); ++i) {
    if (uniform[i] < 0.1) x.data()[i] = std::numeric_limits<T>::quiet_NaN();
  }
  for (const Method method : {Method::kRoipca, Method::kExact}) {
    Options options = options_for(method, 6);
    options.missing = Missing::kImpute;
    options.oversampling = 0;
    options.block_size = 32;
    OnlinePca<T> pca(options);
    const Index block = method == Method::kExact ? 96 : 32;
    const Expected expected = score_blocks(pca, x, block);
    const Prequential found = pca.model().prequential;
    EXPECT_EQ(found.rows, x.rows() - block) << name(method);
    EXPECT_NEAR(found.spe_mean[5], expected.spe.mean(), 0.02 * expected.spe.mean()) << name(method);
    EXPECT_NEAR(found.spe_spread[5], expected.spe.spread(), 0.05 * expected.spe.spread()) << name(method);
    EXPECT_NEAR(found.t2_mean[5], expected.t2.mean(), 0.03 * expected.t2.mean()) << name(method);
  }
}

TYPED_TEST(PrequentialScores, ForgetAsTheRowsDo) {
  using T = TypeParam;
  const RowMatrix<T> x = decaying_rows(1024, 60, 0.9, 1).cast<T>();
  Options options = options_for(Method::kRoipca, 6);
  options.oversampling = 0;
  options.block_size = 16;
  options.forgetting = 0.99;
  OnlinePca<T> pca(options);
  const Expected expected = score_blocks(pca, x, 16, 0.99);
  const Prequential found = pca.model().prequential;
  EXPECT_NEAR(found.spe_mean[5], expected.spe.mean(), 1e3 * kEpsilon<T> * expected.spe.mean());
  EXPECT_NEAR(found.t2_mean[5], expected.t2.mean(),
              0.04 * expected.t2.mean());  // few rows count, and turn more
}

TYPED_TEST(PrequentialScores, AreKnownForEveryNumberOfComponents) {
  using T = TypeParam;
  const RowMatrix<T> x = decaying_rows(4000, 50, 0.8, 2).cast<T>();
  Options options = options_for(Method::kRoipca, 8);
  options.oversampling = 8;
  OnlinePca<T> all(options);
  all.partial_fit(x);
  const Prequential of_all = all.model().prequential;
  ASSERT_EQ(of_all.t2_mean.size(), 16U);
  for (std::size_t m = 1; m <= 16; ++m) {
    // New rows have a T^2 of about m and an SPE of about the variance left. Means by weights that grow as the
    // third power vary as those of 7/16 of the rows, and T^2 of m Gaussian numbers has the variance 2 m.
    const auto expected = static_cast<double>(m);
    const double deviation = std::sqrt(2.0 * expected / (7.0 / 16.0 * static_cast<double>(of_all.rows)));
    EXPECT_NEAR(of_all.t2_mean[m - 1], expected, 0.02 * expected + 3.0 * deviation);
    double left = all.model().trace();
    for (std::size_t i = 0; i < m; ++i) left -= all.model().eigenvalues[i];
    EXPECT_NEAR(of_all.spe_mean[m - 1], left / 3999.0, 0.05 * left / 3999.0) << m;
  }
}

TYPED_TEST(PrequentialScores, OfTheExactMethodAreThoseOfNewRows) {
  using T = TypeParam;
  const RowMatrix<T> x = decaying_rows(3000, 12, 0.7, 3).cast<T>();
  OnlinePca<T> pca(options_for(Method::kExact, 3));
  pca.partial_fit(x.topRows(2000));
  const Model<T> model = pca.model();
  const RowMatrix<T> rest = x.bottomRows(1000);
  ASSERT_EQ(model.prequential.t2_mean.size(), 3U);
  EXPECT_GT(model.prequential.rows, 1500);
  // Means of 1,000 numbers whose deviation is about their mean.
  EXPECT_NEAR(model.prequential.t2_mean[2], as_eigen(model.t2(rest)).mean(), 0.4);
  const double spe = as_eigen(model.spe(rest)).mean();
  EXPECT_NEAR(model.prequential.spe_mean[2], spe, 0.15 * spe);
}

// Also of rules whose components are orthonormal, in order or eigenvectors only when they are read.
TYPED_TEST(PrequentialScores, OfMethodsRowByRowAreThoseOfNewRows) {
  using T = TypeParam;
  const RowMatrix<T> x = decaying_rows(8000, 30, 0.8, 3).cast<T>();
  const RowMatrix<T> rest = x.bottomRows(4000);
  for (const Way& way :
       {Way(Method::kRoipca, UpdateEvery::kRow), Way(Method::kIpca, UpdateEvery::kRow), Way(Method::kFroipca),
        Way(Method::kCcipca), Way(Method::kGha), Way(Method::kOja), Way(Method::kFrequentDirections)}) {
    OnlinePca<T> pca(options_for(way, 3));
    pca.partial_fit(x.topRows(4000));
    const Model<T> model = pca.model();
    EXPECT_EQ(model.prequential.rows, 4000 - 12) << name(way);
    const auto expect_alike = [&](const Vector<double>& of_new, double mean, double spread) {
      // Weights that grow as the third power of the rows before leave 7/16 of the rows: four deviations of
      // the difference of the two means. Moments of fourth order make that of the spread five times as large.
      const double expected = of_new.mean();
      const double variance = (of_new.array() - expected).square().mean() / expected / expected;
      const double deviation = std::sqrt(variance * (1.0 / 4000.0 + 16.0 / 7.0 / 4000.0));
      EXPECT_NEAR(mean, expected, 4.0 * deviation * expected) << name(way);
      EXPECT_NEAR(spread, variance, 5.0 * 4.0 * deviation * variance) << name(way);
    };
    expect_alike(as_eigen(model.t2(rest)), model.prequential.t2_mean[2], model.prequential.t2_spread[2]);
    expect_alike(as_eigen(model.spe(rest)), model.prequential.spe_mean[2], model.prequential.spe_spread[2]);
  }
}

TYPED_TEST(PrequentialScores, OfSparseRowsAreThoseOfTheSameDenseRows) {
  using T = TypeParam;
  RowMatrix<double> rows = normal_rows(1200, 40, 4);
  rows = (rows.array() > 0.8).select(rows, 0.0);
  const RowMatrix<T> x = rows.cast<T>();
  Options options = options_for(Method::kRoipca, 4);
  options.oversampling = 0;
  options.block_size = 16;
  const Prequential dense = OnlinePca<T>(options).partial_fit(x).model().prequential;
  Csr<T> csr;
  csr.columns = x.cols();
  for (Index i = 0; i < x.rows(); ++i) {
    for (Index j = 0; j < x.cols(); ++j) {
      if (x(i, j) != T{0}) csr.push(j, static_cast<double>(x(i, j)));
    }
    csr.end_row();
  }
  const Prequential sparse = OnlinePca<T>(options).partial_fit(csr.view()).model().prequential;
  EXPECT_EQ(sparse.rows, dense.rows);
  EXPECT_NEAR(sparse.spe_mean[3], dense.spe_mean[3], 1e-3 * dense.spe_mean[3]);
  EXPECT_NEAR(sparse.t2_mean[3], dense.t2_mean[3], 0.02 * dense.t2_mean[3]);
}

TYPED_TEST(PrequentialScores, MergeByTheWeightsOfTheirRows) {
  using T = TypeParam;
  const RowMatrix<T> x = decaying_rows(3000, 60, 0.9, 5).cast<T>();
  const Options options = options_for(Method::kRoipca, 4);
  const Model<T> a = OnlinePca<T>(options).partial_fit(x.topRows(2000)).model();
  const Model<T> b = OnlinePca<T>(options).partial_fit(x.bottomRows(1000)).model();
  const Model<T> both = merge(a, b);
  EXPECT_EQ(both.prequential.rows, a.prequential.rows + b.prequential.rows);
  const double weight_a = a.prequential.coverage * a.weight_pairs * a.weight_pairs;
  const double weight_b = b.prequential.coverage * b.weight_pairs * b.weight_pairs;
  const double mean =
      (weight_a * a.prequential.t2_mean[3] + weight_b * b.prequential.t2_mean[3]) / (weight_a + weight_b);
  EXPECT_NEAR(both.prequential.t2_mean[3], mean, 1e-12 * mean);
  const auto second = [](const Prequential& p) {
    return (1.0 + p.t2_spread[3]) * p.t2_mean[3] * p.t2_mean[3];
  };
  const double squares =
      (weight_a * second(a.prequential) + weight_b * second(b.prequential)) / (weight_a + weight_b);
  EXPECT_NEAR(second(both.prequential), squares, 1e-12 * squares);
}

// However many models were merged, a few rows more are a few scores more.
TYPED_TEST(PrequentialScores, OfMergedModelsDoNotGiveWayToTheNextRows) {
  using T = TypeParam;
  constexpr Index kParts = 16;
  constexpr Index kRows = 400;
  const RowMatrix<T> x = decaying_rows(kParts * kRows + 20, 60, 0.9, 8).cast<T>();
  const Options options = options_for(Method::kRoipca, 4);
  std::vector<Model<T>> parts;
  for (Index i = 0; i < kParts; ++i) {
    parts.push_back(OnlinePca<T>(options).partial_fit(x.middleRows(i * kRows, kRows)).model());
  }
  while (parts.size() > 1) {
    for (std::size_t i = 0; i < parts.size() / 2; ++i) parts[i] = merge(parts[2 * i], parts[2 * i + 1]);
    parts.resize(parts.size() / 2);
  }
  OnlinePca<T> pca(parts.front());
  pca.partial_fit(RowMatrix<T>(5.0 * x.bottomRows(20)));  // 25 times the scores
  const double before = parts.front().prequential.spe_mean[3];
  // The scores of the parts cover 1 / kParts of the pairs of rows, and the next rows four times their share
  // of the rows, since weights grow as the fourth power. Their 25 times may be a tenth more by chance.
  const double next = 4.0 * 20.0 / static_cast<double>(x.rows());
  const double share = next / (next + 1.0 / static_cast<double>(kParts));
  EXPECT_LT(pca.model().prequential.spe_mean[3], (1.0 + 1.1 * 24.0 * share) * before);
}

TYPED_TEST(PrequentialScores, SurviveTheModelFileAndTheState) {
  using T = TypeParam;
  const RowMatrix<T> x = decaying_rows(500, 60, 0.9, 6).cast<T>();
  OnlinePca<T> pca(options_for(Method::kRoipca, 4));
  pca.partial_fit(x);
  ASSERT_FALSE(pca.model().prequential.t2_mean.empty());
  EXPECT_EQ(from_bytes<T>(to_bytes(pca.model())).prequential, pca.model().prequential);
  EXPECT_EQ(OnlinePca<T>::from_state(pca.state()).model().prequential, pca.model().prequential);
}

// A row ten times as large has a hundred times the SPE. Unbounded, this one score of 3,000 would make the
// limit four times as large.
TYPED_TEST(PrequentialScores, OfARowFarOutCountAsLess) {
  using T = TypeParam;
  const RowMatrix<T> x = decaying_rows(3000, 60, 0.9, 9).cast<T>();
  RowMatrix<T> with_outlier = x;
  with_outlier.row(2500) *= T{10};
  for (const Way& way :
       {Way(Method::kRoipca), Way(Method::kRoipca, UpdateEvery::kRow), Way(Method::kExact)}) {
    const auto limit = [&](const RowMatrix<T>& rows) {
      OnlinePca<T> pca(options_for(way, 4));
      return spe_limit(pca.partial_fit(rows).model(), 0.99, LimitRule::kPrequential);
    };
    EXPECT_LT(limit(with_outlier), 1.3 * limit(x)) << name(way);
    EXPECT_GT(limit(with_outlier), limit(x)) << name(way);
  }
}

TYPED_TEST(PrequentialScores, OfHugeRowsStayFinite) {
  using T = TypeParam;
  RowMatrix<T> x = decaying_rows(400, 60, 0.9, 7).cast<T>();
  x.row(300) *= std::is_same_v<T, float> ? T(1e15) : T(1e140);
  const Model<T> model = OnlinePca<T>(options_for(Method::kRoipca, 4)).partial_fit(x).model();
  check(model);
}

}  // namespace
}  // namespace roipca
