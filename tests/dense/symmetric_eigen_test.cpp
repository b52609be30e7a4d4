#include "dense/symmetric_eigen.hpp"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>
#include <random>

namespace roipca {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

Matrix<double> make_matrix(std::mt19937_64& random, Index n, int kind) {
  std::normal_distribution<double> normal;
  Matrix<double> a(n, n);
  for (double& entry : a.reshaped()) entry = normal(random);
  switch (kind) {
    case 0:
      return a + a.transpose();
    case 1:
      return a.leftCols((n + 1) / 2) * a.leftCols((n + 1) / 2).transpose();  // singular
    case 2:
      return Matrix<double>::Identity(n, n) + 1e-14 * (a + a.transpose());  // one cluster
    case 3: {                                                               // graded over thirty decades
      Vector<double> scale(n);
      for (Index i = 0; i < n; ++i) {
        scale[i] = std::pow(10.0, -15.0 * static_cast<double>(i) / static_cast<double>(n));
      }
      return scale.asDiagonal() * (a + a.transpose()) * scale.asDiagonal();
    }
    case 4:
      return Matrix<double>::Zero(n, n);
    case 5:
      return (a + a.transpose()) * 1e150;
    default:
      return a.diagonal().asDiagonal();
  }
}

TEST(SymmetricEigen, AgreesWithEigensSolver) {
  std::mt19937_64 random(1);
  SymmetricEigen ours(60);
  for (int repeat = 0; repeat < 2000; ++repeat) {
    const Index n = 1 + repeat % 60;
    const Matrix<double> a = make_matrix(random, n, repeat % 7);
    ours.compute(a);
    const Eigen::SelfAdjointEigenSolver<Matrix<double>> theirs(a);
    // Each is right to a few roundings an operation on the norm.
    const double norm = theirs.eigenvalues().cwiseAbs().maxCoeff();
    const double slack = 4.0 * static_cast<double>(n) * kEpsilon;
    const Matrix<double> v = ours.vectors(n);
    EXPECT_LE((ours.values() - theirs.eigenvalues().reverse()).cwiseAbs().maxCoeff(), slack * norm);
    EXPECT_LE((v.transpose() * v - Matrix<double>::Identity(n, n)).cwiseAbs().maxCoeff(), slack);
    EXPECT_LE((a * v - v * ours.values().asDiagonal()).cwiseAbs().maxCoeff(), slack * norm);
  }
}

TEST(SymmetricEigen, ReadsOnlyTheLowerTriangle) {
  std::mt19937_64 random(2);
  Matrix<double> a = make_matrix(random, 8, 0);
  SymmetricEigen eigen(8);
  eigen.compute(a);
  const Vector<double> want = eigen.values();
  a.triangularView<Eigen::StrictlyUpper>().setConstant(7.0);
  eigen.compute(a);
  EXPECT_EQ(want, Vector<double>(eigen.values()));
}

}  // namespace
}  // namespace roipca
