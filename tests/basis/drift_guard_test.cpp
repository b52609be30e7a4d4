#include <gtest/gtest.h>

#include <Eigen/SVD>

#include "basis/orthonormal.hpp"
#include "support/models.hpp"
#include "support/rows.hpp"

namespace roipca {
namespace {

using namespace support;

template <typename T>
class Drift : public ::testing::Test {
 protected:
  static constexpr Index kFeatures = 90;
  static constexpr Index kColumns = 6;

  // Each entry of Q^T Q is wrong by about `size`.
  static Matrix<T> drifted(double size) {
    const Matrix<double> q = orthonormal_columns(kFeatures, kColumns, 1);
    return (q + size / 2.0 * q * normal_rows(kColumns, kColumns, 2)).cast<T>();
  }

  // The largest number of calls before the guard measures once: 128, or ten per column.
  static Matrix<T> watched(Matrix<T> q) {
    DriftGuard<T> guard(kColumns);
    for (int i = 0; i < 128; ++i) guard.watch(q, i);
    return q;
  }

  static Matrix<double> polar_factor(const Matrix<T>& q) {
    const Eigen::JacobiSVD<Matrix<double>> svd(q.template cast<double>(),
                                               Eigen::ComputeThinU | Eigen::ComputeThinV);
    return svd.matrixU() * svd.matrixV().transpose();
  }
};
TYPED_TEST_SUITE(Drift, Scalars);

// Drifts from just above the tolerance of the guard to a basis that is nearly singular.
constexpr std::array kDrifts = {1e-4, 1e-3, 1e-2, 2e-2};

TYPED_TEST(Drift, ADriftedBasisIsRestoredToRounding) {
  for (const double drift : kDrifts) {
    // Sums of 90 products, and the rounding of the last step.
    EXPECT_LT(orthonormality_error(this->watched(this->drifted(drift))), 16 * kEpsilon<TypeParam>) << drift;
  }
}

TYPED_TEST(Drift, ADriftedBasisBecomesItsPolarFactor) {
  for (const double drift : kDrifts) {
    const auto q = this->drifted(drift);
    const Matrix<double> restored = this->watched(q).template cast<double>();
    EXPECT_LT((restored - this->polar_factor(q)).cwiseAbs().maxCoeff(), 16 * kEpsilon<TypeParam>) << drift;
  }
}

TYPED_TEST(Drift, ABasisFarFromOrthonormalBecomesOrthonormal) {
  EXPECT_LT(orthonormality_error(this->watched(this->drifted(3.0))), 16 * kEpsilon<TypeParam>);
}

TYPED_TEST(Drift, ADriftBelowTheToleranceIsLeftAlone) {
  const auto q = this->drifted(DriftGuard<TypeParam>::tolerance() / 8.0);
  EXPECT_EQ(this->watched(q), q);
}

TYPED_TEST(Drift, AGuardForMoreColumnsAlsoWatchesFewer) {
  Matrix<TypeParam> q = this->drifted(1e-3);
  DriftGuard<TypeParam> guard(20);
  for (int i = 0; i < 128; ++i) guard.watch(q, i);
  EXPECT_LT(orthonormality_error(q), 16 * kEpsilon<TypeParam>);
}

}  // namespace
}  // namespace roipca
