#include "kernel_pca/landmarks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "kernel_pca/kernel_matrices.hpp"
#include "roipca/errors.hpp"
#include "support/rows.hpp"

namespace roipca::testing {
namespace {

using support::normal_rows;

// Landmarks, and which rows they are.
struct Kept {
  Landmarks landmarks;
  std::vector<Index> rows;

  void add(const Matrix<double>& k, Index row) {
    Vector<double> column(static_cast<Index>(rows.size()));
    for (Index j = 0; j < column.size(); ++j) column[j] = k(rows[static_cast<std::size_t>(j)], row);
    const auto dropped = landmarks.add(column, k(row, row));
    rows.push_back(row);
    if (dropped) rows.erase(rows.begin() + *dropped);
  }
};

// The kernel matrix of the rows projected onto the span of the kept ones.
Matrix<double> projected(const Matrix<double>& k, const std::vector<Index>& kept) {
  const Matrix<double> gram = k(kept, kept);
  const Matrix<double> against = k(kept, Eigen::all);
  return against.transpose() * gram.ldlt().solve(against);
}

TEST(Landmarks, WithABudgetForAllRowsHaveTheEigenvaluesOfTheKernelMatrix) {
  const Matrix<double> k = kernel_matrix(Kernel<double>::rbf(), normal_rows(60, 8, 1));
  for (const bool center : {true, false}) {
    Kept kept{Landmarks(60, 0.0, center), {}};
    for (Index i = 0; i < 60; ++i) kept.add(k, i);
    const auto values = dense_pairs(center ? centred(k) : k).values;
    EXPECT_EQ(kept.landmarks.size(), 60);
    EXPECT_LE((kept.landmarks.eigenpairs().values - values).norm(), 1e-12 * values[0]);
    EXPECT_EQ(kept.landmarks.lost(), 0.0);
  }
}

// A few points that are repeated.
TEST(Landmarks, CountRowsThatTheyRepresent) {
  const RowMatrix<double> points = normal_rows(7, 3, 2);
  RowMatrix<double> rows(100, 3);
  for (Index i = 0; i < 100; ++i) rows.row(i) = points.row(i * i % 7);
  const Matrix<double> k = kernel_matrix(Kernel<double>::rbf(), rows);
  Kept kept{Landmarks(7, 1e-6, true), {}};
  for (Index i = 0; i < 100; ++i) kept.add(k, i);
  const auto values = dense_pairs(centred(k)).values;
  EXPECT_EQ(kept.landmarks.size(), 4);  // squares modulo 7
  EXPECT_LE((kept.landmarks.eigenpairs().values - values.head(4)).norm(), 1e-12 * values[0]);
  EXPECT_LE(kept.landmarks.lost(), 1e-14);
}

// Ten points far apart, then rows close to them: with a coarse tolerance the points remain the landmarks, and
// the result is that of the kernel matrix of the projections.
TEST(Landmarks, ProjectRowsThatAreCloseEnough) {
  RowMatrix<double> rows = 0.2 * normal_rows(80, 2, 3);
  for (Index i = 0; i < 80; ++i) rows(i, 0) += 3.0 * static_cast<double>(i % 10);
  const Matrix<double> k = kernel_matrix(Kernel<double>::rbf(0.5), rows);
  const std::vector<Index> points{0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  for (const bool center : {true, false}) {
    Kept kept{Landmarks(20, 0.8, center), {}};
    for (Index i = 0; i < 80; ++i) kept.add(k, i);
    ASSERT_EQ(kept.rows, points);
    const Matrix<double> all = projected(k, points);
    const auto values = dense_pairs(center ? centred(all) : all).values;
    EXPECT_LE((kept.landmarks.eigenpairs().values - values.head(10)).norm(), 1e-12 * values[0]);
    EXPECT_NEAR(kept.landmarks.lost(), 1.0 - all.trace() / k.trace(), 1e-12);
  }
}

// One landmark too many: the one that an exhaustive search finds is dropped, and the result is the projection
// of the rows onto the others.
TEST(Landmarks, DropTheOneWhoseRemovalLosesLeast) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const Index budget = 8;
    const Matrix<double> k = kernel_matrix(Kernel<double>::rbf(0.3), normal_rows(budget + 1, 2, seed));
    Kept kept{Landmarks(budget, 0.0, false), {}};
    for (Index i = 0; i <= budget; ++i) kept.add(k, i);
    double most = 0.0;
    std::vector<Index> best;
    for (Index out = 0; out <= budget; ++out) {
      std::vector<Index> others;
      for (Index i = 0; i <= budget; ++i) {
        if (i != out) others.push_back(i);
      }
      const double left = projected(k, others).trace();
      if (left > most) {
        most = left;
        best = others;
      }
    }
    EXPECT_EQ(kept.rows, best) << seed;
    EXPECT_NEAR(kept.landmarks.lost(), 1.0 - most / k.trace(), 1e-12);
    const auto values = dense_pairs(projected(k, best)).values;
    EXPECT_LE((kept.landmarks.eigenpairs().values - values.head(budget)).norm(), 1e-10 * values[0]);
  }
}

// Two hundred rows in two tight groups and eight others spread out: their order does not matter.
TEST(Landmarks, AreChosenByWhatTheyRepresentAndNotByArrival) {
  RowMatrix<double> rows = 0.01 * normal_rows(208, 2, 4);
  for (Index i = 0; i < 200; ++i) rows(i, 0) += i % 2 == 0 ? 0.0 : 50.0;
  for (Index i = 200; i < 208; ++i) rows(i, 1) += 50.0 * static_cast<double>(i - 199);
  const Matrix<double> k = kernel_matrix(Kernel<double>::rbf(1.0), rows);
  for (const bool spread_first : {false, true}) {
    Kept kept{Landmarks(10, 0.05, true), {}};
    for (Index i = 0; i < 208; ++i) kept.add(k, spread_first ? 207 - i : i);
    Index spread = 0;
    for (const Index row : kept.rows) spread += row >= 200 ? 1 : 0;
    EXPECT_EQ(spread, 8);
    EXPECT_EQ(kept.landmarks.size(), 10);
    EXPECT_LE(kept.landmarks.lost(), 1e-3);
  }
}

TEST(Landmarks, RefuseValuesThatAreNotInnerProducts) {
  Landmarks landmarks(4, 1e-3, true);
  landmarks.add(Vector<double>(), 1.0);
  EXPECT_THROW(landmarks.add(Vector<double>::Constant(1, 2.0), 1.0), KernelError);
  EXPECT_THROW(landmarks.add(Vector<double>::Constant(1, 0.0), -1.0), KernelError);
  EXPECT_EQ(landmarks.size(), 1);
  EXPECT_EQ(landmarks.lost(), 0.0);
}

}  // namespace
}  // namespace roipca::testing
