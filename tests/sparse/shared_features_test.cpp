// Features of sparse rows, arranged for products of X X^T.
#include "sparse/shared_features.hpp"

#include <gtest/gtest.h>

namespace roipca {
namespace {

// Three rows of six features: one feature that no row has, two that one row has, and three shared ones.
CsrRows<double> three_rows() {
  CsrRows<double> rows;
  rows.indices = {0, 1, 4, 1, 2, 3, 4, 1, 4};
  rows.values = {2.0, 1.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, -1.0};
  rows.starts = {0, 3, 7, 9};
  return rows;
}

Matrix<double> dense(const CsrRows<double>& rows, Index columns) {
  Matrix<double> x = Matrix<double>::Zero(rows.count(), columns);
  for (Index i = 0; i < rows.count(); ++i) {
    for (Index e = 0; e < rows.length_of(i); ++e) x(i, rows.indices_of(i)[e]) += rows.values_of(i)[e];
  }
  return x;
}

TEST(SharedFeatures, AddUpToTheProductsOfTheRows) {
  const auto rows = three_rows();
  const SharedFeatures<double> shared(rows.transposed(6), rows.count());
  const Matrix<double> x = dense(rows, 6);
  const Matrix<double> l = dense(shared.lists, rows.count()).transpose();
  const Matrix<double> sum = shared.of_one_row.asDiagonal();
  EXPECT_EQ(x * x.transpose(), sum + l * l.transpose());  // small integers: exact
}

TEST(SharedFeatures, AreOrderedByTheirNumberOfRows) {
  CsrRows<double> rows = three_rows();
  rows.indices.push_back(3);  // feature 3 then has two rows, features 1 and 4 have three
  rows.values.push_back(1.0);
  rows.starts.back() = 10;
  const SharedFeatures<double> shared(rows.transposed(6), rows.count());
  ASSERT_EQ(shared.lists.count(), 3);
  EXPECT_EQ(shared.lists.length_of(0), 2);
  EXPECT_EQ(shared.lists.length_of(1), 3);
  EXPECT_EQ(shared.lists.length_of(2), 3);
}

TEST(SharedFeatures, AreNoneIfNoTwoRowsHaveOne) {
  CsrRows<double> rows;
  rows.indices = {0, 2};
  rows.values = {3.0, 4.0};
  rows.starts = {0, 1, 2};
  const SharedFeatures<double> shared(rows.transposed(3), 2);
  EXPECT_EQ(shared.lists.count(), 0);
  EXPECT_EQ(shared.of_one_row[0], 9.0);
  EXPECT_EQ(shared.of_one_row[1], 16.0);
}

}  // namespace
}  // namespace roipca
