// Eigenpairs of larger matrices by divide and conquer, against what defines them.
#include "linalg/divided_eigen.hpp"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "linalg/operations.hpp"
#include "linalg/symmetric_eigen.hpp"

namespace roipca::linalg {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

struct Kind {
  std::string name;
  std::function<Matrix<double>(Index)> make;
};

Matrix<double> gram(const Matrix<double>& x) { return x * x.transpose(); }

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all = {
      {"indefinite", [](Index n) { return Matrix<double>(Matrix<double>::Random(n, n)); }},
      {"positive", [](Index n) { return gram(Matrix<double>::Random(n, 2 * n)); }},
      {"of low rank", [](Index n) { return gram(Matrix<double>::Random(n, n / 5)); }},
      {"graded",
       [](Index n) {
         Matrix<double> x = Matrix<double>::Random(n, 2 * n);
         for (Index i = 0; i < n; ++i) x.row(i) *= std::pow(0.93, static_cast<double>(i));
         return gram(x);
       }},
      {"of equal eigenvalues",
       [](Index n) {
         Matrix<double> a = Matrix<double>::Identity(n, n);
         const Vector<double> v = Vector<double>::Random(n);
         a += v * v.transpose();
         return a;
       }},
      {"diagonal", [](Index n) { return Matrix<double>(Vector<double>::Random(n).asDiagonal()); }},
      {"in two parts",
       [](Index n) {
         Matrix<double> a = Matrix<double>::Zero(n, n);
         a.topLeftCorner(n / 2, n / 2) = gram(Matrix<double>::Random(n / 2, n));
         a.bottomRightCorner(n - n / 2, n - n / 2) = 1e-9 * gram(Matrix<double>::Random(n - n / 2, n));
         return a;
       }},
      {"zero", [](Index n) { return Matrix<double>(Matrix<double>::Zero(n, n)); }},
  };
  return all;
}

void expect_eigenpairs(const Matrix<double>& a, const SymmetricEigen& eigen) {
  const Index n = a.rows();
  const Matrix<double> q = eigen.vectors(n);
  // A backward error of some roundings for each of the order's reflectors and of the halvings.
  const double slack = 8.0 * static_cast<double>(n) * kEpsilon;
  EXPECT_LE((a * q - q * eigen.values().asDiagonal()).norm(), slack * a.norm());
  EXPECT_LE((q.transpose() * q - Matrix<double>::Identity(n, n)).cwiseAbs().maxCoeff(), slack);
  const Vector<double> dense =
      Eigen::SelfAdjointEigenSolver<Matrix<double>>(a, Eigen::EigenvaluesOnly).eigenvalues().reverse();
  EXPECT_LE((eigen.values() - dense).cwiseAbs().maxCoeff(), slack * a.norm());
}

TEST(DividedEigen, FindsAllPairsOfAnyMatrix) {
  for (const Index n : {DividedEigen::kLeastOrder, Index{161}, Index{200}, Index{301}}) {
    for (const Kind& kind : kinds()) {
      SCOPED_TRACE(kind.name + ", order " + std::to_string(n));
      Matrix<double> a = kind.make(n);
      a = (0.5 * (a + a.transpose())).eval();
      SymmetricEigen eigen(n);
      eigen.compute(a);
      expect_eigenpairs(a, eigen);
    }
  }
}

TEST(DividedEigen, SolvesSmallerMatricesThanItHasRoomFor) {
  SymmetricEigen eigen(250);
  for (const Index n : {Index{250}, Index{170}, Index{20}, Index{211}}) {
    const Matrix<double> a = gram(Matrix<double>::Random(n, n));
    eigen.compute(a);
    expect_eigenpairs(a, eigen);
  }
}

TEST(DividedEigen, IsTheSameToABitInAnyUnit) {
  const Index n = 180;
  const Matrix<double> a = gram(Matrix<double>::Random(n, n));
  SymmetricEigen one(n);
  one.compute(a);
  for (const double unit : {0x1p-900, 0x1p900}) {
    SymmetricEigen other(n);
    other.compute(unit * a);
    EXPECT_EQ(Vector<double>(other.values()), Vector<double>(unit * one.values()));
    EXPECT_EQ(Matrix<double>(other.vectors(n)), Matrix<double>(one.vectors(n)));
  }
}

TEST(Tridiagonalisers, OfEveryLevelKeepTheMatrix) {
  for (const simd::Level level : simd::available_levels()) {
    const Operations& loops = operations(level);
    for (const Index n : {1, 2, 31, 32, 33, 70, 129}) {
      SCOPED_TRACE(std::string(simd::name(level)) + " " + std::to_string(n));
      const Index stride = (n + 7) / 8 * 8;
      Matrix<double> a = Matrix<double>::Random(n, n);
      a = (a + a.transpose()).eval();
      Matrix<double> reflectors = Matrix<double>::Zero(stride, n);
      reflectors.topRows(n) = a;
      Vector<double> d(stride);
      Vector<double> e(stride);
      Vector<double> h(stride);
      Vector<double> work(loops.reflector_work(n, n));
      loops.tridiagonaliser(n, reflectors.data(), stride, d.data(), e.data(), h.data(), work.data());
      Matrix<double> q = Matrix<double>::Identity(stride, n);
      loops.reflectors(n, reflectors.data(), stride, h.data(), q.data(), n, work.data());
      Matrix<double> t = d.head(n).asDiagonal();
      for (Index i = 0; i + 1 < n; ++i) t(i, i + 1) = t(i + 1, i) = e[i];
      const Matrix<double> turn = q.topRows(n);
      const double slack = 8.0 * static_cast<double>(n) * kEpsilon;
      EXPECT_LE((turn.transpose() * turn - Matrix<double>::Identity(n, n)).cwiseAbs().maxCoeff(), slack);
      EXPECT_LE((turn * t * turn.transpose() - a).norm(), slack * a.norm());
    }
  }
}

TEST(Multipliers, OfEveryLevelMultiply) {
  for (const simd::Level level : simd::available_levels()) {
    for (const auto& [rows, columns, depth] :
         {std::tuple<Index, Index, Index>{1, 1, 1}, {5, 3, 7}, {33, 40, 300}, {64, 16, 257}}) {
      const Index a_stride = (rows + 7) / 8 * 8;
      const Index b_stride = (depth + 7) / 8 * 8;
      const Matrix<double> a = Matrix<double>::Random(a_stride, depth);
      const Matrix<double> b = Matrix<double>::Random(b_stride, columns);
      Matrix<double> out(a_stride, columns);
      operations(level).multiplier(rows, columns, depth, a.data(), a_stride, b.data(), b_stride, out.data(),
                                   a_stride);
      const Matrix<double> want = a.topRows(rows) * b.topRows(depth);
      EXPECT_LE((out.topRows(rows) - want).cwiseAbs().maxCoeff(), 4.0 * static_cast<double>(depth) * kEpsilon)
          << simd::name(level);
    }
  }
}

}  // namespace
}  // namespace roipca::linalg
