// Deferred rotations must give the same result as immediate ones, in long double.
#include "basis/deferred_basis.hpp"

#include <gtest/gtest.h>

#include <Eigen/QR>
#include <algorithm>
#include <vector>

#include "support/models.hpp"
#include "support/rows.hpp"

namespace roipca {
namespace {

using namespace support;

using Wide = Matrix<long double>;

template <typename T>
class Deferred : public ::testing::Test {
 protected:
  static constexpr Index kFeatures = 61;
  static constexpr Index kCapacity = 7;

  // Projects the rows onto a basis that begins with `start` columns, rotating it at random after each, and
  // does the same in long double. Returns the largest difference, relative to 1.
  static double worst_difference(const RowMatrix<double>& rows, Index start) {
    DeferredBasis<T> basis(kFeatures, kCapacity);
    const Matrix<T> columns = orthonormal_columns(kFeatures, start, 1).cast<T>();
    basis.start(columns);
    Wide q = columns.template cast<long double>();
    double worst = 0.0;
    for (Index from = 0; from < rows.rows(); from += DeferredBasis<T>::kGroup) {
      const Index count = std::min(DeferredBasis<T>::kGroup, rows.rows() - from);
      std::vector<double> squares;
      for (Index i = 0; i < count; ++i) {
        Eigen::Map<Vector<T>> slot(basis.slot(), kFeatures);
        slot = rows.row(from + i).transpose().cast<T>();
        squares.push_back(slot.template cast<double>().squaredNorm());
        basis.add();
      }
      basis.project(squares.data());
      for (Index i = 0; i < count; ++i) {
        const double residual = basis.split(i, squares[static_cast<std::size_t>(i)]);
        const Vector<long double> v =
            rows.row(from + i).transpose().template cast<T>().template cast<long double>();
        const Vector<long double> z = q.transpose() * v;
        Vector<long double> r = v - q * z;
        r -= q * (q.transpose() * r);
        const double size = static_cast<double>(v.norm());
        const auto off = [&](double x) { worst = std::max(worst, std::abs(x) / size); };
        off((basis.z() - z.template cast<double>()).norm());
        off(residual - static_cast<double>(r.norm()));

        const Index order = q.cols() + (residual > 0.0 ? 1 : 0);
        const Matrix<double> turn = orthonormal_columns(order, std::min(order, kCapacity), 2);
        Wide wide(kFeatures, order);
        wide.leftCols(q.cols()) = q;
        if (residual > 0.0) wide.col(q.cols()) = r / r.norm();
        q = wide * turn.cast<long double>();
        basis.rotate(turn);
      }
      if (basis.rows_taken() == basis.block()) {
        basis.apply();
        worst = std::max(worst, difference(basis, q));
      }
    }
    basis.apply();
    return std::max(worst, difference(basis, q));
  }

  static double difference(DeferredBasis<T>& basis, const Wide& q) {
    EXPECT_EQ(basis.rank(), q.cols());
    return (basis.columns().template cast<double>() - q.cast<double>()).cwiseAbs().maxCoeff();
  }

  // Dot products of d numbers, and as many rounded rotations as there are rows.
  static double tolerance(Index rows) { return static_cast<double>(kFeatures + 8 * rows) * kEpsilon<T>; }
};
TYPED_TEST_SUITE(Deferred, Scalars);

TYPED_TEST(Deferred, EqualsRotationsAtOnce) {
  for (const Index rows : {1, 3, 4, 5, 8, 9, 40}) {
    EXPECT_LT(this->worst_difference(normal_rows(rows, 61, 3), 7), this->tolerance(rows)) << rows;
  }
}

TYPED_TEST(Deferred, GrowsFromNothing) {
  EXPECT_LT(this->worst_difference(normal_rows(20, 61, 3), 0), this->tolerance(20));
}

TYPED_TEST(Deferred, HandlesARepeatedRow) {
  const RowMatrix<double> rows = normal_rows(1, 61, 3).replicate(8, 1);
  // From an empty basis: a row in the span has no residual, so noise is not taken for a direction.
  EXPECT_LT(this->worst_difference(rows, 0), this->tolerance(8));
}

// The residual of the second row is nearly parallel to that of the first, so most of it is removed.
TYPED_TEST(Deferred, HandlesRowsWhoseResidualsAreNearlyParallel) {
  for (const double part : {1e-1, 1e-2}) {
    RowMatrix<double> rows = part * normal_rows(12, 61, 3);
    rows.rowwise() += normal_rows(1, 61, 4).row(0);
    // The residual is `part` of the row, and its relative error is larger by the inverse of that.
    EXPECT_LT(this->worst_difference(rows, 7), this->tolerance(12) / part) << part;
  }
}

TYPED_TEST(Deferred, KeepsTheColumnsThatItStartsFrom) {
  DeferredBasis<TypeParam> basis(61, 7);
  const Matrix<TypeParam> columns = orthonormal_columns(61, 5, 1).cast<TypeParam>();
  basis.start(columns);
  basis.apply();
  EXPECT_EQ(Matrix<TypeParam>(basis.columns()), columns);
}

}  // namespace
}  // namespace roipca
