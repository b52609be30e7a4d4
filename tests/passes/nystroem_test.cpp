// One more pass, as a step on matrices: beside dense eigenpairs.
#include "passes/nystroem.hpp"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <limits>

#include "support/models.hpp"
#include "support/rows.hpp"

namespace roipca {
namespace {

using namespace support;

constexpr double kRounding = 64.0 * std::numeric_limits<double>::epsilon();

struct Problem {
  Matrix<double> scatter;
  Matrix<double> vectors;  // descending

  explicit Problem(const RowMatrix<double>& rows) : scatter(rows.transpose() * rows) {
    const Eigen::SelfAdjointEigenSolver<Matrix<double>> eigen(scatter);
    vectors = eigen.eigenvectors().rowwise().reverse();
  }
  PassProducts products(const Matrix<double>& basis) const {
    return {basis, scatter * basis, scatter.trace()};
  }
};

// The leading eigenvectors, with random directions mixed in.
Matrix<double> disturbed(const Problem& problem, Index k, double by) {
  const Matrix<double> noise = normal_rows(problem.scatter.rows(), k, 7);
  const Matrix<double> mixed = problem.vectors.leftCols(k) + by * noise;
  return mixed.householderQr().householderQ() * Matrix<double>::Identity(mixed.rows(), k);
}

TEST(Nystroem, LeavesEigenvectorsWhereTheyAre) {
  const Problem problem(decaying_rows(400, 30, 0.8, 1));
  const RefinedPairs pairs = refine(problem.products(problem.vectors.leftCols(8)), 1, 4, 1e-14);
  ASSERT_EQ(pairs.values.size(), 8);
  EXPECT_LT(subspace_angle(pairs.basis.leftCols(4), problem.vectors.leftCols(4)), kRounding * 100);
  EXPECT_LT(pairs.turns.maxCoeff(), kRounding * 100);
}

TEST(Nystroem, EveryPassOfACycleReducesTheErrorAFifth) {
  const Problem problem(decaying_rows(400, 60, 0.9, 2));
  Matrix<double> basis = disturbed(problem, 12, 0.02);
  double before = subspace_error(basis.leftCols(6), problem.vectors.leftCols(6));
  for (Index pass = 1; pass <= 6; ++pass) {
    const RefinedPairs pairs = refine(problem.products(basis), pass, 6, 1e-14);
    basis = pairs.basis;
    EXPECT_LT(orthonormality_error(basis), kRounding);
    const double error = subspace_error(basis.leftCols(6), problem.vectors.leftCols(6));
    EXPECT_LT(error, before / 5.0) << "pass " << pass;
    before = error;
  }
}

// Where all eigenvalues are nearly equal, a shift close below them would turn errors into eigenvalues that
// the matrix does not have.
TEST(Nystroem, HalvesTheErrorOfAFlatSpectrumInThreePasses) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const Problem problem(normal_rows(300, 90, seed));
    Matrix<double> basis = disturbed(problem, 15, 0.05);
    double before = 2.0;
    for (Index pass = 1; pass <= 9; ++pass) {
      basis = refine(problem.products(basis), pass, 5, 1e-14).basis;
      if (pass % 3 != 0) continue;
      const double error = subspace_error(basis.leftCols(5), problem.vectors.leftCols(5));
      EXPECT_LT(error, 0.5 * before) << "seed " << seed << ", pass " << pass;
      before = error;
    }
  }
}

TEST(Nystroem, IsNotMisledByDirectionsThatAreOnlyRounding) {
  const RowMatrix<double> plane = low_rank_rows(50, 20, 3, 3);
  const RowMatrix<double> centred = plane.rowwise() - plane.colwise().mean();
  const Problem problem(centred);
  const RefinedPairs pairs = refine(problem.products(problem.vectors.leftCols(6)), 1, 2, 1e-13);
  EXPECT_LT(subspace_angle(pairs.basis.leftCols(3), problem.vectors.leftCols(3)), 1e-12);
  for (Index i = 3; i < pairs.values.size(); ++i) EXPECT_LT(pairs.values[i], 1e-13 * pairs.values[0]);
}

TEST(Nystroem, OfNoVarianceIsNothing) {
  const Matrix<double> basis = orthonormal_columns(5, 2, 4);
  EXPECT_EQ(refine({basis, Matrix<double>::Zero(5, 2), 0.0}, 1, 1, 1e-14).values.size(), 0);
}

}  // namespace
}  // namespace roipca
