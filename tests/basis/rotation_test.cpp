#include "basis/rotation.hpp"

#include <gtest/gtest.h>

#include "support/models.hpp"
#include "support/rows.hpp"

namespace roipca {
namespace {

using namespace support;

// Widths below, at and above a vector, and widths that are not a multiple of one.
constexpr std::array<Index, 7> kWidths = {1, 5, 63, 64, 65, 128, 200};

template <typename T>
class Rotate : public ::testing::Test {
 protected:
  static simd::AlignedRows<T> rows(Index count, Index length, unsigned seed) {
    simd::AlignedRows<T> rows(count, length);
    rows.columns(count) = normal_rows(length, count, seed).template cast<T>();
    return rows;
  }
  static Matrix<double> columns(const simd::AlignedRows<T>& rows, Index count) {
    return rows.columns(count).template cast<double>();
  }
};
TYPED_TEST_SUITE(Rotate, Scalars);

// Sums of up to 20 products of numbers up to about 4 each.
template <typename T>
constexpr double kTolerance = 20 * 16 * kEpsilon<T>;

TYPED_TEST(Rotate, ApplyWithoutExtraIsTheProduct) {
  for (const Index d : kWidths) {
    auto rows = this->rows(6, d, 1);
    const Matrix<double> v = normal_rows(6, 4, 2);
    const Matrix<double> expected = this->columns(rows, 6) * v;
    Rotation<TypeParam>(6).apply(rows, nullptr, v);
    EXPECT_LT((this->columns(rows, 4) - expected).cwiseAbs().maxCoeff(), kTolerance<TypeParam>) << d;
  }
}

TYPED_TEST(Rotate, ApplyWithExtraIsTheProductWithOneMoreRow) {
  for (const Index d : kWidths) {
    auto rows = this->rows(6, d, 1);
    const auto extra = this->rows(1, d, 3);
    const Matrix<double> v = normal_rows(7, 6, 2);
    Matrix<double> wide(d, 7);
    wide << this->columns(rows, 6), this->columns(extra, 1);
    Rotation<TypeParam>(7).apply(rows, extra.row(0), v);
    EXPECT_LT((this->columns(rows, 6) - wide * v).cwiseAbs().maxCoeff(), kTolerance<TypeParam>) << d;
  }
}

TYPED_TEST(Rotate, ApplyCanAddARow) {
  auto rows = this->rows(6, 100, 1);
  const auto extra = this->rows(1, 100, 3);
  const Matrix<double> v = normal_rows(4, 4, 2);
  Matrix<double> wide(100, 4);
  wide << this->columns(rows, 3), this->columns(extra, 1);
  Rotation<TypeParam>(7).apply(rows, extra.row(0), v);
  EXPECT_LT((this->columns(rows, 4) - wide * v).cwiseAbs().maxCoeff(), kTolerance<TypeParam>);
}

TYPED_TEST(Rotate, ApplyDoesNotChangeTheRowsAfterIts) {
  auto rows = this->rows(6, 100, 1);
  const Matrix<double> behind = this->columns(rows, 6).rightCols(2);
  Rotation<TypeParam>(6).apply(rows, nullptr, normal_rows(6, 4, 2));
  EXPECT_EQ(this->columns(rows, 6).rightCols(2), behind);
}

}  // namespace
}  // namespace roipca
