// Products in single precision: the answer of double precision where much is not held, and left out
// elsewhere.
#include "engine/rounded_copies.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "engine/block_update.hpp"
#include "roipca/eigen.hpp"
#include "roipca/online_pca.hpp"
#include "support/models.hpp"
#include "support/rows.hpp"
#include "support/same_bits.hpp"

namespace roipca {
namespace {

using namespace support;

constexpr Index kFeatures = 700;
constexpr Index kHeld = 20;
constexpr Index kBlock = 24;

// Adds rows block by block. Products may be rounded if `features` is their number.
HeldPairs<double> pairs_of(const RowMatrix<double>& x, Index features) {
  HeldPairs<double> pairs(kFeatures, kHeld);
  BlockUpdate<double> update(kHeld, kBlock, features);
  RowBlock<double> block(kBlock, kFeatures);
  for (Index first = 0; first < x.rows(); first += kBlock) {
    block.count = std::min(kBlock, x.rows() - first);
    block.rows.columns(block.count) = x.middleRows(first, block.count).transpose();
    block.roots.setOnes();
    update.apply(pairs, block, Mu::mean());
  }
  update.settle(pairs);
  return pairs;
}

void expect_same_bits(const RowMatrix<double>& x) {
  const auto rounded = pairs_of(x, kFeatures);
  const auto plain = pairs_of(x, 0);
  EXPECT_EQ(rounded.values, plain.values);
  EXPECT_EQ(rounded.components.columns(kHeld), plain.components.columns(kHeld));
}

// Standard deviations 1, 2^(-1/2), 3^(-1/2), ... along random axes.
RowMatrix<double> slowly_falling_rows(Index rows) {
  const Vector<double> deviations =
      Vector<double>::LinSpaced(kFeatures, 1.0, kFeatures).cwiseInverse().cwiseSqrt();
  return normal_rows(rows, kFeatures, 1) * deviations.asDiagonal() *
         orthonormal_columns(kFeatures, kFeatures, 2).transpose();
}

TEST(RoundedProducts, ChangeTheAnswerByLessThanTheirRounding) {
  const RowMatrix<double> x = slowly_falling_rows(6000);
  const auto rounded = pairs_of(x, kFeatures);
  const auto plain = pairs_of(x, 0);
  EXPECT_NE(rounded.values, plain.values) << "nothing was rounded";
  // A product of two rows has the rounding of their lengths, which is random: the sum over n rows is off by
  // n^(1/2) roundings of one row's square.
  const double rounding = 4.0 * kEpsilon<float> * plain.trace / std::sqrt(6000.0);
  EXPECT_LE((rounded.values - plain.values).cwiseAbs().maxCoeff(), rounding);
  EXPECT_NEAR(rounded.trace, plain.trace, 1e-12 * plain.trace);
  const Matrix<double> q = rounded.components.columns(kHeld);
  EXPECT_LE(orthonormality_error(q), 1e-12);
  // An angle is that error relative to the gap to what is not held, of which each error of the subspace is a
  // square.
  const double angle = rounding / (plain.values[9] - plain.values[kHeld - 1]);
  EXPECT_LE(subspace_angle(Matrix<double>(q.leftCols(10)), Matrix<double>(plain.components.columns(10))),
            angle);
}

TEST(RoundedProducts, KeepTheTraceWhileTheMeanMoves) {
  RowMatrix<double> x = slowly_falling_rows(2000);
  for (Index i = 0; i < x.rows(); ++i) x.row(i).array() += 1e-3 * static_cast<double>(i);
  const auto model =
      OnlinePca<double>({.n_components = 10, .method = Method::kRoipca}).partial_fit(x).model();
  const RowMatrix<double> centred = x.rowwise() - x.colwise().mean();
  EXPECT_NEAR(model.trace(), centred.squaredNorm(), 1e-13 * centred.squaredNorm());
}

TEST(RoundedProducts, HaveTheSameBitsAfterAReadingAndAStop) {
  const RowMatrix<double> x = slowly_falling_rows(1500);
  const Options options{.n_components = 10, .method = Method::kRoipca};
  const auto whole = OnlinePca<double>(options).partial_fit(x).model();
  for (const Index at : {700, 903}) {
    OnlinePca<double> first(options);
    first.partial_fit(RowMatrix<double>(x.topRows(at)));
    EXPECT_EQ(first.model().rows, at);  // a reading, which changes nothing
    auto second = OnlinePca<double>::from_state(first.state());
    second.partial_fit(RowMatrix<double>(x.bottomRows(x.rows() - at)));
    EXPECT_EQ(first_difference(whole, second.model()), "") << at;
  }
}

TEST(RoundedProducts, AreLeftOutForRowsOfLowRank) {
  for (const Index rank : {5, 19, 20}) {
    SCOPED_TRACE(rank);
    expect_same_bits(normal_rows(3000, rank, 3) * normal_rows(rank, kFeatures, 4));
  }
}

TEST(RoundedProducts, AreLeftOutForWideSpectra) {
  RowMatrix<double> x = slowly_falling_rows(3000);
  x.col(7) *= 200.0;
  expect_same_bits(x);
}

}  // namespace
}  // namespace roipca
