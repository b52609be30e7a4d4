// Awkward but legal rows: the model is finite, orthonormal, and invents no variance.
#include <gtest/gtest.h>

#include <string>

#include "roipca/online_pca.hpp"
#include "support/dense_oracle.hpp"
#include "support/models.hpp"
#include "support/rows.hpp"

namespace roipca {
namespace {

using namespace support;

template <typename T>
class Awkward : public ::testing::Test {
 protected:
  // The basis was orthonormalised when read, or was rotated a few hundred times at most.
  static constexpr double kOrthonormal = 512 * kEpsilon<T>;

  static Model<T> model_of(const Way& method, Index n_components, const RowMatrix<T>& rows) {
    return OnlinePca<T>(options_for(method, n_components)).partial_fit(rows).model();
  }

  static void expect_sound(const Model<T>& model) {
    EXPECT_TRUE(all_finite(model));
    EXPECT_LT(orthonormality_error(as_columns(model.basis)), kOrthonormal);
    EXPECT_NO_THROW(check(model));
  }

  // Eigenvalues are squares, so rounding of the rows enters them squared.
  static void expect_no_variance_beyond(Index rank, const Model<T>& model) {
    const Index beyond = as_eigen(model.eigenvalues).size() - rank;
    if (beyond <= 0) return;
    const double largest = model.eigenvalues[0];
    EXPECT_LE(as_eigen(model.eigenvalues).tail(beyond).maxCoeff(),
              (kEpsilon<T> < 1e-10 ? 1e-12 : 1e-5) * largest);
  }
};
TYPED_TEST_SUITE(Awkward, Scalars);

TYPED_TEST(Awkward, ZeroRowsHaveNoVariance) {
  for (const Way& method : kAllMethods) {
    SCOPED_TRACE(name(method));
    const auto model = this->model_of(method, 2, RowMatrix<TypeParam>::Zero(30, 5));
    this->expect_sound(model);
    EXPECT_EQ(as_eigen(model.eigenvalues).maxCoeff(), 0.0);
  }
}

TYPED_TEST(Awkward, ConstantRowsHaveNoVariance) {
  for (const Way& method : kAllMethods) {
    SCOPED_TRACE(name(method));
    const auto model = this->model_of(method, 2, RowMatrix<TypeParam>::Constant(1000, 5, TypeParam{0.1F}));
    this->expect_sound(model);
    EXPECT_EQ(as_eigen(model.eigenvalues).maxCoeff(), 0.0);
  }
}

TYPED_TEST(Awkward, TheFirstRowAloneHasNoVariance) {
  for (const Way& method : kAllMethods) {
    SCOPED_TRACE(name(method));
    const auto model = this->model_of(method, 2, normal_rows(1, 5, 1).cast<TypeParam>());
    this->expect_sound(model);
    EXPECT_EQ(as_eigen(model.eigenvalues).maxCoeff(), 0.0);
  }
}

TYPED_TEST(Awkward, TheFirstRowAloneWithoutCentringIsItsOwnComponent) {
  const RowMatrix<TypeParam> row = normal_rows(1, 5, 1).cast<TypeParam>();
  for (const Way& method : kAllMethods) {
    SCOPED_TRACE(name(method));
    Options options = options_for(method, 2);
    options.center = false;
    const auto model = OnlinePca<TypeParam>(options).partial_fit(row).model();
    this->expect_sound(model);
    this->expect_no_variance_beyond(1, model);
    const double squared = row.template cast<double>().squaredNorm();
    EXPECT_NEAR(model.eigenvalues[0], squared, 8 * kEpsilon<TypeParam> * squared);
    EXPECT_LT(
        subspace_angle(row.transpose().template cast<double>().normalized(), reported_basis(model).col(0)),
        8 * kEpsilon<TypeParam>);
  }
}

TYPED_TEST(Awkward, TwoRowsThatAlternateSpanOneDirection) {
  RowMatrix<TypeParam> rows(100, 5);
  const RowMatrix<TypeParam> two = normal_rows(2, 5, 1).cast<TypeParam>();
  for (Index i = 0; i < 100; ++i) rows.row(i) = two.row(i % 2);
  const Matrix<double> direction = (two.row(1) - two.row(0)).template cast<double>().normalized().transpose();
  for (const Way& method : kAllMethods) {
    SCOPED_TRACE(name(method));
    const auto model = this->model_of(method, 2, rows);
    this->expect_sound(model);
    this->expect_no_variance_beyond(1, model);
    EXPECT_LT(subspace_angle(direction, reported_basis(model).leftCols(1)), 100 * kEpsilon<TypeParam>);
  }
}

TYPED_TEST(Awkward, ARankBelowTheComponentsIsFoundAndFilledUp) {
  const RowMatrix<TypeParam> rows = low_rank_rows(200, 9, 2, 1).cast<TypeParam>();
  const Matrix<double> plane = dense_pca(rows.template cast<double>()).vectors.leftCols(2);
  for (const Way& method : kAllMethods) {
    SCOPED_TRACE(name(method));
    const auto model = this->model_of(method, 5, rows);
    this->expect_sound(model);
    EXPECT_GE(model.basis.rows(), 5);
    EXPECT_LT(subspace_angle(plane, reported_basis(model).leftCols(2)), 200 * 2 * kEpsilon<TypeParam>);
  }
}

TYPED_TEST(Awkward, ThereIsNoVarianceBeyondARankBelowTheComponents) {
  const RowMatrix<TypeParam> rows = low_rank_rows(200, 9, 2, 1).cast<TypeParam>();
  for (const Way& method : kAllMethods) {
    SCOPED_TRACE(name(method));
    this->expect_no_variance_beyond(2, this->model_of(method, 5, rows));
  }
}

TYPED_TEST(Awkward, OneFeatureHasItsVariance) {
  const RowMatrix<TypeParam> rows = normal_rows(100, 1, 1).cast<TypeParam>();
  const double scatter = dense_pca(rows.template cast<double>()).values[0];
  for (const Way& method : kAllMethods) {
    if (method == Method::kCcipca) continue;  // its eigenvalues are means with other weights
    SCOPED_TRACE(name(method));
    const auto model = this->model_of(method, 1, rows);
    this->expect_sound(model);
    EXPECT_NEAR(model.eigenvalues[0], scatter, 100 * kEpsilon<TypeParam> * scatter);
  }
}

TYPED_TEST(Awkward, AsManyComponentsAsFeaturesAreSound) {
  const RowMatrix<TypeParam> rows = normal_rows(300, 7, 1).cast<TypeParam>();
  const auto oracle = dense_pca(rows.template cast<double>());
  for (const Way& method : kAllMethods) {
    SCOPED_TRACE(name(method));
    this->expect_sound(this->model_of(method, 7, rows));
  }
  for (const Way& method : kLosslessMethods) {
    EXPECT_LT(relative_difference(modelled_scatter(this->model_of(method, 7, rows)), oracle.scatter),
              300 * 7 * kEpsilon<TypeParam>)
        << name(method);
  }
}

TYPED_TEST(Awkward, WithoutANumberOfComponentsAllFeaturesAreReported) {
  const auto model = this->model_of(Method::kRoipca, 0, normal_rows(20, 7, 1).cast<TypeParam>());
  EXPECT_EQ(model.n_components, 7);
}

TYPED_TEST(Awkward, RowsOrthogonalToAllBeforeAreSound) {
  RowMatrix<TypeParam> rows(24, 8);
  for (Index i = 0; i < 24; ++i) rows.row(i) = Vector<TypeParam>::Unit(8, i % 8);
  for (const Way& method : kAllMethods) {
    for (const bool center : {true, false}) {
      SCOPED_TRACE(std::string(name(method)) + (center ? " centred" : ""));
      Options options = options_for(method, 3);
      options.center = center;
      this->expect_sound(OnlinePca<TypeParam>(options).partial_fit(rows).model());
    }
  }
}

TYPED_TEST(Awkward, ALongStreamOfEqualVariancesStaysOrthonormal) {
  const RowMatrix<TypeParam> rows = normal_rows(3000, 10, 1).cast<TypeParam>();
  for (const Way& method : kAllMethods) {
    SCOPED_TRACE(name(method));
    this->expect_sound(this->model_of(method, 4, rows));
  }
}

}  // namespace
}  // namespace roipca
