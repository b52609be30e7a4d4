// Blocks of rows compared with a dense eigensolver on the matrix that they represent.
#include "engine/block_update.hpp"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>

#include "roipca/online_pca.hpp"
#include "support/dense_oracle.hpp"
#include "support/files.hpp"
#include "support/models.hpp"
#include "support/rows.hpp"

namespace roipca {
namespace {

using namespace support;

template <typename T>
class Blocks : public ::testing::Test {
 protected:
  struct Case {
    Index d;
    Index k;
    Index rank;
    Index rows;
    double pull;  // of the rows towards their mean: 1 subtracts it
    double tail;  // mean of the eigenvalues that are not held, as a part of the smallest held
  };

  static void expect_dense_answer(const Case& c, unsigned seed) {
    const Matrix<double> q = orthonormal_columns(c.d, c.rank, seed);
    Vector<double> values(c.rank);
    for (Index i = 0; i < c.rank; ++i) values[i] = 10.0 / static_cast<double>(1 + i);
    const bool full = c.rank == c.k && c.k < c.d;
    const double mu = full ? c.tail * values[c.rank - 1] : 0.0;

    HeldPairs<T> pairs(c.d, c.k);
    pairs.rank = c.rank;
    pairs.components.columns(c.rank) = q.cast<T>();
    pairs.values.head(c.rank) = values;
    pairs.trace = values.sum() + mu * static_cast<double>(c.d - c.rank);

    const RowMatrix<double> x = normal_rows(c.rows, c.d, seed + 1);
    RowBlock<T> block(c.rows, c.d);
    block.rows.columns(c.rows) = x.transpose().cast<T>();
    block.count = c.rows;
    block.roots = uniform_numbers(c.rows, seed + 2).array() + 0.5;
    const double pull = c.pull / block.roots.squaredNorm();
    block.pull = pull;

    BlockUpdate<T> update(c.k, c.rows);
    update.apply(pairs, block, Mu::mean());
    update.settle(pairs);

    const Matrix<double> scaled =
        x.transpose() - pull * (x.transpose() * block.roots) * block.roots.transpose();
    const Matrix<double> matrix = q * (values.array() - mu).matrix().asDiagonal() * q.transpose() +
                                  mu * Matrix<double>::Identity(c.d, c.d) + scaled * scaled.transpose();
    const Eigen::SelfAdjointEigenSolver<Matrix<double>> dense(matrix);
    const double norm = dense.eigenvalues()[c.d - 1];
    const Matrix<double> got = pairs.components.columns(pairs.rank).template cast<double>();
    // k + b products of length d for each entry of the small matrix, and the solver's own roundings.
    const double slack = 8.0 * static_cast<double>(c.k + c.rows) * kEpsilon<T>;
    ASSERT_EQ(pairs.rank, std::min({c.k, c.rank + c.rows, c.d}));
    EXPECT_LE((pairs.values.head(pairs.rank) - dense.eigenvalues().tail(pairs.rank).reverse())
                  .cwiseAbs()
                  .maxCoeff(),
              slack * norm);
    EXPECT_LE(orthonormality_error(Matrix<double>(got)), slack * 8.0);
    EXPECT_LE((matrix * got - got * pairs.values.head(pairs.rank).asDiagonal()).cwiseAbs().maxCoeff(),
              slack * norm * 8.0);
    EXPECT_NEAR(pairs.trace, matrix.trace(), slack * norm * static_cast<double>(c.d));
  }
};
TYPED_TEST_SUITE(Blocks, Scalars);

TYPED_TEST(Blocks, EqualADenseEigensolverOnTheShiftedMatrix) {
  unsigned seed = 1;
  for (const Index rows : {1, 2, 5, 7, 13, 24}) {
    for (const Index k : {1, 3, 6, 11, 20}) {
      for (const double pull : {0.0, 0.3}) {
        this->expect_dense_answer({.d = 50, .k = k, .rank = k, .rows = rows, .pull = pull, .tail = 0.3},
                                  seed += 3);
        this->expect_dense_answer({.d = 33, .k = k, .rank = k, .rows = rows, .pull = pull, .tail = 1.0},
                                  seed += 3);
        this->expect_dense_answer({.d = 50, .k = k, .rank = k / 2, .rows = rows, .pull = pull, .tail = 0.0},
                                  seed += 3);
      }
    }
  }
  this->expect_dense_answer({.d = 300, .k = 40, .rank = 40, .rows = 64, .pull = 0.1, .tail = 0.1}, seed);
}

TYPED_TEST(Blocks, GrowFromNothing) {
  this->expect_dense_answer({.d = 40, .k = 12, .rank = 0, .rows = 9, .pull = 0.0, .tail = 0.0}, 1);
}

// Apart from a small part of what the update leaves out, which is as far as its subspace is solved for.
TYPED_TEST(Blocks, OfOneRowAreThePapersUpdate) {
  const RowMatrix<TypeParam> rows = decaying_rows(300, 40, 0.9, 5).cast<TypeParam>();
  Options by_blocks = options_for(Method::kRoipca, 4);
  by_blocks.oversampling = 0;
  by_blocks.block_size = 1;
  Options by_rows = by_blocks;
  by_rows.update_every = UpdateEvery::kRow;
  const auto a = OnlinePca<TypeParam>(by_blocks).partial_fit(rows).model();
  const auto b = OnlinePca<TypeParam>(by_rows).partial_fit(rows).model();
  const auto whole = OnlinePca<TypeParam>(options_for(Method::kExact, 4)).partial_fit(rows).model();
  const double left_out =
      (as_eigen(whole.eigenvalues).head(4) - as_eigen(b.eigenvalues)).cwiseAbs().maxCoeff();
  EXPECT_LE((as_eigen(a.eigenvalues) - as_eigen(b.eigenvalues)).cwiseAbs().maxCoeff(), 0.01 * left_out);
  EXPECT_LE(subspace_error(reported_basis(b), reported_basis(a)),
            1e-3 * subspace_error(reported_basis(whole), reported_basis(b)));
}

// Where nothing is left out, to rounding.
TYPED_TEST(Blocks, OfOneRowAreThePapersUpdateWhereRowsHaveItsRank) {
  RowMatrix<double> wide = decaying_rows(300, 40, 0.9, 5);
  wide.rightCols(36).setZero();
  const RowMatrix<TypeParam> rows = wide.cast<TypeParam>();
  Options by_blocks = options_for(Method::kRoipca, 4);
  by_blocks.oversampling = 0;
  by_blocks.block_size = 1;
  Options by_rows = by_blocks;
  by_rows.update_every = UpdateEvery::kRow;
  const auto a = OnlinePca<TypeParam>(by_blocks).partial_fit(rows).model();
  const auto b = OnlinePca<TypeParam>(by_rows).partial_fit(rows).model();
  // 300 updates, each right to a few roundings, and gaps of a tenth.
  const double slack = 300 * 64 * kEpsilon<TypeParam>;
  EXPECT_LE((as_eigen(a.eigenvalues) - as_eigen(b.eigenvalues)).cwiseAbs().maxCoeff(),
            slack * b.eigenvalues[0]);
  EXPECT_LE(subspace_error(reported_basis(b), reported_basis(a)), slack * slack * 100);
}

// Its eigenvalue minus mu is zero, but the component exists.
TEST(BlocksOfAFlatSpectrum, KeepAComponentWhoseEigenvalueIsMu) {
  RowMatrix<double> rows = RowMatrix<double>::Zero(8, 2);
  rows(0, 0) = rows(2, 1) = 1.0;
  rows(1, 0) = rows(3, 1) = -1.0;
  Options options = options_for(Method::kRoipca, 1);
  options.oversampling = 0;
  options.block_size = 4;
  const auto model = OnlinePca<double>(options).partial_fit(rows).model();
  EXPECT_NEAR(model.eigenvalues[0], 2.0, 1e-14);
}

// Half the digits of the spectrum must be right, as far as the scatter itself determines it.
TEST(BlocksOfAWideSpectrum, AgreeWithADenseEigensolver) {
  const Index d = 40;
  RowMatrix<double> x = normal_rows(2000, d, 2);
  for (Index j = 0; j < d; ++j) x.col(j) *= std::pow(10.0, -5.0 * static_cast<double>(j) / (d - 1));
  x = x * orthonormal_columns(d, d, 3).transpose();
  x.rowwise() -= x.colwise().mean().eval();
  const auto model = OnlinePca<double>(options_for(Method::kRoipca, 15)).partial_fit(x).model();
  const Vector<double> want = dense_pca(x).values.cwiseSqrt();
  EXPECT_LE(orthonormality_error(as_columns(model.basis)), 1e-11);
  for (Index i = 0; i < 10; ++i) EXPECT_NEAR(model.singular_values()[i] / want[i], 1.0, 1e-6) << i;
}

TYPED_TEST(Blocks, KeepTheTraceOfTheScatter) {
  for (const double decay : {1.0, 0.9, 0.6}) {
    for (const double scale : {1e-3, 1.0, 1e3}) {
      RowMatrix<double> rows = scale * decaying_rows(1500, 150, decay, 6);
      const auto model = OnlinePca<TypeParam>(options_for(Method::kRoipca, 5))
                             .partial_fit(to_rows(rows.template cast<TypeParam>()))
                             .model();
      rows.rowwise() -= rows.colwise().mean().eval();
      // A rounding for each of 63 blocks, and one for all rows.
      EXPECT_NEAR(model.scatter_trace / rows.squaredNorm(), 1.0, 64.0 * kEpsilon<TypeParam>)
          << decay << " " << scale;
    }
  }
}

// Rows that suddenly outweigh all earlier ones along one component shrink the part of the others in the basis
// that updates are added to.
TYPED_TEST(Blocks, SurviveADirectionThatGrowsAThousandfold) {
  constexpr Index kRank = 20;
  const Matrix<double> directions = orthonormal_columns(400, kRank, 7);
  RowMatrix<double> scores = normal_rows(2288, kRank, 8);
  scores.bottomRows(288).col(3) *= 1e3;
  const RowMatrix<TypeParam> rows = (scores * directions.transpose()).template cast<TypeParam>();
  const auto model = OnlinePca<TypeParam>(options_for(Method::kRoipca, 10)).partial_fit(rows).model();
  // The plane of all rows is held, so only rounding is lost, of rows a thousand times as long as others.
  const Matrix<double> held = as_columns(model.basis).leftCols(kRank).template cast<double>();
  EXPECT_LE(subspace_angle(directions, held), 2e4 * kEpsilon<TypeParam>);
}

TEST(BlocksOverALongStream, StayOrthonormal) {
  OnlinePca<double> pca(options_for(Method::kRoipca, 5));
  const RowMatrix<double> x = decaying_rows(5000, 50, 0.8, 4);
  for (int repeat = 0; repeat < 200; ++repeat) pca.partial_fit(x);
  EXPECT_LE(orthonormality_error(as_columns(pca.model().basis)), 1e-11);
}

TEST(HeldPairsOfAState, AreCompleteUnlessSettled) {
  HeldPairs<double> pairs(5, 3);
  pairs.rank = 2;
  const auto pack = [&] { state::pack([&](state::Archive& archive) { pairs.visit_state(archive); }); };
  EXPECT_EQ(refusal_of<std::invalid_argument>(pack), "");
  pairs.settled = false;
  EXPECT_EQ(refusal_of<std::invalid_argument>(pack),
            "invalid state: has 2 of 3 components, but a basis that is not settled has all of them");
}

TEST(Auto, IsExactWhereFeaturesAreFewAndSaysSo) {
  const auto method_for = [](Index features) {
    return OnlinePca<double>({.n_components = 2})
        .partial_fit(normal_rows(50, features, 1))
        .model()
        .resolved.method;
  };
  EXPECT_EQ(method_for(100), Method::kExact);
  EXPECT_EQ(method_for(300), Method::kRoipca);
}

}  // namespace
}  // namespace roipca
