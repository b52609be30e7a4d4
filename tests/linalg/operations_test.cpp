// Every operation, at every level that the machine has.
#include "linalg/operations.hpp"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <Eigen/SVD>
#include <cmath>
#include <limits>
#include <random>
#include <utility>

#include "linalg/eigen_types.hpp"

namespace roipca::linalg {
namespace {

TEST(EigenSolvers, OfEveryLevelDiagonalise) {
  for (const simd::Level level : simd::available_levels()) {
    for (const Index n : {1, 2, 3, 8, 17, 40, 65, 270}) {
      const Index stride = (n + 7) / 8 * 8;
      Matrix<double> a = Matrix<double>::Random(n, n);
      a = (a + a.transpose()).eval();
      Matrix<double> vectors = Matrix<double>::Zero(stride, n);
      vectors.topRows(n) = a;
      Vector<double> values(stride);
      Vector<double> work(kEigenWork * stride);
      operations(level).eigen_solver(n, vectors.data(), stride, values.data(), work.data());
      const Matrix<double> v = vectors.topRows(n);
      const double slack = 8.0 * static_cast<double>(n) * std::numeric_limits<double>::epsilon();
      EXPECT_LE((a * v - v * values.head(n).asDiagonal()).cwiseAbs().maxCoeff(), slack * a.norm())
          << simd::name(level);
      EXPECT_LE((v.transpose() * v - Matrix<double>::Identity(n, n)).cwiseAbs().maxCoeff(), slack)
          << simd::name(level);
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
    Index taking_part;
    double condition;  // of Z'
    Matrix<double> inner;
    Matrix<double> components;
    Matrix<double> matrix;  // whose leading subspace they span
  };

  static Answer solve(const Operations& operations, const Case& c) {
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
    // Two neighbours are slightly mixed, so that D is not diagonal.
    for (Index j = 0; j + 1 < c.k; j += 2) inner(j, j + 1) = inner(j + 1, j) = 0.1 * inner(j + 1, j + 1);
    const Matrix<double> d = inner.topRows(c.k);
    Matrix<double> z = Matrix<double>::Zero(kFeatures, c.k);
    z.topRows(c.k) = normal.topRows(c.k).inverse();
    const RowMatrix<double> dots = x.transpose() * z;
    const RowMatrix<double> products = x.transpose() * x;

    Matrix<double> coefficients(c.k + c.b, c.k);
    Vector<double> work(operations.leading_work(c.k, c.b));
    Answer answer;
    answer.taking_part = operations.leading_solver({.k = c.k,
                                                    .b = c.b,
                                                    .least = 0.89 * inner(c.k - 1, c.k - 1),
                                                    .unheld = 0.0,
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
    const Index first = answer.taking_part;
    if (first != kNoStep) {
      z += (z.leftCols(first) * coefficients.topRows(first) + x * coefficients.middleRows(first, c.b)).eval();
    }
    answer.condition = Eigen::JacobiSVD<Matrix<double>>(z).singularValues().minCoeff();
    answer.condition = Eigen::JacobiSVD<Matrix<double>>(z).singularValues()[0] / answer.condition;
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
  for (const simd::Level level : simd::available_levels()) {
    for (const auto& [k, b] : {std::pair<Index, Index>{1, 1}, {1, 9}, {7, 5}, {8, 8}, {20, 32}, {33, 17}}) {
      for (const double weight : {300.0, 1e4, 1e8}) {
        for (const double decay : {0.9, 0.7}) {
          for (const double skew : {0.0, 0.01}) {
            const Answer got = solve(operations(level), {k, b, weight, decay, skew});
            SCOPED_TRACE(::testing::Message()
                         << simd::name(level) << " " << k << " " << b << " " << weight << " " << skew);
            // Beyond the components the variances of the rows form a geometric series.
            const double rest = static_cast<double>(b) * std::pow(decay, 2.0 * static_cast<double>(k)) /
                                (1.0 - decay * decay);
            const double least = weight * std::pow(decay, 2.0 * static_cast<double>(k - 1));
            // What the rows have along the first component is added to the last so many times over, at most.
            const double repeats =
                static_cast<double>(b) / weight * std::pow(decay, 1.0 - static_cast<double>(k));
            if (least > 20.0 * rest && repeats < 1.0) {
              EXPECT_NE(got.taking_part, kNoStep);
            }
            if (got.taking_part != kNoStep) expect_leading(got, least, b);
          }
        }
      }
    }
  }
}

TEST_F(LeadingSolvers, AddToABasisThatStaysWellConditionedAndTurnAnother) {
  for (const simd::Level level : simd::available_levels()) {
    EXPECT_EQ(solve(operations(level), {8, 8, 1e6, 0.9}).taking_part, 0) << simd::name(level);
    for (const Case& far : {Case{8, 8, 1e6, 0.9, 2.0}, Case{8, 8, 1e6, 0.9, 0.0, 0.01}}) {
      const Answer got = solve(operations(level), far);
      EXPECT_EQ(got.taking_part, 8) << simd::name(level);
      EXPECT_LE(got.condition, 1.1) << simd::name(level);
      expect_leading(got, far.weight * std::pow(far.decay, 14.0), far.b);
    }
  }
}

TEST_F(LeadingSolvers, TurnOnlyLeadingComponentsWhereRowsHaveMuchAlongThem) {
  for (const simd::Level level : simd::available_levels()) {
    int partly = 0;
    for (double weight = 1e3; weight < 1e6; weight *= 1.5) {
      const Case wide = {40, 24, weight, 0.8};
      const Answer got = solve(operations(level), wide);
      if (got.taking_part == kNoStep) continue;
      partly += got.taking_part > 0 && got.taking_part < wide.k ? 1 : 0;
      EXPECT_LE(got.condition, 100.0) << simd::name(level) << " " << weight;
      expect_leading(got, weight * std::pow(wide.decay, 78.0), wide.b);
    }
    EXPECT_GT(partly, 0) << simd::name(level);
  }
}

TEST_F(LeadingSolvers, GiveUpWhereRowsOutweighTheComponents) {
  for (const simd::Level level : simd::available_levels()) {
    EXPECT_EQ(solve(operations(level), {5, 10, 1e-3, 0.99}).taking_part, kNoStep) << simd::name(level);
    EXPECT_EQ(solve(operations(level), {5, 10, 0.0, 0.99}).taking_part, kNoStep) << simd::name(level);
  }
}

}  // namespace
}  // namespace roipca::linalg
