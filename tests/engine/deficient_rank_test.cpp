// Rows with fewer directions than are held, row by row: residuals that are only rounding must neither grow
// nor be reported.
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <vector>

#include "engine/reported_spectrum.hpp"
#include "roipca/online_pca.hpp"
#include "support/dense_oracle.hpp"
#include "support/models.hpp"
#include "support/rows.hpp"

namespace roipca {
namespace {

using namespace support;

struct Stream {
  const char* name;
  Index features;
  Index rank;
  double offset;  // of every feature: rows are then rounded to epsilon times that
  double noise;   // standard deviation in every feature
  Index components;
};

constexpr std::array kStreams = {Stream{"rank 20 of 60, far from the origin", 60, 20, 1000.0, 0.0, 20},
                                 Stream{"rank 3 of 60 and noise at rounding", 60, 3, 0.0, 2e-15, 5},
                                 Stream{"rank 3 of 40, very far from the origin", 40, 3, 1e8, 0.0, 5},
                                 Stream{"rank 4 of 30", 30, 4, 0.0, 0.0, 8}};

template <typename T>
RowMatrix<T> rows_of(const Stream& stream, Index count, unsigned seed) {
  RowMatrix<double> rows =
      normal_rows(count, stream.rank, seed) * normal_rows(stream.rank, stream.features, seed + 1000);
  rows += stream.noise * normal_rows(count, stream.features, seed + 2000);
  return (rows.array() + stream.offset).matrix().template cast<T>();
}

template <typename T>
class DeficientRank : public ::testing::Test {
 protected:
  static constexpr Index kRows = 600;
  // Components may be 512 roundings away from orthonormal, which changes the contribution of every row by as
  // much.
  static constexpr double kTolerance = 512 * kEpsilon<T>;

  static void expect_batch_pca(const Options& options, const Stream& stream, const RowMatrix<T>& rows,
                               const Vector<double>& weights = {}) {
    const auto model = OnlinePca<T>(options).partial_fit(rows, weights).model();
    // Forgetting is a weight that falls with age.
    Vector<double> aged = weights.size() > 0 ? weights : Vector<double>::Ones(rows.rows());
    for (Index i = 0; i < rows.rows(); ++i) {
      aged[i] *= std::pow(options.forgetting, static_cast<double>(rows.rows() - 1 - i));
    }
    const auto truth = dense_pca(rows.template cast<double>(), aged, options.center);
    // Without centring, the mean is one more direction.
    const Index rank = stream.rank + (options.center || stream.offset == 0.0 ? 0 : 1);
    const Index compared = std::min(rank, stream.components);
    EXPECT_LE(
        (as_eigen(model.eigenvalues).head(compared) - truth.values.head(compared)).cwiseAbs().maxCoeff(),
        kTolerance * truth.values[0]);
    EXPECT_LE(orthonormality_error(as_columns(model.basis)), kTolerance);
    EXPECT_LE(as_eigen(model.eigenvalues).sum(), model.trace() * (1.0 + 1024.0 * kEpsilon<T>));
    EXPECT_LE((as_eigen(model.eigenvalues).array() > 0.0).count(), rank);
  }

  static void expect_batch_pca_of_every_kind(const Way& way, const Stream& stream, unsigned seed) {
    const auto rows = rows_of<T>(stream, kRows, seed);
    Options options = options_for(way, stream.components);
    SCOPED_TRACE(name(way) + ", " + stream.name + ", seed " + std::to_string(seed));
    options.forgetting = 0.99;
    expect_batch_pca(options, stream, rows);
    options.forgetting = 1.0;
    expect_batch_pca(options, stream, rows, uniform_numbers(kRows, seed).array() + 0.01);
    options.center = false;
    expect_batch_pca(options, stream, rows);
  }
};
TYPED_TEST_SUITE(DeficientRank, Scalars);

constexpr std::array kExactRules = {Way(Method::kRoipca, UpdateEvery::kRow),
                                    Way(Method::kIpca, UpdateEvery::kRow)};

TYPED_TEST(DeficientRank, EigenvaluesAreThoseOfBatchPca) {
  for (const Stream& stream : kStreams) {
    // An offset of 1e8 is too large for float: rows are rounded to multiples of 8, and nothing is left of
    // them.
    if (stream.offset > 1e6 && std::is_same_v<TypeParam, float>) continue;
    for (const Way& way : kExactRules) {
      for (unsigned seed = 0; seed < 25; ++seed) {
        SCOPED_TRACE(name(way) + ", " + stream.name + ", seed " + std::to_string(seed));
        const auto rows = rows_of<TypeParam>(stream, this->kRows, seed);
        this->expect_batch_pca(options_for(way, stream.components), stream, rows);
      }
    }
  }
}

TYPED_TEST(DeficientRank, EigenvaluesAreThoseOfBatchPcaWithWeightsForgettingAndWithoutCentring) {
  for (const Stream& stream : kStreams) {
    if (stream.offset > 1e6) continue;  // without centring, the offset is the whole variance
    for (const Way& way : kExactRules) {
      for (unsigned seed = 0; seed < 2; ++seed) this->expect_batch_pca_of_every_kind(way, stream, seed);
    }
  }
}

TYPED_TEST(DeficientRank, FroipcaKeepsTheTraceAndOrthonormalComponents) {
  for (const Stream& stream : kStreams) {
    if (stream.offset > 1e6 && std::is_same_v<TypeParam, float>) continue;
    for (unsigned seed = 0; seed < 5; ++seed) {
      const auto rows = rows_of<TypeParam>(stream, this->kRows, seed);
      const auto truth = dense_pca(rows.template cast<double>());
      // Far from the origin, rows that are rounded have variance beyond their rank.
      const double rounded = truth.values.tail(stream.features - stream.rank).sum();
      for (const Tau tau : {Tau::kZero, Tau::kOptimal}) {
        Options options = options_for(Method::kFroipca, stream.components);
        options.tau = tau;
        const auto model = OnlinePca<TypeParam>(options).partial_fit(rows).model();
        // All directions are held, so none of the trace may be lost.
        EXPECT_LE(as_eigen(model.eigenvalues).sum(), model.trace() * (1.0 + this->kTolerance))
            << stream.name << seed;
        EXPECT_GE(as_eigen(model.eigenvalues).sum(), model.trace() * (1.0 - this->kTolerance))
            << stream.name << seed;
        EXPECT_LE(orthonormality_error(as_columns(model.basis)), this->kTolerance) << stream.name << seed;
        // Its rotations are accurate only to first order: components beyond the rank may lean slightly into
        // the plane.
        const Vector<double> beyond =
            as_eigen(model.eigenvalues).tail(as_eigen(model.eigenvalues).size() - stream.rank);
        EXPECT_LE(beyond.size() > 0 ? beyond.maxCoeff() : 0.0, rounded + 1e-20 * model.trace())
            << stream.name << seed;
      }
    }
  }
}

TYPED_TEST(DeficientRank, ComponentsWithoutVarianceDoNotCountInT2) {
  for (const Stream& stream : {kStreams[1], kStreams[3]}) {
    const auto rows = rows_of<TypeParam>(stream, this->kRows, 1);
    const auto truth = dense_pca(rows.template cast<double>());
    RowMatrix<double> centred = rows.template cast<double>();
    centred.rowwise() -= truth.mean.transpose();
    const Matrix<double> scores = centred * truth.vectors.leftCols(stream.rank);
    const Vector<double> expected =
        (scores.array().square().rowwise() / truth.values.head(stream.rank).transpose().array())
            .rowwise()
            .sum() *
        static_cast<double>(rows.rows() - 1);
    for (const Way& way : kExactRules) {
      const auto model = OnlinePca<TypeParam>(options_for(way, stream.components)).partial_fit(rows).model();
      // The error of scores is the rounding of the row, which is five times as large relative to the smallest
      // variance; squaring doubles it.
      const Vector<double> error = (as_eigen(model.t2(rows)) - expected).cwiseAbs();
      EXPECT_LE((error.array() / expected.array()).maxCoeff(), 10 * this->kTolerance) << name(way);
    }
  }
}

// Oja's rule needs many rows to turn its components into eigenvectors, but it stays in the plane.
TYPED_TEST(DeficientRank, OjaHasNoVarianceOutsideThePlane) {
  for (const Stream& stream : kStreams) {
    if (stream.offset > 1e6)
      continue;  // its first steps accumulate the tilt of the plane due to rounded entries
    const auto rows = rows_of<TypeParam>(stream, this->kRows, 1);
    const auto model =
        OnlinePca<TypeParam>(options_for(Method::kOja, stream.components)).partial_fit(rows).model();
    EXPECT_EQ((as_eigen(model.eigenvalues).array() > 0.0).count(), stream.rank) << stream.name;
  }
}

// The other rules take minutes: they run only if the environment variable ROIPCA_SOAK is set.
TYPED_TEST(DeficientRank, AMillionRowsHaveTheEigenvaluesOfBatchPca) {
  constexpr Index kPart = 1000;
  constexpr Stream kStream = {"", 12, 3, 100.0, 0.0, 4};
  const auto part = rows_of<TypeParam>(kStream, kPart, 1);
  const auto truth = dense_pca(part.template cast<double>());
  std::vector<Way> ways = {Way(Method::kRoipca, UpdateEvery::kRow)};
  if (std::getenv("ROIPCA_SOAK") != nullptr) ways.emplace_back(Method::kIpca, UpdateEvery::kRow);
  for (const Way& way : ways) {
    Options options = options_for(way, kStream.components);
    options.oversampling = 2;
    OnlinePca<TypeParam> pca(options);
    for (int repeat = 0; repeat < 1000; ++repeat) pca.partial_fit(part);
    const auto model = pca.model();
    const Vector<double> error = as_eigen(model.eigenvalues).head(3) / 1000.0 - truth.values.head(3);
    // IPCA's dense eigenproblem rounds all eigenvalues at every row, in double.
    const double of_rows = way == Method::kIpca ? 1e6 / 16.0 * kEpsilon<double> : 0.0;
    EXPECT_LE(error.cwiseAbs().maxCoeff(), (this->kTolerance + of_rows) * truth.values[0]) << name(way);
    EXPECT_LE(orthonormality_error(as_columns(model.basis)), 1e-11 / kEpsilon<double> * kEpsilon<TypeParam>);
    EXPECT_LE(as_eigen(model.eigenvalues).sum(), model.trace());
    EXPECT_EQ((as_eigen(model.eigenvalues).array() > 0.0).count(), 3);
  }
}

// Rules that only estimate eigenvalues, on rows whose mean jumps, whose size grows, or whose directions
// change.
class Estimates : public ::testing::Test {
 protected:
  static constexpr Index kRows = 3000;
  static constexpr Index kFeatures = 20;

  static std::vector<RowMatrix<double>> streams() {
    std::vector<RowMatrix<double>> all(4, decaying_rows(kRows, kFeatures, 0.7, 1));
    all[1].bottomRows(kRows / 2).rowwise() += 30.0 * normal_rows(1, kFeatures, 2).row(0);
    for (Index i = 0; i < kRows; ++i) all[2].row(i) *= 1.0 + 0.01 * static_cast<double>(i);
    all[3].bottomRows(kRows / 2) = 3.0 * all[3].bottomRows(kRows / 2).rowwise().reverse().eval();
    return all;
  }
};

TEST_F(Estimates, TheyDescendAndNeverSumToMoreThanTheTrace) {
  for (const auto& rows : streams()) {
    for (const Way& way : kAllMethods) {
      const auto model = OnlinePca<double>(options_for(way, 5)).partial_fit(rows).model();
      const auto& values = as_eigen(model.eigenvalues);
      EXPECT_TRUE(std::is_sorted(values.data(), values.data() + values.size(), std::greater<>()))
          << name(way);
      EXPECT_LE(values.sum(), model.trace() * (1.0 + 1024.0 * kEpsilon<double>)) << name(way);
      EXPECT_LE(as_eigen(model.explained_variance_ratio()).sum(), 1.0) << name(way);
    }
  }
}

// The row with a new mean rotates the components both among each other and out of their span.
TEST_F(Estimates, FroipcaReportsTheVariancesThatItsComponentsHaveAfterAJumpOfTheMean) {
  const auto rows = streams()[1];
  const auto truth = dense_pca(rows);
  for (const Tau tau : {Tau::kZero, Tau::kOptimal}) {
    Options options = options_for(Method::kFroipca, 5);
    options.tau = tau;
    const auto model = OnlinePca<double>(options).partial_fit(rows).model();
    for (Index i = 0; i < 5; ++i) {
      const double along = as_columns(model.basis).col(i).dot(truth.scatter * as_columns(model.basis).col(i));
      // A first-order rule; an earlier version reported 20 times the variance.
      EXPECT_NEAR(model.eigenvalues[i], along, 0.1 * along) << i;
    }
  }
}

// Variance that one component explains is not explained again by the next, to within a part of the leading
// variance.
TEST_F(Estimates, CcipcaReportsWhatItsComponentsHave) {
  const auto rows = streams()[1];
  const auto truth = dense_pca(rows);
  const auto model = OnlinePca<double>(options_for(Method::kCcipca, 5)).partial_fit(rows).model();
  for (Index i = 0; i < 5; ++i) {
    const double along = as_columns(model.basis).col(i).dot(truth.scatter * as_columns(model.basis).col(i));
    EXPECT_NEAR(model.eigenvalues[i], along, 0.02 * truth.values[0]) << i;
  }
}

Spectrum<double> spectrum_of(const Vector<double>& values, double trace) {
  return {Matrix<double>::Identity(6, values.size()), values, trace};
}

TEST(ReportedSpectrum, PutsEstimatesInOrderWithTheirComponents) {
  auto spectrum = spectrum_of(Eigen::Vector3d(1.0, 3.0, 2.0), 10.0);
  make_reportable(spectrum, {Vector<double>::Zero(6), 100.0, 100.0, 100.0});
  EXPECT_EQ(spectrum.values, Eigen::Vector3d(3.0, 2.0, 1.0));
  Matrix<double> expected = Matrix<double>::Zero(6, 3);
  expected(1, 0) = expected(2, 1) = expected(0, 2) = 1.0;
  EXPECT_EQ(spectrum.basis, expected);
}

TEST(ReportedSpectrum, TakesEstimatesAboveTheTraceAsShares) {
  auto spectrum = spectrum_of(Eigen::Vector3d(12.0, 6.0, 2.0), 10.0);
  make_reportable(spectrum, {Vector<double>::Zero(6), 100.0, 100.0, 100.0});
  EXPECT_LE(spectrum.values.sum(), 10.0);
  EXPECT_LE((spectrum.values - Eigen::Vector3d(6.0, 3.0, 1.0)).norm(), 1e-14);
}

TEST(ReportedSpectrum, KeepsAVarianceThatIsSmallButThere) {
  // A standard deviation of 1e-13 beside 1: a thousand roundings.
  auto spectrum = spectrum_of(Eigen::Vector3d(1.0, 0.5, 1e-26), 2.0);
  make_reportable(spectrum, {Vector<double>::Constant(6, 0.5), 1.0, 1000.0, 1000.0});
  EXPECT_EQ(spectrum.values[2], 1e-26);
}

TEST(ReportedSpectrum, DropsTheRoundingOfRowsFarFromTheOriginWhereTheFeatureIsFar) {
  Vector<double> mean_squares = Vector<double>::Ones(6);
  mean_squares[1] = 0x1p52;
  const double place = kEpsilon<double> * kEpsilon<double> * 0x1p52;  // squared, of the far feature
  auto spectrum = spectrum_of(Eigen::Vector3d(1.0, 0.15 * place, 0.1 * place), 1.5);
  make_reportable(spectrum, {mean_squares, 1.0, 1e6, 1.0});
  EXPECT_EQ(spectrum.values, Eigen::Vector3d(1.0, 0.1 * place, 0.0));
}

// The largest of many variances of noise is above each of them, but only of features that have as much.
TEST(ReportedSpectrum, CountsTheFeaturesThatAreRoundedAsMuchAsTheComponent) {
  constexpr Index kFeatures = 400;
  const double place = kEpsilon<double> * kEpsilon<double> * 0x1p52;  // squared, of a far feature
  // In 4 rows, rounding has (1 + (f / 4)^(1/2))^2 / 6 of it: 0.4 for one such feature, 20 for 400.
  const auto reported = [&](Index far) {
    Spectrum<double> spectrum{Matrix<double>::Identity(kFeatures, 1), Vector<double>::Constant(1, place),
                              100.0};
    Vector<double> mean_squares = Vector<double>::Ones(kFeatures);
    mean_squares.head(far).setConstant(0x1p52);
    make_reportable(spectrum, {mean_squares, 1.0, 4.0, 1.0});
    return spectrum.values[0];
  };
  EXPECT_EQ(reported(1), place);
  EXPECT_EQ(reported(kFeatures), 0.0);
}

// Whole numbers that float can just represent: their variance is real.
TEST(ReportedSpectrum, KeepsTheVarianceOfWholeNumbersThatFloatJustHolds) {
  const RowMatrix<double> flips =
      (uniform_numbers(3000, 1).array() * 2.0).floor().matrix().reshaped<Eigen::RowMajor>(1000, 3);
  const RowMatrix<float> rows = (flips.array() + 1e7).cast<float>();
  const auto model = OnlinePca<float>(options_for(Method::kAuto, 3)).partial_fit(rows).model();
  const Vector<double> want = dense_pca(flips).values / 999.0;
  EXPECT_LE((as_eigen(model.explained_variance()) - want).cwiseAbs().maxCoeff(), 1e-5);
}

}  // namespace
}  // namespace roipca
