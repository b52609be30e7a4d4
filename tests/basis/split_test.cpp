#include "basis/split.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/models.hpp"
#include "support/rows.hpp"

namespace roipca {
namespace {

using namespace support;

template <typename T>
class Split : public ::testing::Test {
 protected:
  static constexpr Index kFeatures = 131;
  static constexpr Index kColumns = 7;
  const Matrix<T> q_ = orthonormal_columns(kFeatures, kColumns, 1).cast<T>();

  struct Parts {
    Vector<double> z;
    Vector<T> r;
    double length;
  };
  Parts split(const Vector<T>& v) const { return split(q_, v); }
  static Parts split(const Matrix<T>& q, const Vector<T>& v) {
    const Index k = q.cols();
    simd::AlignedRows<T> rows(k + 1, q.rows());
    rows.columns(k) = q;
    auto row = rows.columns(k + 1).col(k);
    row = v;
    Splitter<T> splitter(k);
    const double squared = v.template cast<double>().squaredNorm();
    const double length = splitter.split(rows.view(k), rows.padded_length(), squared, row.data());
    EXPECT_EQ(splitter.coordinates()[k], length);
    return {splitter.coordinates().head(k), row, length};
  }
  Vector<T> in_span() const { return q_ * Vector<T>::LinSpaced(kColumns, T{1}, T{2}); }
  Vector<T> random() const { return normal_rows(1, kFeatures, 2).row(0).transpose().template cast<T>(); }
};
TYPED_TEST_SUITE(Split, Scalars);

// A dot product of d numbers, rounded d times: at most d epsilon |v|, in practice sqrt(d) epsilon |v|.
template <typename T>
constexpr double kDotError = 131 * kEpsilon<T>;

TYPED_TEST(Split, CoordinatesAreTheDotProductsInLongDouble) {
  const auto v = this->random();
  const Vector<long double> z =
      this->q_.template cast<long double>().transpose() * v.template cast<long double>();
  EXPECT_LT((this->split(v).z - z.template cast<double>()).cwiseAbs().maxCoeff(),
            kDotError<TypeParam> * v.norm());
}

TYPED_TEST(Split, TheResidualIsWhatTheProjectionLeavesInLongDouble) {
  const auto v = this->random();
  const Matrix<long double> q = this->q_.template cast<long double>();
  const Vector<long double> wide = v.template cast<long double>();
  const Vector<double> r = (wide - q * (q.transpose() * wide)).template cast<double>();
  EXPECT_LT((this->split(v).r.template cast<double>() - r).norm(), kDotError<TypeParam> * v.norm());
}

TYPED_TEST(Split, TheLengthIsThatOfTheResidual) {
  const auto parts = this->split(this->random());
  EXPECT_NEAR(parts.length, parts.r.template cast<double>().norm(), kDotError<TypeParam> * parts.length);
}

TYPED_TEST(Split, ARowInTheSpanHasNoResidual) { EXPECT_EQ(this->split(this->in_span()).length, 0.0); }

TYPED_TEST(Split, ARowOrthogonalToTheSpanIsItsOwnResidual) {
  const Matrix<TypeParam> all = orthonormal_columns(131, 8, 1).cast<TypeParam>();
  const Vector<TypeParam> v = all.col(7);
  EXPECT_LT((this->split(v).r - v).norm(), kDotError<TypeParam>);
}

TYPED_TEST(Split, NearlyInTheSpanTheResidualIsStillOrthogonal) {
  for (const double part : {1e-1, 1e-2, 1e3 * kEpsilon<TypeParam>}) {
    const Vector<TypeParam> v = this->in_span() + static_cast<TypeParam>(part) * this->random();
    const auto parts = this->split(v);
    ASSERT_GT(parts.length, 0.0) << part;
    const Vector<double> along =
        this->q_.template cast<double>().transpose() * parts.r.template cast<double>();
    EXPECT_LT(along.norm(), kDotError<TypeParam> * parts.length) << part;
  }
}

// A basis that has drifted as far as allowed: a projection leaves the drift times the removed part in the
// span. This must not be taken for a direction, nor be part of one.
TYPED_TEST(Split, TheResidualIsOrthogonalToABasisThatHasDrifted) {
  const double drift = 256 * kEpsilon<TypeParam>;
  const Matrix<double> turn = Matrix<double>::Identity(7, 7) + drift * normal_rows(7, 7, 5);
  const Matrix<TypeParam> q = (this->q_.template cast<double>() * turn).template cast<TypeParam>();
  for (const double part : {1e-1, 1e3 * kEpsilon<TypeParam>, 32 * kEpsilon<TypeParam>}) {
    const Vector<TypeParam> v = this->in_span() + static_cast<TypeParam>(part) * this->random();
    const auto parts = this->split(q, v);
    ASSERT_GT(parts.length, 0.0) << part;
    const Vector<double> along = q.template cast<double>().transpose() * parts.r.template cast<double>();
    EXPECT_LT(along.norm(), kDotError<TypeParam> * parts.length) << part;
  }
}

TYPED_TEST(Split, ARowInTheSpanOfABasisThatHasDriftedHasNoResidual) {
  const double drift = 256 * kEpsilon<TypeParam>;
  const Matrix<double> turn = Matrix<double>::Identity(7, 7) + drift * normal_rows(7, 7, 5);
  const Matrix<TypeParam> q = (this->q_.template cast<double>() * turn).template cast<TypeParam>();
  const Vector<TypeParam> v = q * Vector<TypeParam>::LinSpaced(7, TypeParam{1}, TypeParam{2});
  EXPECT_EQ(this->split(q, v).length, 0.0);
}

TYPED_TEST(Split, AnEmptyBasisLeavesTheWholeRow) {
  const auto v = this->random();
  const auto parts = this->split(Matrix<TypeParam>(131, 0), v);
  EXPECT_EQ(parts.r, v);
  EXPECT_NEAR(parts.length, v.template cast<double>().norm(), kDotError<TypeParam> * parts.length);
}

TYPED_TEST(Split, ASquareBasisLeavesNothing) {
  const Matrix<TypeParam> q = orthonormal_columns(9, 9, 3).cast<TypeParam>();
  EXPECT_EQ(this->split(q, normal_rows(9, 1, 4).cast<TypeParam>()).length, 0.0);
}

}  // namespace
}  // namespace roipca
