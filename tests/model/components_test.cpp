// Components, and rows to and from their scores.
#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <stdexcept>
#include <string>

#include "roipca/batch_pca.hpp"
#include "support/models.hpp"
#include "support/rows.hpp"

namespace roipca {
namespace {

using namespace support;

template <typename T>
class Components : public ::testing::Test {
 protected:
  // More rows than are processed at a time (96), and not a multiple of it.
  static RowMatrix<T> rows() {
    RowMatrix<double> rows = decaying_rows(150, 9, 0.7, 1);
    rows.array() += 2.0;
    return rows.cast<T>();
  }
  const RowMatrix<T> rows_ = rows();
  const Model<T> model_ = batch_pca<T>(rows_, options_for(Method::kRoipca, 4));
  const Model<T> full_ = batch_pca<T>(rows_, options_for(Method::kRoipca, 0));
  // A sum of 9 products of numbers up to about 5.
  static constexpr double kTolerance = 9 * 5 * kEpsilon<T>;
};
TYPED_TEST_SUITE(Components, Scalars);

TYPED_TEST(Components, AreOnePerRowAndOnlyTheReportedOnes) {
  EXPECT_EQ(this->model_.components().rows(), 4);
  EXPECT_EQ(this->model_.components().cols(), 9);
  EXPECT_GT(this->model_.basis.rows(), 4);
}

TYPED_TEST(Components, AreTheBasisUpToTheirSigns) {
  const auto components = this->model_.components();
  for (Index i = 0; i < 4; ++i) {
    const Vector<TypeParam> component = as_eigen(components.row(i));
    const Vector<TypeParam> column = as_columns(this->model_.basis).col(i);
    EXPECT_TRUE(component == column || component == -column) << i;
  }
}

TYPED_TEST(Components, TheLargestEntryOfEachIsPositive) {
  auto model = this->model_;
  as_columns(model.basis).col(1) *= TypeParam{-1};
  for (const auto& components : {as_eigen(this->model_.components()), as_eigen(model.components())}) {
    for (Index i = 0; i < 4; ++i) {
      EXPECT_EQ(components.row(i).maxCoeff(), components.row(i).cwiseAbs().maxCoeff()) << i;
    }
  }
}

TYPED_TEST(Components, DoNotDependOnTheSignsOfTheBasis) {
  auto model = this->model_;
  as_columns(model.basis) *= TypeParam{-1};
  EXPECT_EQ(as_eigen(model.components()), as_eigen(this->model_.components()));
}

TYPED_TEST(Components, AreStoredAsShownIfTheBasisBeginsWithThem) {
  Model<TypeParam> model = this->model_;
  const auto begins_with_them = [&] {
    const RowMatrix<TypeParam> shown = as_eigen(model.components());
    return shown == as_eigen(model.basis).topRows(4);
  };
  as_eigen(model.basis).topRows(4) = as_eigen(model.components());
  EXPECT_TRUE(begins_with_them());
  EXPECT_TRUE(model.is_stored_as_shown());
  as_eigen(model.basis).row(4) *= TypeParam{-1};  // held, not reported
  EXPECT_TRUE(model.is_stored_as_shown());
  as_eigen(model.basis).row(3) *= TypeParam{-1};
  EXPECT_FALSE(begins_with_them());
  EXPECT_FALSE(model.is_stored_as_shown());
  model.axes = {1, 2, 3, 4};  // shown with these signs
  EXPECT_TRUE(begins_with_them());
  EXPECT_TRUE(model.is_stored_as_shown());
  model.axes = {2, 1, 3, 4};
  EXPECT_FALSE(begins_with_them());
  EXPECT_FALSE(model.is_stored_as_shown());
}

TYPED_TEST(Components, AreStoredAsShownByTheFirstOfTwoEntriesOfTheSameMagnitude) {
  Model<TypeParam> model = this->model_;
  for (const TypeParam first : {TypeParam{1}, TypeParam{-1}}) {
    for (Index i = 0; i < 4; ++i) {
      as_eigen(model.basis).row(i).setZero();
      model.basis(i, 2 * i) = first * TypeParam(std::sqrt(0.5));
      model.basis(i, 2 * i + 1) = -model.basis(i, 2 * i);
    }
    EXPECT_EQ(model.is_stored_as_shown(), first > TypeParam{0});
    EXPECT_GT(model.components()(3, 6), TypeParam{0});
  }
}

TYPED_TEST(Components, ExplainingAFractionAreAsFewAsCan) {
  Model<TypeParam> model = this->model_;
  model.eigenvalues = {5.0, 2.0, 1.0, 1.0};
  model.basis.resize(4, 9);
  model.scatter_trace = 10.0;
  EXPECT_EQ(components_explaining(model, 0.4), 1);
  EXPECT_EQ(components_explaining(model, 0.5), 2);  // more than the fraction
  EXPECT_EQ(components_explaining(model, 0.75), 3);
  EXPECT_EQ(components_explaining(model, 0.95), std::nullopt);
  model.scatter_trace = 0.0;
  EXPECT_EQ(components_explaining(model, 0.5), 1);
}

TYPED_TEST(Components, OfAllFeaturesExplainAnyFraction) {
  EXPECT_EQ(components_explaining(this->full_, 1.0 - kEpsilon<double> / 2), 9);
}

TYPED_TEST(Components, CanBeReportedInAnotherNumber) {
  const auto model = reporting(this->model_, 2);
  EXPECT_NO_THROW(check(model));
  EXPECT_EQ(model.basis, this->model_.basis);
  EXPECT_EQ(as_eigen(model.components()), as_eigen(this->model_.components()).topRows(2));
  EXPECT_EQ(capacity(model.options, 9).held, model.basis.rows());
  EXPECT_THROW(reporting(this->model_, 10), std::invalid_argument);
  EXPECT_THROW(reporting(this->model_, 0), std::invalid_argument);
}

TYPED_TEST(Components, TransformIsTheCentredRowsTimesTheComponents) {
  const RowMatrix<double> centred =
      this->rows_.template cast<double>().rowwise() - as_eigen(this->model_.mean).transpose();
  const Matrix<double> expected =
      centred * as_eigen(this->model_.components()).template cast<double>().transpose();
  const Matrix<double> scores = as_eigen(this->model_.transform(this->rows_)).template cast<double>();
  EXPECT_LT((scores - expected).cwiseAbs().maxCoeff(), this->kTolerance);
}

TYPED_TEST(Components, TransformOfAFarMeanLosesNothing) {
  auto model = this->model_;
  const double far = kEpsilon<TypeParam> < 1e-10 ? 0x1p40 : 0x1p12;
  as_eigen(model.mean).array() += far;
  as_eigen(model.mean_tail).setConstant(0x1p-20);
  const RowMatrix<double> near = (this->rows_.template cast<double>() * 16.0).array().round();
  const RowMatrix<double> shifted = near.array() + far;
  const Matrix<double> expected =
      (near.rowwise() - (as_eigen(this->model_.mean) + as_eigen(model.mean_tail)).transpose()) *
      as_eigen(model.components()).template cast<double>().transpose();
  const Matrix<double> scores =
      as_eigen(model.transform(RowMatrix<TypeParam>(shifted.cast<TypeParam>()))).template cast<double>();
  // The mean itself has lost the digits below the rounding of `far`.
  const double tolerance = 16 * this->kTolerance + 9 * far * kEpsilon<double>;
  EXPECT_LT((scores - expected).cwiseAbs().maxCoeff(), tolerance);
}

TYPED_TEST(Components, TransformOfNoRowsIsEmpty) {
  const auto scores = this->model_.transform(RowMatrix<TypeParam>(0, 9));
  EXPECT_EQ(scores.rows(), 0);
  EXPECT_EQ(scores.cols(), 4);
}

TYPED_TEST(Components, InverseTransformOfAllScoresGivesTheRowsBack) {
  const auto back = as_eigen(this->full_.inverse_transform(this->full_.transform(this->rows_)));
  EXPECT_LT((back - this->rows_).cwiseAbs().maxCoeff(), 2 * this->kTolerance);
}

TYPED_TEST(Components, InverseTransformOfSomeScoresIsTheProjectionOnThePlane) {
  const Matrix<double> q = reported_basis(this->model_);
  const RowMatrix<double> centred =
      this->rows_.template cast<double>().rowwise() - as_eigen(this->model_.mean).transpose();
  const RowMatrix<double> expected =
      (centred * q * q.transpose()).rowwise() + as_eigen(this->model_.mean).transpose();
  const auto back = as_eigen(this->model_.inverse_transform(this->model_.transform(this->rows_)));
  EXPECT_LT((back.template cast<double>() - expected).cwiseAbs().maxCoeff(), 2 * this->kTolerance);
}

TYPED_TEST(Components, InverseTransformOfZeroScoresIsTheMean) {
  const auto back = as_eigen(this->model_.inverse_transform(OwnedRows<TypeParam>(1, 4)));
  EXPECT_EQ(Vector<TypeParam>(back.row(0)), as_eigen(this->model_.mean).template cast<TypeParam>());
}

// More rows than are processed at a time, of more features than a vector has lanes, and multiples of neither.
TYPED_TEST(Components, WideRowsHaveTheScoresOfTheirProduct) {
  const Index d = 301;
  const RowMatrix<double> rows = decaying_rows(250, 30, 0.9, 2) * orthonormal_columns(d, 30, 3).transpose();
  const auto x = RowMatrix<TypeParam>(rows.cast<TypeParam>());
  const auto model = batch_pca<TypeParam>(x, options_for(Method::kRoipca, 7));
  const Matrix<double> q = reported_basis(model);
  const RowMatrix<double> centred = x.template cast<double>().rowwise() - as_eigen(model.mean).transpose();
  const Matrix<double> components = as_eigen(model.components()).template cast<double>();
  const RowMatrix<double> outside = centred - centred * q * q.transpose();
  // A sum of d products; the row and the component have lengths of about 2 and 1.
  const double tolerance = 2.0 * std::sqrt(double(d)) * kEpsilon<TypeParam>;
  const RowMatrix<TypeParam> scores = as_eigen(model.transform(x));
  EXPECT_LT((scores.template cast<double>() - centred * components.transpose()).cwiseAbs().maxCoeff(),
            tolerance);
  const RowMatrix<double> back = as_eigen(model.inverse_transform(scores)).template cast<double>();
  EXPECT_LT((back - (x.template cast<double>() - outside)).cwiseAbs().maxCoeff(), tolerance);
  EXPECT_LT((as_eigen(model.spe(x)) - outside.rowwise().squaredNorm()).cwiseAbs().maxCoeff(), 2 * tolerance);
  for (const Index i : {0, 95, 249}) {
    EXPECT_EQ(RowMatrix<TypeParam>(as_eigen(model.transform(x.row(i)))), RowMatrix<TypeParam>(scores.row(i)))
        << i;
  }
}

TYPED_TEST(Components, RowsOfAnotherWidthAreRefusedWithBothNumbers) {
  const RowMatrix<TypeParam> narrow = RowMatrix<TypeParam>::Ones(2, 8);
  const auto refusal = [](auto call) -> std::string {
    try {
      call();
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "accepted";
  };
  const std::string features = "the rows have 8 features, but the model has 9 features";
  EXPECT_EQ(refusal([&] { this->model_.transform(narrow); }), features);
  EXPECT_EQ(refusal([&] { this->model_.t2(narrow); }), features);
  EXPECT_EQ(refusal([&] { this->model_.spe(narrow); }), features);
  EXPECT_EQ(refusal([&] { this->model_.log_likelihood(narrow); }), features);
  EXPECT_EQ(refusal([&] { this->model_.inverse_transform(narrow); }),
            "the rows have 8 components, but the model has 4 components");
}

}  // namespace
}  // namespace roipca
