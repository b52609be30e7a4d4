// Every kernel of every instruction set that the machine has, against plain sums in long double.
#include "kernels/kernels.hpp"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <random>
#include <string_view>

#include "kernels/aligned_rows.hpp"
#include "roipca/build_info.hpp"

namespace roipca::kernels {
namespace {

using Scalars = ::testing::Types<float, double>;

template <typename T>
const Table<T>& table_of(const Kernels& kernels) {
  if constexpr (std::is_same_v<T, float>) {
    return kernels.single_precision;
  } else {
    return kernels.double_precision;
  }
}

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
class Kernel : public ::testing::Test {
 protected:
  // A sum of n products of numbers around 1, whatever its order.
  static double slack(Index n) {
    return 8.0 * static_cast<double>(n) * double{std::numeric_limits<T>::epsilon()};
  }
};
TYPED_TEST_SUITE(Kernel, Scalars);

TYPED_TEST(Kernel, DotsAndGramAreSumsOfProducts) {
  using T = TypeParam;
  for (const Kernels* kernels : available()) {
    for (const Index length : {1, 7, 16, 33, 100, 1024, 2500}) {
      for (const auto& [m, n] : {std::pair<Index, Index>{1, 1}, {2, 3}, {5, 7}, {6, 4}, {13, 11}, {20, 21}}) {
        const auto a = random_rows<T>(m, length, 1);
        const auto b = random_rows<T>(n, length, 2);
        RowMatrix<double> dots(m, n);
        RowMatrix<double> gram(m, m);
        RowMatrix<double> gram_alone(m, m);
        table_of<T>(*kernels).gram_and_dots(a.view(m), b.view(n), a.padded_length(), gram.data(), m,
                                            dots.data(), n);
        table_of<T>(*kernels).gram(a.view(m), a.padded_length(), gram_alone.data(), m);
        for (Index i = 0; i < m; ++i) {
          for (Index j = 0; j < n; ++j) {
            ASSERT_NEAR(dots(i, j), dot(a.row(i), b.row(j), length), this->slack(length)) << kernels->name;
          }
          for (Index j = 0; j <= i; ++j) {
            ASSERT_NEAR(gram(i, j), dot(a.row(i), a.row(j), length), this->slack(length)) << kernels->name;
            ASSERT_EQ(gram(i, j), gram_alone(i, j)) << kernels->name;
          }
        }
      }
    }
  }
}

TYPED_TEST(Kernel, RotateIsAProductInPlace) {
  using T = TypeParam;
  for (const Kernels* kernels : available()) {
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
        table_of<T>(*kernels).rotate(q.row(0), q.stride(), k, x.view(b), coef.data(), columns, columns,
                                     q.padded_length(), panel.data());
        const Matrix<double> want =
            before.columns(k).template cast<double>() * coef.topRows(k).template cast<double>() +
            x.columns(b).template cast<double>() * coef.bottomRows(b).template cast<double>();
        const Matrix<double> got = q.columns(columns).template cast<double>();
        ASSERT_LE((got - want).cwiseAbs().maxCoeff(), this->slack(k + b)) << kernels->name << " " << length;
      }
    }
  }
}

TYPED_TEST(Kernel, AddLowRankIsThePlainSum) {
  using T = TypeParam;
  for (const Kernels* kernels : available()) {
    for (const Index length : {1, 16, 33, 200}) {
      for (const auto& [k, terms] :
           {std::pair<Index, Index>{1, 1}, {1, 5}, {4, 2}, {13, 1}, {20, kMaxTerms}}) {
        auto q = random_rows<T>(k, length, 8);
        const Matrix<double> before = q.columns(k).template cast<double>();
        const auto v = random_rows<T>(1, length, 9);
        const Matrix<T> left = Matrix<T>::Random(k + 3, terms);
        const Matrix<T> right = Matrix<T>::Random(k + 3, terms);
        table_of<T>(*kernels).add_low_rank(q.row(0), q.stride(), k, v.row(0), left.data(), right.data(),
                                           terms, k + 3, q.padded_length());
        Matrix<double> p = before * left.topRows(k).template cast<double>();
        p.col(0) += v.columns(1).template cast<double>();
        const Matrix<double> want = before + p * right.topRows(k).template cast<double>().transpose();
        const Matrix<double> got = q.columns(k).template cast<double>();
        // Sums of k products, and of as many terms of them.
        ASSERT_LE((got - want).cwiseAbs().maxCoeff(), this->slack(k * terms + 1))
            << kernels->name << " " << length;
        for (Index i = length; i < q.padded_length(); ++i) ASSERT_EQ(q.row(k - 1)[i], T{0}) << "padding";
      }
    }
  }
}

TYPED_TEST(Kernel, AddOuterIsTheLowerTriangleOfTheScatter) {
  using T = TypeParam;
  for (const Kernels* kernels : available()) {
    for (const Index d : {1, 5, 16, 17, 40, 70}) {
      const auto x = random_rows<T>(9, d, 5);
      AlignedRows<T> s(d, d);
      Vector<T> panel(panel_size<T>(9));
      for (int repeat = 0; repeat < 2; ++repeat) {
        table_of<T>(*kernels).add_outer(s.row(0), s.stride(), x.view(9), d, s.padded_length(), panel.data());
      }
      const Matrix<double> rows = x.columns(9).template cast<double>();
      const Matrix<double> want = 2.0 * rows * rows.transpose();
      for (Index j = 0; j < d; ++j) {
        for (Index i = j; i < d; ++i)
          ASSERT_NEAR(double{s.row(j)[i]}, want(i, j), this->slack(18)) << kernels->name;
      }
    }
  }
}

TYPED_TEST(Kernel, CentreMovesTheMeanAndScales) {
  using T = TypeParam;
  for (const Kernels* kernels : available()) {
    for (const Index d : {1, 3, 15, 16, 31, 100}) {
      const auto x = random_rows<T>(1, d, 6);
      const Vector<double> mean = Vector<double>::Random(d);
      Vector<double> moved = mean;
      Vector<double> tail = Vector<double>::Zero(d);
      Vector<double> delta(d);
      Vector<double> scatter = Vector<double>::Ones(d);
      Vector<T> v(d);
      const auto& table = table_of<T>(*kernels);
      const double squared = table.centre({x.row(0), moved.data(), tail.data(), delta.data()}, d, 0.25, 3.0);
      table.scale_and_square(delta.data(), d, 3.0, v.data(), scatter.data());
      const Vector<double> want = x.columns(1).col(0).template cast<double>() - mean;
      ASSERT_LE((delta - want).cwiseAbs().maxCoeff(), 1e-15) << kernels->name;
      ASSERT_LE((moved + tail - mean - 0.25 * want).cwiseAbs().maxCoeff(), 1e-15);
      ASSERT_NEAR(squared, 9.0 * want.squaredNorm(), 1e-13 * squared);
      ASSERT_LE((v.template cast<double>() - 3.0 * want).cwiseAbs().maxCoeff(), this->slack(2));
      ASSERT_LE((scatter.array() - 1.0 - v.template cast<double>().array().square()).abs().maxCoeff(), 1e-13);
    }
  }
}

TYPED_TEST(Kernel, CollectCentresScalesAndSums) {
  using T = TypeParam;
  for (const Kernels* kernels : available()) {
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
      table_of<T>(*kernels).collect(x.view(kRows),
                                    {mean.data(), tail.data(), weights.data(), scales.data(), total.data(),
                                     rows.row(0), rows.stride(), squares.data()},
                                    d);
      const Matrix<double> delta = x.columns(kRows).template cast<double>().colwise() - mean;
      const Matrix<double> want = delta * scales.asDiagonal();
      const double slack = 1e-14;
      ASSERT_LE((rows.columns(kRows).template cast<double>() - want).cwiseAbs().maxCoeff(), this->slack(4));
      ASSERT_LE((total - Vector<double>::Ones(d) - delta * weights).cwiseAbs().maxCoeff(), 8.0 * slack);
      ASSERT_LE((squares - want.colwise().squaredNorm().transpose()).cwiseAbs().maxCoeff(),
                slack * want.squaredNorm())
          << kernels->name;

      Vector<double> sums = Vector<double>::Ones(d);
      table_of<T>(*kernels).add_squares(rows.view(kRows), d, sums.data());
      const Vector<double> squared =
          rows.columns(kRows).template cast<double>().array().square().rowwise().sum();
      ASSERT_LE((sums - Vector<double>::Ones(d) - squared).cwiseAbs().maxCoeff(), slack * squared.norm());
    }
  }
}

TYPED_TEST(Kernel, AnyBeyondFindsABadNumberAnywhere) {
  using T = TypeParam;
  const T limit = T{100};
  for (const Kernels* kernels : available()) {
    for (const Index d : {1, 7, 16, 37, 130}) {
      auto x = random_rows<T>(1, d, 7);
      const auto& table = table_of<T>(*kernels);
      EXPECT_FALSE(table.any_beyond(x.row(0), d, limit)) << kernels->name;
      for (Index place = 0; place < d; ++place) {
        const T kept = x.row(0)[place];
        for (const T bad : {std::numeric_limits<T>::quiet_NaN(), std::numeric_limits<T>::infinity(),
                            -std::numeric_limits<T>::infinity(), T{101}, T{-101}}) {
          x.row(0)[place] = bad;
          ASSERT_TRUE(table.any_beyond(x.row(0), d, limit)) << kernels->name << " " << place;
        }
        x.row(0)[place] = kept;
      }
    }
  }
}

TEST(EigenSolvers, OfEveryInstructionSetDiagonalise) {
  for (const Kernels* kernels : available()) {
    for (const Index n : {1, 2, 3, 8, 17, 40, 65}) {
      const Index stride = (n + 7) / 8 * 8;
      Matrix<double> a = Matrix<double>::Random(n, n);
      a = (a + a.transpose()).eval();
      Matrix<double> vectors = Matrix<double>::Zero(stride, n);
      vectors.topRows(n) = a;
      Vector<double> values(stride);
      Vector<double> work(3 * stride);
      kernels->eigen_solver(n, vectors.data(), stride, values.data(), work.data());
      const Matrix<double> v = vectors.topRows(n);
      const double slack = 8.0 * static_cast<double>(n) * std::numeric_limits<double>::epsilon();
      EXPECT_LE((a * v - v * values.head(n).asDiagonal()).cwiseAbs().maxCoeff(), slack * a.norm())
          << kernels->name;
      EXPECT_LE((v.transpose() * v - Matrix<double>::Identity(n, n)).cwiseAbs().maxCoeff(), slack)
          << kernels->name;
    }
  }
}

// Q is the first k unit vectors and Z = Q M^(-1), so that [Z, X^T] is easily formed.
class LeadingSolvers : public ::testing::Test {
 protected:
  struct Case {
    Index k;
    Index b;
    double weight;  // of what came before: D = weight * decay^(2 j)
    double decay;
    double skew = 0.0;  // of M
    double size = 1.0;  // the same
  };

  struct Answer {
    LeadingStep step;
    Matrix<double> inner;
    Matrix<double> components;
    Matrix<double> matrix;  // whose leading subspace they span
  };

  static Answer solve(const Kernels& kernels, const Case& c) {
    constexpr Index kFeatures = 90;
    std::mt19937_64 random(static_cast<unsigned>(c.k * 100 + c.b));
    std::normal_distribution<double> number;
    Matrix<double> x(kFeatures, c.b);
    for (Index j = 0; j < c.b; ++j) {
      for (Index i = 0; i < kFeatures; ++i) {
        x(i, j) = std::pow(c.decay, static_cast<double>(i)) * number(random);
      }
    }
    const Index stride = (c.k + 7) / 8 * 8;
    Matrix<double> inner = Matrix<double>::Zero(stride, c.k);
    Matrix<double> normal = inner;
    for (Index j = 0; j < c.k; ++j) {
      for (Index i = 0; i < c.k; ++i) normal(i, j) = (i == j ? c.size : 0.0) + c.skew * number(random);
      inner(j, j) = c.weight * std::pow(c.decay, 2.0 * static_cast<double>(j));
    }
    // Two neighbours a little mixed, so that D is not diagonal.
    for (Index j = 0; j + 1 < c.k; j += 2) inner(j, j + 1) = inner(j + 1, j) = 0.1 * inner(j + 1, j + 1);
    const Matrix<double> d = inner.topRows(c.k);
    Matrix<double> z = Matrix<double>::Zero(kFeatures, c.k);
    z.topRows(c.k) = normal.topRows(c.k).inverse();
    const RowMatrix<double> dots = x.transpose() * z;
    const RowMatrix<double> products = x.transpose() * x;

    Matrix<double> coefficients(c.k + c.b, c.k);
    Vector<double> work(kernels.leading_work(c.k, c.b));
    Answer answer;
    answer.step = kernels.leading_solver({.k = c.k,
                                          .b = c.b,
                                          .least = 0.89 * inner(c.k - 1, c.k - 1),
                                          .tolerance = 1e-14,
                                          .inner = inner.data(),
                                          .normal = normal.data(),
                                          .stride = stride,
                                          .dots = dots.data(),
                                          .dots_stride = c.k,
                                          .products = products.data(),
                                          .products_stride = c.b,
                                          .coefficients = coefficients.data(),
                                          .coefficients_stride = c.k + c.b,
                                          .work = work.data()});
    answer.inner = inner.topRows(c.k);
    if (answer.step == LeadingStep::kRotate) {
      z *= coefficients.topRows(c.k);
      EXPECT_EQ(normal.topRows(c.k), (Matrix<double>::Identity(c.k, c.k)));
    }
    if (answer.step != LeadingStep::kNone) z += x * coefficients.bottomRows(c.b);
    answer.components = z * normal.topRows(c.k);
    answer.matrix = x * x.transpose();
    answer.matrix.topLeftCorner(c.k, c.k) += d;
    return answer;
  }

  static void expect_leading(const Answer& got, double least, Index b) {
    const Matrix<double>& q = got.components;
    const Index k = q.cols();
    // The largest coefficients are products of the first and the last component of rows over the last D.
    const double slack = 1e-14 * static_cast<double>(k + b) * (1.0 + std::sqrt(got.matrix.norm() / least));
    EXPECT_LE((q.transpose() * q - Matrix<double>::Identity(k, k)).cwiseAbs().maxCoeff(), slack);
    EXPECT_LE((got.matrix * q - q * got.inner).cwiseAbs().maxCoeff(), slack * got.matrix.norm());
    EXPECT_NEAR(got.inner.trace(),
                Eigen::SelfAdjointEigenSolver<Matrix<double>>(got.matrix).eigenvalues().tail(k).sum(),
                slack * got.matrix.norm());
  }
};

TEST_F(LeadingSolvers, FindTheLeadingSubspaceWhereRowsWeighLittle) {
  for (const Kernels* kernels : available()) {
    for (const auto& [k, b] : {std::pair<Index, Index>{1, 1}, {1, 9}, {7, 5}, {8, 8}, {20, 32}, {33, 17}}) {
      for (const double weight : {300.0, 1e4, 1e8}) {
        for (const double decay : {0.9, 0.7}) {
          for (const double skew : {0.0, 0.01}) {
            const Answer got = solve(*kernels, {k, b, weight, decay, skew});
            SCOPED_TRACE(::testing::Message()
                         << kernels->name << " " << k << " " << b << " " << weight << " " << skew);
            // Behind the components the rows have the variance of a geometric series.
            const double rest = static_cast<double>(b) * std::pow(decay, 2.0 * static_cast<double>(k)) /
                                (1.0 - decay * decay);
            const double least = weight * std::pow(decay, 2.0 * static_cast<double>(k - 1));
            if (least > 20.0 * rest) {
              EXPECT_NE(got.step, LeadingStep::kNone);
            }
            if (got.step != LeadingStep::kNone) expect_leading(got, least, b);
          }
        }
      }
    }
  }
}

TEST_F(LeadingSolvers, AddToABasisThatStaysWellConditionedAndRotateAnother) {
  for (const Kernels* kernels : available()) {
    EXPECT_EQ(solve(*kernels, {8, 8, 1e6, 0.9}).step, LeadingStep::kAdd) << kernels->name;
    for (const Case& far : {Case{8, 8, 1e6, 0.9, 2.0}, Case{8, 8, 1e6, 0.9, 0.0, 0.01}}) {
      const Answer got = solve(*kernels, far);
      EXPECT_EQ(got.step, LeadingStep::kRotate) << kernels->name;
      expect_leading(got, far.weight * std::pow(far.decay, 14.0), far.b);
    }
  }
}

TEST_F(LeadingSolvers, GiveUpWhereRowsOutweighTheComponents) {
  for (const Kernels* kernels : available()) {
    EXPECT_EQ(solve(*kernels, {5, 10, 1e-3, 0.99}).step, LeadingStep::kNone) << kernels->name;
    EXPECT_EQ(solve(*kernels, {5, 10, 0.0, 0.99}).step, LeadingStep::kNone) << kernels->name;
  }
}

TEST(InstructionSet, IsTheOneAskedForOrTheBestThatTheMachineHas) {
  const char* asked_for = std::getenv("ROIPCA_ISA");
  const std::string_view expected = asked_for != nullptr ? asked_for : available().back()->name;
  EXPECT_EQ(instruction_set(), expected);
}

}  // namespace
}  // namespace roipca::kernels
