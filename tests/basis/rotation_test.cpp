#include "basis/rotation.hpp"

#include <gtest/gtest.h>

#include "support/models.hpp"
#include "support/rows.hpp"

namespace roipca {
namespace {

using namespace support;

// Widths below, at and above the slab of 64 features, and widths that are not a multiple of it.
constexpr std::array<Index, 7> kWidths = {1, 5, 63, 64, 65, 128, 200};

template <typename T>
class Rotate : public ::testing::Test {
 protected:
  static Matrix<T> matrix(Index rows, Index cols, unsigned seed) {
    return normal_rows(rows, cols, seed).template cast<T>();
  }
};
TYPED_TEST_SUITE(Rotate, Scalars);

// Sums of up to 20 products of numbers up to about 4 each.
template <typename T>
constexpr double kTolerance = 20 * 16 * kEpsilon<T>;

TYPED_TEST(Rotate, ApplyWithoutExtraIsTheProduct) {
  for (const Index d : kWidths) {
    Matrix<TypeParam> basis = this->matrix(d, 6, 1);
    const Matrix<double> v = normal_rows(6, 4, 2);
    const Matrix<double> expected = basis.template cast<double>() * v;
    Rotation<TypeParam>(6).apply(basis, Vector<TypeParam>(), v);
    EXPECT_LT((basis.leftCols(4).template cast<double>() - expected).cwiseAbs().maxCoeff(),
              kTolerance<TypeParam>)
        << d;
  }
}

TYPED_TEST(Rotate, ApplyWithExtraIsTheProductWithOneMoreColumn) {
  for (const Index d : kWidths) {
    Matrix<TypeParam> basis = this->matrix(d, 6, 1);
    const Vector<TypeParam> extra = this->matrix(d, 1, 3);
    const Matrix<double> v = normal_rows(7, 6, 2);
    Matrix<double> wide(d, 7);
    wide << basis.template cast<double>(), extra.template cast<double>();
    Rotation<TypeParam>(7).apply(basis, extra, v);
    EXPECT_LT((basis.template cast<double>() - wide * v).cwiseAbs().maxCoeff(), kTolerance<TypeParam>) << d;
  }
}

TYPED_TEST(Rotate, ApplyCanGrowTheBasisByTheExtraColumn) {
  Matrix<TypeParam> basis = this->matrix(100, 6, 1);
  const Vector<TypeParam> extra = this->matrix(100, 1, 3);
  const Matrix<double> v = normal_rows(4, 4, 2);
  Matrix<double> wide(100, 4);
  wide << basis.leftCols(3).template cast<double>(), extra.template cast<double>();
  Rotation<TypeParam>(7).apply(basis, extra, v);
  EXPECT_LT((basis.leftCols(4).template cast<double>() - wide * v).cwiseAbs().maxCoeff(),
            kTolerance<TypeParam>);
}

TYPED_TEST(Rotate, ApplyDoesNotChangeTheColumnsAfterIts) {
  Matrix<TypeParam> basis = this->matrix(100, 6, 1);
  const Matrix<TypeParam> behind = basis.rightCols(2);
  Rotation<TypeParam>(6).apply(basis, Vector<TypeParam>(), normal_rows(6, 4, 2));
  EXPECT_EQ(basis.rightCols(2), behind);
}

}  // namespace
}  // namespace roipca
