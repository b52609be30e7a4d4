// An estimator restored from a state continues with the same bits as one that never stopped, wherever the
// stop is.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

#include "roipca/online_pca.hpp"
#include "support/models.hpp"
#include "support/rows.hpp"

namespace roipca {
namespace {

using namespace support;

using Bytes = std::vector<std::byte>;

template <typename T>
OnlinePca<T> revived(const OnlinePca<T>& pca) {
  return OnlinePca<T>::from_state(pca.state());
}

// Returns the error of `from_state` for the bytes; empty if it accepts them.
template <typename T>
std::string refusal(const Bytes& bytes) {
  try {
    OnlinePca<T>::from_state(bytes);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return {};
}

template <typename T>
class State : public ::testing::Test {
 protected:
  static constexpr Index kFeatures = 17;

  // The first rows are zero, then some repeat, so that components appear late.
  static RowMatrix<T> stream(Index count) {
    RowMatrix<T> rows = decaying_rows(count, kFeatures, 0.8, 1).cast<T>();
    rows.topRows(2).setZero();
    rows.row(5) = rows.row(4);
    return rows;
  }

  // Stops after the first row, the second ... of `stops`, one run each, and once more after every row.
  static void expect_no_trace_of_stops(const Options& options, const RowMatrix<T>& rows,
                                       const Vector<double>& weights, Index stops) {
    OnlinePca<T> whole(options);
    whole.partial_fit(rows, weights);
    const Model<T> expected = whole.model();
    OnlinePca<T> head(options);
    OnlinePca<T> always(options);
    for (Index i = 0; i < rows.rows(); ++i) {
      always.partial_fit(rows.middleRows(i, 1), weights.segment(i, 1));
      always = revived(always);
      if (i >= stops) continue;
      head.partial_fit(rows.middleRows(i, 1), weights.segment(i, 1));
      const Index left = rows.rows() - i - 1;
      const Model<T> stopped = revived(head).partial_fit(rows.bottomRows(left), weights.tail(left)).model();
      ASSERT_EQ(first_difference(stopped, expected), "") << "stopped after row " << i;
    }
    EXPECT_EQ(first_difference(always.model(), expected), "") << "stopped after every row";
    EXPECT_EQ(always.learning_rates(), whole.learning_rates());
    EXPECT_EQ(always.rows_seen(), whole.rows_seen());
    EXPECT_TRUE(always.state() == whole.state());
  }
};
TYPED_TEST_SUITE(State, Scalars);

// Enough rows to fill every sketch several times, and for the drift guard to measure twice; stops in the
// middle of the first blocks and groups, and between them.
constexpr Index kRows = 300;
constexpr Index kStops = 70;

TYPED_TEST(State, ResumesWithTheSameBits) {
  const Vector<double> weights = Vector<double>::Ones(kRows);
  for (const Way& method : kAllMethods) {
    SCOPED_TRACE(name(method));
    this->expect_no_trace_of_stops(options_for(method, 3), this->stream(kRows), weights, kStops);
  }
}

TYPED_TEST(State, ResumesWithTheSameBitsWithForgettingAndWeights) {
  Vector<double> weights = uniform_numbers(kRows, 3) * 4.0;
  for (Index i = 3; i < kRows; i += 7) weights[i] = 0.0;
  for (const Way& method : kAllMethods) {
    SCOPED_TRACE(name(method));
    Options options = options_for(method, 3);
    options.forgetting = 0.97;
    this->expect_no_trace_of_stops(options, this->stream(kRows), weights, kStops);
  }
}

TYPED_TEST(State, ResumesWithTheSameBitsWithEveryOtherOption) {
  for (const Way& method : kAllMethods) {
    SCOPED_TRACE(name(method));
    Options options = options_for(method, 3);
    options.center = false;
    options.block_size = 11;
    options.mu = Mu::fixed(0.01);
    options.tau = Tau::kOptimal;
    options.oversampling = 1;
    options.learning_rate = LearningRate::fixed(0.5);
    options.amnesia = 1.0;
    this->expect_no_trace_of_stops(options, this->stream(kRows), Vector<double>::Ones(kRows), kStops);
  }
}

// The unit changes on the way, within a block and between blocks.
TYPED_TEST(State, ResumesWithTheSameBitsAcrossScales) {
  RowMatrix<TypeParam> rows = this->stream(120);
  constexpr auto kLarge = static_cast<TypeParam>(sizeof(TypeParam) == sizeof(float) ? 1e12 : 1e90);
  rows.topRows(20) /= kLarge;
  rows.bottomRows(60) *= kLarge;
  for (const Way& method : kAllMethods) {
    SCOPED_TRACE(name(method));
    this->expect_no_trace_of_stops(options_for(method, 3), rows, Vector<double>::Ones(120), 90);
  }
}

// Each thread gets 256 rows at a time: some stops in the turn of each.
TYPED_TEST(State, ResumesWithTheSameBitsWithTwoThreads) {
  const RowMatrix<TypeParam> rows = this->stream(1100);
  const Vector<double> weights = uniform_numbers(1100, 3).array() + 0.5;
  for (const Way& method : kAllMethods) {
    Options options = options_for(method, 3);
    options.threads = 2;
    OnlinePca<TypeParam> whole(options);
    whole.partial_fit(rows, weights);
    for (const Index stop : {1, 7, 255, 256, 257, 300, 511, 512, 700, 1099}) {
      OnlinePca<TypeParam> head(options);
      head.partial_fit(rows.topRows(stop), weights.head(stop));
      const Index left = 1100 - stop;
      const auto stopped = revived(head).partial_fit(rows.bottomRows(left), weights.tail(left)).model();
      ASSERT_EQ(first_difference(stopped, whole.model()), "") << name(method) << ", after " << stop;
    }
  }
}

// 200 rows are collected for tuning and then released.
TYPED_TEST(State, ResumesWithTheSameBitsWhileALearningRateIsTuned) {
  const RowMatrix<TypeParam> rows = this->stream(230);
  for (const Method method : {Method::kGha, Method::kOja}) {
    Options options = options_for(method, 2);
    options.learning_rate = LearningRate::tuned();
    const auto expected = OnlinePca<TypeParam>(options).partial_fit(rows).model();
    ASSERT_GT(expected.resolved.learning_rate, 0.0);
    for (const Index stop : {1, 50, 198, 199, 200, 201, 229}) {
      OnlinePca<TypeParam> head(options);
      head.partial_fit(rows.topRows(stop));
      const auto stopped = revived(head).partial_fit(rows.bottomRows(230 - stop)).model();
      ASSERT_EQ(first_difference(stopped, expected), "") << roipca::name(method) << ", after " << stop;
    }
  }
}

TYPED_TEST(State, ResumesWithTheSameBitsAfterAFit) {
  const RowMatrix<TypeParam> rows = this->stream(700);
  for (const Way& method : kAllMethods) {
    OnlinePca<TypeParam> pca(options_for(method, 3));
    pca.fit(rows.topRows(611));
    auto other = revived(pca);
    EXPECT_EQ(first_difference(other.model(), pca.model()), "") << name(method);
    pca.partial_fit(rows.bottomRows(89));
    other.partial_fit(rows.bottomRows(89));
    EXPECT_EQ(first_difference(other.model(), pca.model()), "") << name(method);
  }
}

TYPED_TEST(State, OfAnEstimatorThatStartedFromAModelResumesWithTheSameBits) {
  const RowMatrix<TypeParam> rows = this->stream(200);
  for (const Way& method : kAllMethods) {
    OnlinePca<TypeParam> pca(
        OnlinePca<TypeParam>(options_for(method, 3)).partial_fit(rows.topRows(77)).model());
    auto other = revived(pca);
    pca.partial_fit(rows.bottomRows(123));
    other.partial_fit(rows.bottomRows(123));
    EXPECT_EQ(first_difference(other.model(), pca.model()), "") << name(method);
  }
}

TYPED_TEST(State, OfAnEstimatorWithoutRowsKeepsItsOptions) {
  Options options = options_for(Method::kRoipca, 3);
  options.oversampling = 4;
  const auto pca = revived(OnlinePca<TypeParam>(options));
  EXPECT_EQ(pca.options(), options);
  EXPECT_EQ(pca.features(), 0);
}

TYPED_TEST(State, RowsOfTheRestoredEstimatorDoNotReachTheOriginal) {
  const RowMatrix<TypeParam> rows = this->stream(100);
  for (const Way& method : kAllMethods) {
    OnlinePca<TypeParam> pca(options_for(method, 3));
    pca.partial_fit(rows.topRows(50));
    const Bytes before = pca.state();
    revived(pca).partial_fit(rows.bottomRows(50));
    EXPECT_TRUE(pca.state() == before) << name(method);
  }
}

TYPED_TEST(State, EveryFlippedBitIsNoticed) {
  for (const Way& method : kAllMethods) {
    OnlinePca<TypeParam> pca(options_for(method, 1));
    pca.partial_fit(to_rows(decaying_rows(5, 2, 0.8, 1).template cast<TypeParam>()));
    const Bytes whole = pca.state();
    for (std::size_t i = 0; i < whole.size(); ++i) {
      for (int bit = 0; bit < 8; ++bit) {
        Bytes bytes = whole;
        bytes[i] ^= std::byte{1} << bit;
        ASSERT_NE(refusal<TypeParam>(bytes), "") << name(method) << ", byte " << i << ", bit " << bit;
      }
    }
  }
}

TYPED_TEST(State, EveryTruncationIsNoticed) {
  for (const Way& method : kAllMethods) {
    OnlinePca<TypeParam> pca(options_for(method, 1));
    pca.partial_fit(to_rows(decaying_rows(5, 2, 0.8, 1).template cast<TypeParam>()));
    const Bytes whole = pca.state();
    for (std::size_t size = 0; size < whole.size(); ++size) {
      const Bytes bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
      ASSERT_NE(refusal<TypeParam>(bytes), "") << name(method) << ", cut to " << size << " bytes";
    }
  }
}

TYPED_TEST(State, TrailingBytesAreNoticed) {
  Bytes bytes = OnlinePca<TypeParam>(options_for(Method::kRoipca, 3)).state();
  bytes.push_back(std::byte{0});
  EXPECT_NE(refusal<TypeParam>(bytes), "");
}

TEST(StateOfAnotherKind, IsRefusedByName) {
  const Bytes of_float = OnlinePca<float>(Options()).state();
  const Bytes of_double = OnlinePca<double>(Options()).state();
  EXPECT_EQ(refusal<double>(of_float),
            "state was saved by OnlinePca<float>; cannot restore it as OnlinePca<double>");
  EXPECT_EQ(refusal<float>(of_double),
            "state was saved by OnlinePca<double>; cannot restore it as OnlinePca<float>");
}

}  // namespace
}  // namespace roipca
