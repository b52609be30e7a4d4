#include "linalg/products.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support/rows.hpp"

namespace roipca::linalg {
namespace {

using support::normal_rows;

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

// The definition, by plain loops.
Matrix<double> sums_of_products(const Matrix<double>& a, const Matrix<double>& b) {
  Matrix<double> c = Matrix<double>::Zero(a.rows(), b.cols());
  for (Index i = 0; i < a.rows(); ++i) {
    for (Index j = 0; j < b.cols(); ++j) {
      for (Index l = 0; l < a.cols(); ++l) c(i, j) += a(i, l) * b(l, j);
    }
  }
  return c;
}

// Sums of `terms` products of normal numbers, which are up to 5 each, in two orders.
double rounding(Index terms) {
  return 25.0 * static_cast<double>(terms) * static_cast<double>(terms) * kEpsilon;
}

struct Shape {
  Index rows;
  Index inner;
  Index columns;
};

// Eigen treats small products, and those with one column, in ways of their own.
class Products : public testing::TestWithParam<Shape> {
 protected:
  // Blocks of larger matrices, so that strides are not sizes.
  const RowMatrix<double> a_rows = normal_rows(GetParam().rows + 3, GetParam().inner + 2, 1);
  const RowMatrix<double> b_rows = normal_rows(GetParam().inner + 3, GetParam().columns + 2, 2);
  const Matrix<double> a_columns = a_rows;
  const Matrix<double> b_columns = b_rows;
  const Matrix<double> expected =
      sums_of_products(a_rows.topLeftCorner(GetParam().rows, GetParam().inner),
                       b_rows.topLeftCorner(GetParam().inner, GetParam().columns));
  const double tolerance = rounding(GetParam().inner);

  auto a_of(const auto& all) const { return all.topLeftCorner(GetParam().rows, GetParam().inner); }
  auto b_of(const auto& all) const { return all.topLeftCorner(GetParam().inner, GetParam().columns); }
  double error_of(const Matrix<double>& c) const { return (c - expected).cwiseAbs().maxCoeff(); }
};

TEST_P(Products, AreRightForEveryOrderOfStorage) {
  EXPECT_LE(error_of(product(a_of(a_rows), b_of(b_rows))), tolerance);
  EXPECT_LE(error_of(product(a_of(a_rows), b_of(b_columns))), tolerance);
  EXPECT_LE(error_of(product(a_of(a_columns), b_of(b_rows))), tolerance);
  EXPECT_LE(error_of(product(a_of(a_columns), b_of(b_columns))), tolerance);
}

TEST_P(Products, TakeTransposes) {
  const Matrix<double> a = a_of(a_rows).transpose();
  const RowMatrix<double> b = b_of(b_rows).transpose();
  EXPECT_LE(error_of(product(a.transpose(), b.transpose())), tolerance);
}

TEST_P(Products, OverwriteTheResultAndNothingBesideIt) {
  RowMatrix<double> c = RowMatrix<double>::Constant(GetParam().rows + 1, GetParam().columns + 1, 7.0);
  multiply(a_of(a_rows), b_of(b_columns), c.topLeftCorner(GetParam().rows, GetParam().columns));
  EXPECT_LE(error_of(c.topLeftCorner(GetParam().rows, GetParam().columns)), tolerance);
  EXPECT_TRUE((c.rightCols(1).array() == 7.0).all());
  EXPECT_TRUE((c.bottomRows(1).array() == 7.0).all());
}

TEST_P(Products, AreAddedTimesAFactor) {
  Matrix<double> c = 3.0 * expected;
  add_product(-2.0, a_of(a_columns), b_of(b_rows), c);
  EXPECT_LE(error_of(c), 4.0 * tolerance);
}

TEST_P(Products, WithAVectorAreAColumnOfTheProduct) {
  const Vector<double> x = b_of(b_rows).col(0);
  EXPECT_LE((apply(a_of(a_rows), x) - expected.col(0)).cwiseAbs().maxCoeff(), tolerance);
  Vector<double> y = 3.0 * expected.col(0);
  add_applied(-2.0, a_of(a_columns), x, y);
  EXPECT_LE((y - expected.col(0)).cwiseAbs().maxCoeff(), 4.0 * tolerance);
}

INSTANTIATE_TEST_SUITE_P(Shapes, Products,
                         testing::Values(Shape{1, 1, 1}, Shape{3, 5, 2}, Shape{40, 30, 1}, Shape{1, 30, 40},
                                         Shape{50, 1, 40}, Shape{70, 60, 50}));

}  // namespace
}  // namespace roipca::linalg
