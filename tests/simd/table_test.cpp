// Every loop, at every level that the machine has, against plain sums in long double.
#include "simd/table.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <random>
#include <string_view>
#include <vector>

#include "roipca/build_info.hpp"
#include "simd/aligned_rows.hpp"

namespace roipca::simd {
namespace {

using Scalars = ::testing::Types<float, double>;

template <typename T>
AlignedRows<T> random_rows(Index count, Index length, unsigned seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<T> normal;
  AlignedRows<T> rows(count, length);
  for (Index i = 0; i < count; ++i) {
    for (Index j = 0; j < length; ++j) rows.row(i)[j] = normal(random);
  }
  return rows;
}

template <typename T>
double dot(const T* a, const T* b, Index length) {
  long double sum = 0.0L;
  for (Index i = 0; i < length; ++i) sum += static_cast<long double>(a[i]) * static_cast<long double>(b[i]);
  return static_cast<double>(sum);
}

template <typename T>
class Loops : public ::testing::Test {
 protected:
  // A sum of n products of numbers around 1, whatever its order.
  static double slack(Index n) {
    return 8.0 * static_cast<double>(n) * double{std::numeric_limits<T>::epsilon()};
  }
};
TYPED_TEST_SUITE(Loops, Scalars);

TYPED_TEST(Loops, DotsAndGramAreSumsOfProducts) {
  using T = TypeParam;
  for (const Level level : available_levels()) {
    for (const Index length : {1, 7, 16, 33, 100, 1024, 2500}) {
      for (const auto& [m, n] : {std::pair<Index, Index>{1, 1}, {2, 3}, {5, 7}, {6, 4}, {13, 11}, {20, 21}}) {
        const auto a = random_rows<T>(m, length, 1);
        const auto b = random_rows<T>(n, length, 2);
        RowMatrix<double> dots(m, n);
        RowMatrix<double> gram(m, m);
        RowMatrix<double> gram_alone(m, m);
        table<T>(tables(level))
            .gram_and_dots(a.view(m), b.view(n), a.padded_length(), gram.data(), m, dots.data(), n);
        table<T>(tables(level)).gram(a.view(m), a.padded_length(), gram_alone.data(), m);
        for (Index i = 0; i < m; ++i) {
          for (Index j = 0; j < n; ++j) {
            ASSERT_NEAR(dots(i, j), dot(a.row(i), b.row(j), length), this->slack(length)) << name(level);
          }
          for (Index j = 0; j <= i; ++j) {
            ASSERT_NEAR(gram(i, j), dot(a.row(i), a.row(j), length), this->slack(length)) << name(level);
            ASSERT_EQ(gram(i, j), gram_alone(i, j)) << name(level);
          }
        }
      }
    }
  }
}

TYPED_TEST(Loops, RotateIsAProductInPlace) {
  using T = TypeParam;
  for (const Level level : available_levels()) {
    for (const Index length : {1, 16, 33, 200}) {
      for (const auto& [k, b, columns] : {std::tuple<Index, Index, Index>{0, 1, 1},
                                          {3, 0, 3},
                                          {4, 3, 5},
                                          {12, 5, 12},
                                          {20, 13, 20},
                                          {7, 9, 4}}) {
        auto q = random_rows<T>(std::max<Index>(k, columns), length, 3);
        const auto before = q;
        const auto x = random_rows<T>(std::max<Index>(b, 1), length, 4);
        const RowMatrix<T> coef = RowMatrix<T>::Random(k + b, columns);
        Vector<T> panel(panel_size<T>(k + b));
        table<T>(tables(level))
            .rotate(q.row(0), q.stride(), k, x.view(b), coef.data(), columns, columns, q.padded_length(),
                    panel.data());
        const Matrix<double> want =
            before.columns(k).template cast<double>() * coef.topRows(k).template cast<double>() +
            x.columns(b).template cast<double>() * coef.bottomRows(b).template cast<double>();
        const Matrix<double> got = q.columns(columns).template cast<double>();
        ASSERT_LE((got - want).cwiseAbs().maxCoeff(), this->slack(k + b)) << name(level) << " " << length;
      }
    }
  }
}

TEST(RoundingLoops, RoundRowsAndKeepTheirSquares) {
  for (const Level level : available_levels()) {
    for (const Index length : {1, 16, 33, 200}) {
      const auto x = random_rows<double>(3, length, 6);
      AlignedRows<float> rounded(3, length);
      Vector<double> squares(3);
      tables(level).rounding.round_rows(x.view(3), x.padded_length(), rounded.row(0), rounded.stride(),
                                        squares.data());
      ASSERT_EQ(rounded.columns(3), x.columns(3).cast<float>()) << name(level) << " " << length;
      for (Index i = 0; i < 3; ++i) {
        ASSERT_NEAR(squares[i], dot(x.row(i), x.row(i), length), 1e-15 * static_cast<double>(8 * length))
            << name(level);
      }
    }
  }
}

TEST(RoundingLoops, AddRoundedRowsToDoubles) {
  for (const Level level : available_levels()) {
    for (const Index length : {1, 16, 33, 200}) {
      for (const auto& [b, columns] : {std::pair<Index, Index>{1, 1}, {3, 5}, {13, 20}, {40, 70}}) {
        auto q = random_rows<double>(columns, length, 3);
        const Matrix<double> before = q.columns(columns);
        AlignedRows<float> rounded(columns, length);
        const auto x = random_rows<float>(b, length, 4);
        const RowMatrix<float> coef = RowMatrix<float>::Random(b, columns);
        Vector<float> panel(panel_size<float>(b));
        tables(level).rounding.add_rounded(q.row(0), q.stride(), rounded.row(0), rounded.stride(), x.view(b),
                                           coef.data(), columns, columns, q.padded_length(), panel.data());
        const Matrix<double> added = x.columns(b).cast<double>() * coef.cast<double>();
        const double slack = 8.0 * static_cast<double>(b) * double{std::numeric_limits<float>::epsilon()};
        ASSERT_LE((q.columns(columns) - before - added).cwiseAbs().maxCoeff(), slack) << name(level);
        ASSERT_EQ(rounded.columns(columns), q.columns(columns).cast<float>()) << name(level) << " " << length;
        for (Index j = 0; j < columns; ++j) {
          for (Index i = length; i < q.padded_length(); ++i) ASSERT_EQ(q.row(j)[i], 0.0) << "padding";
          for (Index i = length; i < rounded.padded_length(); ++i) ASSERT_EQ(rounded.row(j)[i], 0.0F);
        }
      }
    }
  }
}

TYPED_TEST(Loops, AddLowRankIsThePlainSum) {
  using T = TypeParam;
  for (const Level level : available_levels()) {
    for (const Index length : {1, 16, 33, 200}) {
      for (const auto& [k, terms] :
           {std::pair<Index, Index>{1, 1}, {1, 5}, {4, 2}, {13, 1}, {20, kMaxTerms}}) {
        auto q = random_rows<T>(k, length, 8);
        const Matrix<double> before = q.columns(k).template cast<double>();
        const auto v = random_rows<T>(1, length, 9);
        const Matrix<T> left = Matrix<T>::Random(k + 3, terms);
        const Matrix<T> right = Matrix<T>::Random(k + 3, terms);
        table<T>(tables(level))
            .add_low_rank(q.row(0), q.stride(), k, v.row(0), left.data(), right.data(), terms, k + 3,
                          q.padded_length());
        Matrix<double> p = before * left.topRows(k).template cast<double>();
        p.col(0) += v.columns(1).template cast<double>();
        const Matrix<double> want = before + p * right.topRows(k).template cast<double>().transpose();
        const Matrix<double> got = q.columns(k).template cast<double>();
        // Sums of k products, and of as many terms of them.
        ASSERT_LE((got - want).cwiseAbs().maxCoeff(), this->slack(k * terms + 1))
            << name(level) << " " << length;
        for (Index i = length; i < q.padded_length(); ++i) ASSERT_EQ(q.row(k - 1)[i], T{0}) << "padding";
      }
    }
  }
}

TYPED_TEST(Loops, AddOuterIsTheLowerTriangleOfTheScatter) {
  using T = TypeParam;
  for (const Level level : available_levels()) {
    for (const Index d : {1, 5, 16, 17, 40, 70}) {
      const auto x = random_rows<T>(9, d, 5);
      AlignedRows<T> s(d, d);
      Vector<T> panels(outer_size<T>(9, s.padded_length()));
      for (int repeat = 0; repeat < 2; ++repeat) {
        table<T>(tables(level))
            .add_outer(s.row(0), s.stride(), x.view(9), d, s.padded_length(), panels.data());
      }
      const Matrix<double> rows = x.columns(9).template cast<double>();
      const Matrix<double> want = 2.0 * rows * rows.transpose();
      for (Index j = 0; j < d; ++j) {
        for (Index i = j; i < d; ++i)
          ASSERT_NEAR(double{s.row(j)[i]}, want(i, j), this->slack(18)) << name(level);
      }
    }
  }
}

TYPED_TEST(Loops, CentreMovesTheMeanAndScales) {
  using T = TypeParam;
  for (const Level level : available_levels()) {
    for (const Index d : {1, 3, 15, 16, 31, 100}) {
      const auto x = random_rows<T>(1, d, 6);
      const Vector<double> mean = Vector<double>::Random(d);
      Vector<double> moved = mean;
      Vector<double> tail = Vector<double>::Zero(d);
      Vector<double> delta(d);
      Vector<double> scatter = Vector<double>::Ones(d);
      Vector<T> v(d);
      const auto& loops = table<T>(tables(level));
      const double squared = loops.centre({x.row(0), moved.data(), tail.data(), delta.data()}, d, 0.25, 3.0);
      loops.scale_and_square(delta.data(), d, 3.0, v.data(), scatter.data());
      const Vector<double> want = x.columns(1).col(0).template cast<double>() - mean;
      ASSERT_LE((delta - want).cwiseAbs().maxCoeff(), 1e-15) << name(level);
      ASSERT_LE((moved + tail - mean - 0.25 * want).cwiseAbs().maxCoeff(), 1e-15);
      ASSERT_NEAR(squared, 9.0 * want.squaredNorm(), 1e-13 * squared);
      ASSERT_LE((v.template cast<double>() - 3.0 * want).cwiseAbs().maxCoeff(), this->slack(2));
      ASSERT_LE((scatter.array() - 1.0 - v.template cast<double>().array().square()).abs().maxCoeff(), 1e-13);
    }
  }
}

TYPED_TEST(Loops, CollectCentresScalesAndSums) {
  using T = TypeParam;
  for (const Level level : available_levels()) {
    for (const Index d : {1, 7, 16, 37, 130}) {
      constexpr Index kRows = 7;  // four at once, and three
      const auto x = random_rows<T>(kRows, d, 8);
      const Vector<double> mean = Vector<double>::Random(d);
      const Vector<double> tail = 1e-17 * Vector<double>::Random(d);
      const Vector<double> weights = Vector<double>::Random(kRows).array() + 2.0;
      const Vector<double> scales = Vector<double>::Random(kRows).array() + 2.0;
      Vector<double> total = Vector<double>::Ones(d);
      Vector<double> squares(kRows);
      AlignedRows<T> rows(kRows, d);
      table<T>(tables(level))
          .collect(x.view(kRows),
                   {mean.data(), tail.data(), weights.data(), scales.data(), total.data(), rows.row(0),
                    rows.stride(), squares.data()},
                   d);
      const Matrix<double> delta = x.columns(kRows).template cast<double>().colwise() - mean;
      const Matrix<double> want = delta * scales.asDiagonal();
      const double slack = 1e-14;
      ASSERT_LE((rows.columns(kRows).template cast<double>() - want).cwiseAbs().maxCoeff(), this->slack(4));
      ASSERT_LE((total - Vector<double>::Ones(d) - delta * weights).cwiseAbs().maxCoeff(), 8.0 * slack);
      ASSERT_LE((squares - want.colwise().squaredNorm().transpose()).cwiseAbs().maxCoeff(),
                slack * want.squaredNorm())
          << name(level);

      Vector<double> sums = Vector<double>::Ones(d);
      table<T>(tables(level)).add_squares(rows.view(kRows), d, sums.data());
      const Vector<double> squared =
          rows.columns(kRows).template cast<double>().array().square().rowwise().sum();
      ASSERT_LE((sums - Vector<double>::Ones(d) - squared).cwiseAbs().maxCoeff(), slack * squared.norm());
    }
  }
}

TYPED_TEST(Loops, SparseGramIsTheProductWithTheRowsAndBack) {
  using T = TypeParam;
  constexpr Index kRows = 37;
  constexpr Index kFeatures = 50;
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  Matrix<double> x = Matrix<double>::Zero(kRows, kFeatures);
  std::vector<T> values;
  std::vector<int> rows;
  std::vector<Index> starts = {0};
  for (Index f = 0; f < kFeatures; ++f) {
    for (Index i = 0; i < kRows; ++i) {
      if (static_cast<Index>(random() % kFeatures) >= f) continue;  // none, some, nearly all
      values.push_back(static_cast<T>(normal(random)));
      rows.push_back(static_cast<int>(i));
      x(i, f) = static_cast<double>(values.back());
    }
    starts.push_back(static_cast<Index>(values.size()));
  }
  const RowMatrix<double> v = RowMatrix<double>::NullaryExpr(kRows, 8, [&] { return normal(random); });
  const RowMatrix<double> before = RowMatrix<double>::NullaryExpr(kRows, 8, [&] { return normal(random); });
  const RowMatrix<double> expected = before + x * (x.transpose() * v);
  for (const Level level : available_levels()) {
    RowMatrix<double> out = before;
    table<T>(tables(level))
        .sparse_gram(values.data(), rows.data(), starts.data(), kFeatures, v.data(), out.data());
    // Sums of some hundreds of products of numbers around 1, in double.
    EXPECT_LT((out - expected).cwiseAbs().maxCoeff(), 1e-12);
  }
}

TYPED_TEST(Loops, AnyBeyondFindsABadNumberAnywhere) {
  using T = TypeParam;
  const T limit = T{100};
  for (const Level level : available_levels()) {
    for (const Index d : {1, 7, 16, 37, 130}) {
      auto x = random_rows<T>(1, d, 7);
      const auto& loops = table<T>(tables(level));
      EXPECT_FALSE(loops.any_beyond(x.row(0), d, limit)) << name(level);
      for (Index place = 0; place < d; ++place) {
        const T kept = x.row(0)[place];
        for (const T bad : {std::numeric_limits<T>::quiet_NaN(), std::numeric_limits<T>::infinity(),
                            -std::numeric_limits<T>::infinity(), T{101}, T{-101}}) {
          x.row(0)[place] = bad;
          ASSERT_TRUE(loops.any_beyond(x.row(0), d, limit)) << name(level) << " " << place;
        }
        x.row(0)[place] = kept;
      }
    }
  }
}

TEST(InstructionSet, IsTheOneAskedForOrTheBestThatTheMachineHas) {
  const char* asked_for = std::getenv("ROIPCA_ISA");
  const std::string_view expected = asked_for != nullptr ? asked_for : name(available_levels().back());
  EXPECT_EQ(instruction_set(), expected);
}

}  // namespace
}  // namespace roipca::simd
