#include "basis/orthonormal.hpp"

#include <gtest/gtest.h>

#include <Eigen/QR>
#include <limits>

#include "support/models.hpp"
#include "support/rows.hpp"

namespace roipca {
namespace {

using namespace support;

template <typename T>
class Orthonormal : public ::testing::Test {
 protected:
  // Dot products of d numbers between unit vectors; Gram-Schmidt twice leaves a few roundings of each.
  static constexpr double kTolerance = 16 * kEpsilon<T>;

  static Matrix<T> orthonormalised(Matrix<T> q) {
    orthonormalise<T>(q);
    return q;
  }
};
TYPED_TEST_SUITE(Orthonormal, Scalars);

TYPED_TEST(Orthonormal, ColumnsOfAnyMatrixBecomeOrthonormal) {
  const auto q = this->orthonormalised(normal_rows(50, 8, 1).cast<TypeParam>());
  EXPECT_LT(orthonormality_error(q), this->kTolerance);
}

TYPED_TEST(Orthonormal, ColumnsOfASquareMatrixBecomeOrthonormal) {
  const auto q = this->orthonormalised(normal_rows(12, 12, 1).cast<TypeParam>());
  EXPECT_LT(orthonormality_error(q), this->kTolerance);
}

TYPED_TEST(Orthonormal, NearlyDependentColumnsBecomeOrthonormal) {
  Matrix<TypeParam> q = normal_rows(50, 8, 1).cast<TypeParam>();
  for (Index j = 1; j < 8; ++j)
    q.col(j) = q.col(0) + static_cast<TypeParam>(1e3 * kEpsilon<TypeParam>) * q.col(j);
  EXPECT_LT(orthonormality_error(this->orthonormalised(q)), this->kTolerance);
}

TYPED_TEST(Orthonormal, ItIsTheQrFactorWithAPositiveDiagonal) {
  const Matrix<double> a = normal_rows(50, 8, 1).cast<TypeParam>().template cast<double>();
  const Eigen::HouseholderQR<Matrix<double>> qr(a);
  Matrix<double> expected = qr.householderQ() * Matrix<double>::Identity(50, 8);
  for (Index j = 0; j < 8; ++j) {
    if (qr.matrixQR()(j, j) < 0.0) expected.col(j) *= -1.0;
  }
  const auto q = this->orthonormalised(a.cast<TypeParam>());
  // The condition number of a normal 50 x 8 matrix is about 2.
  EXPECT_LT((q.template cast<double>() - expected).cwiseAbs().maxCoeff(), 4 * this->kTolerance);
}

TYPED_TEST(Orthonormal, OrthonormalColumnsStayWhereTheyAre) {
  const Matrix<TypeParam> q = orthonormal_columns(50, 8, 1).cast<TypeParam>();
  EXPECT_LT((this->orthonormalised(q) - q).cwiseAbs().maxCoeff(), this->kTolerance);
}

TYPED_TEST(Orthonormal, ARepeatedColumnIsReplaced) {
  Matrix<TypeParam> q = normal_rows(50, 4, 1).cast<TypeParam>();
  q.col(2) = q.col(1);
  EXPECT_LT(orthonormality_error(this->orthonormalised(q)), this->kTolerance);
}

TYPED_TEST(Orthonormal, AReplacedColumnDoesNotMoveTheOthers) {
  Matrix<TypeParam> q = Matrix<TypeParam>::Identity(6, 4);
  q.col(2) = q.col(0) + q.col(1);
  EXPECT_EQ(this->orthonormalised(q).col(3), q.col(3));
}

TYPED_TEST(Orthonormal, AZeroColumnIsReplaced) {
  Matrix<TypeParam> q = normal_rows(50, 4, 1).cast<TypeParam>();
  q.col(0).setZero();
  EXPECT_LT(orthonormality_error(this->orthonormalised(q)), this->kTolerance);
}

TYPED_TEST(Orthonormal, ColumnsThatAreNotNumbersAreReplaced) {
  Matrix<TypeParam> q = normal_rows(50, 4, 1).cast<TypeParam>();
  q(3, 1) = std::numeric_limits<TypeParam>::quiet_NaN();
  q(7, 2) = std::numeric_limits<TypeParam>::infinity();
  EXPECT_LT(orthonormality_error(this->orthonormalised(q)), this->kTolerance);
}

TYPED_TEST(Orthonormal, LongAndShortColumnsBecomeOrthonormal) {
  Matrix<TypeParam> q = normal_rows(50, 4, 1).cast<TypeParam>();
  q.col(1) *= TypeParam{1e-30F};
  q.col(2) *= TypeParam{1e30F};
  EXPECT_LT(orthonormality_error(this->orthonormalised(q)), this->kTolerance);
}

TYPED_TEST(Orthonormal, CompleteFillsUpFromEveryRank) {
  const Matrix<TypeParam> known = orthonormal_columns(9, 9, 1).cast<TypeParam>();
  for (Index rank = 0; rank <= 9; ++rank) {
    Matrix<TypeParam> q = Matrix<TypeParam>::Constant(9, 9, std::numeric_limits<TypeParam>::quiet_NaN());
    q.leftCols(rank) = known.leftCols(rank);
    complete<TypeParam>(q, rank);
    EXPECT_LT(orthonormality_error(q), this->kTolerance) << rank;
  }
}

TYPED_TEST(Orthonormal, CompleteLeavesTheKnownColumnsAlone) {
  Matrix<TypeParam> q = orthonormal_columns(9, 6, 1).cast<TypeParam>();
  const Matrix<TypeParam> known = q.leftCols(3);
  complete<TypeParam>(q, 3);
  EXPECT_EQ(q.leftCols(3), known);
}

TYPED_TEST(Orthonormal, CompleteGivesTheSameColumnsWhateverStoodThere) {
  Matrix<TypeParam> a = orthonormal_columns(9, 6, 1).cast<TypeParam>();
  Matrix<TypeParam> b = a;
  b.rightCols(3).setConstant(TypeParam{5});
  complete<TypeParam>(a, 3);
  complete<TypeParam>(b, 3);
  EXPECT_EQ(a, b);
}

}  // namespace
}  // namespace roipca
