// What binds to the views of the library's border, and what does not.
#include "roipca/types.hpp"

#include <gtest/gtest.h>

#include <array>
#include <span>
#include <type_traits>
#include <vector>

#include "roipca/eigen.hpp"

namespace roipca {
namespace {

using RowMajorMatrix = EigenRows<double>;
using ColumnMajorMatrix = EigenColumns<double>;

template <typename From, typename To>
constexpr bool kBinds = std::is_convertible_v<From, To>;

static_assert(kBinds<RowMajorMatrix, Rows<double>>);
static_assert(kBinds<Eigen::Map<const RowMajorMatrix>, Rows<double>>);
static_assert(kBinds<Eigen::Ref<const RowMajorMatrix>, Rows<double>>);
static_assert(kBinds<decltype(RowMajorMatrix().middleRows(0, 1)), Rows<double>>);
static_assert(kBinds<OwnedRows<double>, Rows<double>>);
static_assert(kBinds<Eigen::RowVectorXd, Rows<double>>);

static_assert(!kBinds<ColumnMajorMatrix, Rows<double>>);
static_assert(!kBinds<RowMajorMatrix, Rows<float>>);
static_assert(!kBinds<decltype(-RowMajorMatrix()), Rows<double>>);
static_assert(!kBinds<Eigen::Map<RowMajorMatrix, 0, Eigen::Stride<-1, -1>>, Rows<double>>);

static_assert(kBinds<std::vector<double>, Row<double>>);
static_assert(kBinds<std::array<double, 3>, Row<double>>);
static_assert(kBinds<std::span<const double>, Row<double>>);
static_assert(kBinds<Eigen::VectorXd, Row<double>>);
static_assert(kBinds<decltype(RowMajorMatrix().row(0)), Row<double>>);
static_assert(kBinds<Row<double>, std::span<const double>>);

static_assert(!kBinds<std::vector<float>, Row<double>>);
static_assert(!kBinds<decltype(RowMajorMatrix().col(0)), Row<double>>);
static_assert(!kBinds<ColumnMajorMatrix, Row<double>>);

RowMajorMatrix numbers() {
  RowMajorMatrix matrix(3, 4);
  for (Index i = 0; i < 3; ++i) {
    for (Index j = 0; j < 4; ++j) matrix(i, j) = static_cast<double>(10 * i + j);
  }
  return matrix;
}

TEST(RowsView, OfABlockSkipsTheRestOfEachRow) {
  const RowMajorMatrix matrix = numbers();
  const Rows<double> rows = matrix.block(1, 1, 2, 2);
  EXPECT_EQ(rows.data(), &matrix(1, 1));
  EXPECT_EQ(rows.stride(), 4);
  EXPECT_EQ(rows(1, 1), 22.0);
  EXPECT_EQ(as_eigen(rows), matrix.block(1, 1, 2, 2));
}

TEST(RowsView, SlicesAreTheRowsInBetween) {
  const RowMajorMatrix matrix = numbers();
  EXPECT_EQ(as_eigen(Rows<double>(matrix).slice(1, 2)), matrix.bottomRows(2));
}

TEST(RowsView, ARowIsContiguous) {
  const RowMajorMatrix matrix = numbers();
  const Row<double> row = Rows<double>(matrix).row(2);
  EXPECT_EQ(std::vector<double>(row.begin(), row.end()), (std::vector<double>{20, 21, 22, 23}));
  EXPECT_EQ(row.slice(1, 2)[1], 22.0);
}

TEST(OwnedRows, AreCopiedFromAnyExpression) {
  const ColumnMajorMatrix matrix = numbers();
  const OwnedRows<double> rows = to_rows(2.0 * matrix);
  EXPECT_EQ(rows(2, 1), 42.0);
  EXPECT_EQ(as_eigen(rows), numbers() * 2.0);
  EXPECT_EQ(as_columns(rows), numbers().transpose() * 2.0);
}

TEST(OwnedRows, ThatGrowKeepTheirNumbers) {
  OwnedRows<double> rows = to_rows(numbers());
  rows.resize(4, 4);
  EXPECT_EQ(as_eigen(rows).topRows(3), numbers());
  EXPECT_EQ(as_eigen(rows).row(3).cwiseAbs().maxCoeff(), 0.0);
}

TEST(OwnedRows, AreEqualWhereShapeAndNumbersAre) {
  EXPECT_EQ(to_rows(numbers()), to_rows(numbers()));
  EXPECT_NE(to_rows(numbers()), to_rows(2.0 * numbers()));
  EXPECT_NE(OwnedRows<double>(2, 3), OwnedRows<double>(3, 2));
}

TEST(AsEigen, OfATemporaryOwnsItsNumbers) {
  const auto vector = as_eigen(std::vector<double>{1.0, 2.0});
  const auto rows = as_eigen(to_rows(numbers()));
  static_assert(std::is_same_v<decltype(vector), const Eigen::VectorXd>);
  EXPECT_EQ(vector.sum(), 3.0);
  EXPECT_EQ(rows, numbers());
}

TEST(AsEigen, WritesToTheNumbersThemselves) {
  std::vector<double> vector(2);
  as_eigen(vector)[1] = 5.0;
  EXPECT_EQ(vector[1], 5.0);
  OwnedRows<double> rows(2, 3);
  as_columns(rows)(2, 1) = 7.0;
  EXPECT_EQ(rows(1, 2), 7.0);
}

}  // namespace
}  // namespace roipca
