// More passes over the same rows: closer to batch PCA each time, whatever the rows and the calls are like.
#include "roipca/refinement.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "roipca/accuracy.hpp"
#include "roipca/merge.hpp"
#include "roipca/model_file.hpp"
#include "support/dense_oracle.hpp"
#include "support/models.hpp"
#include "support/rows.hpp"
#include "support/same_bits.hpp"
#include "support/sparse_rows.hpp"

namespace roipca {
namespace {

using namespace support;

constexpr Options kFive = {.n_components = 5, .method = Method::kRoipca, .oversampling = 5};

template <typename T>
RowMatrix<T> example_rows(Index n = 3000, Index d = 80) {
  RowMatrix<double> rows = decaying_rows(n, d, 0.93, 1);
  rows.array() += 2.0;
  return rows.cast<T>();
}

template <typename T>
Model<T> one_pass(const RowMatrix<T>& rows, const Options& options = kFive) {
  return OnlinePca<T>(options).partial_fit(rows).model();
}

template <typename T>
double error_of(const Model<T>& model, const DensePca& truth) {
  return subspace_error(reported_basis(model), truth.vectors.leftCols(model.n_components));
}

std::string refusal(const std::function<void()>& call) {
  try {
    call();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Refinement, EachPassReducesTheErrorAFifth) {
  const RowMatrix<double> rows = example_rows<double>();
  const DensePca truth = dense_pca(rows);
  Model<double> model = one_pass(rows);
  double error = error_of(model, truth);
  ASSERT_GT(error, 1e-6);
  for (int pass = 2; pass <= 4; ++pass) {
    model = Refinement<double>(model).add(rows).finish();
    check(model);
    EXPECT_EQ(model.passes, pass);
    EXPECT_LT(error_of(model, truth), error / 5.0) << pass;
    error = error_of(model, truth);
  }
  for (Index i = 0; i < 5; ++i) {  // eigenvalues have the error of the subspace
    EXPECT_NEAR(model.eigenvalues[static_cast<std::size_t>(i)], truth.values[i], 1e-6 * truth.values[0]);
  }
}

TEST(Refinement, InFloatReachesTheRoundingOfFloat) {
  const RowMatrix<float> rows = example_rows<float>();
  const DensePca truth = dense_pca(rows.cast<double>());
  Model<float> model = one_pass(rows);
  for (int pass = 0; pass < 5; ++pass) model = Refinement<float>(model).add(rows).finish();
  EXPECT_LT(error_of(model, truth), 1e-9);  // sines of about 100 epsilon beside the gaps of eigenvalues
}

template <typename T>
class RefinementOf : public ::testing::Test {};
TYPED_TEST_SUITE(RefinementOf, Scalars);

TYPED_TEST(RefinementOf, CutsChangeNoBit) {
  const RowMatrix<TypeParam> rows = example_rows<TypeParam>(700, 40);
  const Model<TypeParam> model = one_pass(rows);
  const auto whole = Refinement<TypeParam>(model).add(rows).finish();
  for (const Index step : {1, 7, 128, 300}) {
    Refinement<TypeParam> refinement(model);
    for (Index i = 0; i < rows.rows(); i += step) {
      refinement.add(RowMatrix<TypeParam>(rows.middleRows(i, std::min(step, rows.rows() - i))));
      if (i % 5 == 0) refinement.state();  // reading disturbs nothing
    }
    EXPECT_EQ(first_difference(whole, refinement.finish()), "") << step;
  }
}

TYPED_TEST(RefinementOf, StopsAndResumesToTheSameBits) {
  const RowMatrix<TypeParam> rows = example_rows<TypeParam>(700, 40);
  const auto csr = documents<TypeParam>(100, 40, 9, 5);
  const RowMatrix<TypeParam> dense = Eigen::Map<const RowMatrix<TypeParam>>(csr.dense().data(), 100, 40);
  const Model<TypeParam> model = OnlinePca<TypeParam>(kFive).partial_fit(rows).partial_fit(dense).model();
  Refinement<TypeParam> refinement(model);
  refinement.add(csr.view(0, 60)).add(RowMatrix<TypeParam>(rows.topRows(333)));
  auto resumed = Refinement<TypeParam>::from_state(model, refinement.state());
  for (auto* r : {&refinement, &resumed}) {
    r->add(csr.view(60, 40)).add(RowMatrix<TypeParam>(rows.bottomRows(700 - 333)));
  }
  EXPECT_EQ(refinement.state(), resumed.state());
  EXPECT_EQ(first_difference(refinement.finish(), resumed.finish()), "");
}

TYPED_TEST(RefinementOf, SparseRowsGiveTheDenseAnswer) {
  const auto csr = documents<TypeParam>(900, 200, 20, 2);
  const std::vector<TypeParam> numbers = csr.dense();
  const Rows<TypeParam> dense(numbers.data(), csr.count(), csr.columns);
  for (const bool center : {true, false}) {
    Options options = kFive;
    options.center = center;
    const auto model = OnlinePca<TypeParam>(options).partial_fit(csr.view()).model();
    const auto a = Refinement<TypeParam>(model).add(dense).finish();
    const auto b = Refinement<TypeParam>(model).add(csr.view(0, 400)).add(csr.view(400, 500)).finish();
    // Rounding of sums over 900 rows.
    EXPECT_LT(relative_difference(modelled_scatter(a), modelled_scatter(b)), 1000 * kEpsilon<TypeParam>);
  }
}

TEST(Refinement, WeightsCountAsRepeatedRows) {
  const RowMatrix<double> rows = example_rows<double>(500, 30);
  Vector<double> weights = (4.0 * uniform_numbers(500, 3)).array().floor();  // 0 to 3
  const DensePca truth = dense_pca(rows, weights);
  Model<double> model = OnlinePca<double>(kFive).partial_fit(rows, weights).model();
  for (int pass = 0; pass < 8; ++pass) model = Refinement<double>(model).add(rows, weights).finish();
  EXPECT_LT(error_of(model, truth), 1e-12);
}

TEST(Refinement, PartsMergeToTheWhole) {
  const RowMatrix<double> rows = example_rows<double>(900, 30);
  const auto csr = documents<double>(100, 30, 9, 5);
  const Model<double> model = OnlinePca<double>(kFive).partial_fit(rows).partial_fit(csr.view()).model();
  const auto whole = Refinement<double>(model).add(rows).add(csr.view()).finish();
  Refinement<double> a(model);
  Refinement<double> b(model);
  a.add(RowMatrix<double>(rows.topRows(411))).add(csr.view(0, 30));
  b.add(RowMatrix<double>(rows.bottomRows(900 - 411))).add(csr.view(30, 70));
  const auto merged = a.merge(b).merge(Refinement<double>(model)).finish();
  EXPECT_EQ(a.rows(), 1000);
  EXPECT_LT(relative_difference(modelled_scatter(merged), modelled_scatter(whole)), 1e-13);
}

TEST(Refinement, RefusesOtherRows) {
  const RowMatrix<double> rows = example_rows<double>(300, 10);
  const Model<double> model = one_pass(rows);
  const auto refused = [&](const RowMatrix<double>& others) {
    return refusal([&] { Refinement<double>(model).add(others).finish(); });
  };
  EXPECT_EQ(refused(rows.topRows(299)),
            "not the rows of the model: its number of rows is 300, but this pass has 299");
  RowMatrix<double> shifted = rows;
  shifted.col(3).array() += 0.01;
  EXPECT_NE(refused(shifted).find("its mean of feature 3 is "), std::string::npos) << refused(shifted);
  const RowMatrix<double> wider = (2.0 * rows).rowwise() - rows.colwise().mean();
  EXPECT_NE(refused(wider).find("its sum of squares about the mean is "), std::string::npos)
      << refused(wider);
  const Vector<double> weights = Vector<double>::Constant(300, 2.0);
  EXPECT_NE(
      refusal([&] { Refinement<double>(model).add(rows, weights).finish(); }).find("its total weight is "),
      std::string::npos);
  EXPECT_EQ(refused(rows.colwise().reverse()), "accepted");  // in another order
}

// Its deviations are those of the heavy row alone, 1e-9 of the others: less than the rounding of its mean.
TEST(Refinement, AcceptsTheSameRowsBesideARowThatOutweighsAllDigits) {
  const RowMatrix<double> all = example_rows<double>(40, 10);
  for (Index heavy = 0; heavy < 40; heavy += 3) {
    RowMatrix<double> rows = all.rowwise() - all.row(heavy);  // so that no mean is far from 0
    Vector<double> weights = Vector<double>::Ones(40);
    weights[heavy] = 1e18;
    const auto part = [&](Index from) {
      return OnlinePca<double>(kFive)
          .partial_fit(RowMatrix<double>(rows.middleRows(from, 20)), weights.segment(from, 20).eval())
          .model();
    };
    const auto refused = [&](const Model<double>& model) {
      return refusal([&] { Refinement<double>(model).add(rows, weights).finish(); });
    };
    const Model<double> model = OnlinePca<double>(kFive).partial_fit(rows, weights).model();
    EXPECT_EQ(refused(model), "accepted") << "heavy row " << heavy;
    EXPECT_EQ(refused(merge(part(0), part(20))), "accepted") << "heavy row " << heavy;
    rows(heavy, 3) += 1e-12;
    EXPECT_NE(refused(model).find("mean of feature 3"), std::string::npos) << "heavy row " << heavy;
  }
}

TEST(Refinement, RefusesForgettingAndOtherModels) {
  const RowMatrix<double> rows = example_rows<double>(300, 10);
  Options forgetful = kFive;
  forgetful.forgetting = 0.99;
  EXPECT_NE(refusal([&] { Refinement<double>{one_pass(rows, forgetful)}; }).find("forgetting"),
            std::string::npos);
  const Model<double> model = one_pass(rows);
  const Model<double> other = one_pass(RowMatrix<double>(2.0 * rows));
  EXPECT_EQ(refusal([&] { Refinement<double>(model).merge(Refinement<double>(other)); }),
            "refinements of different models cannot be combined");
  const auto state = Refinement<double>(other).state();
  EXPECT_EQ(refusal([&] { Refinement<double>::from_state(model, state); }),
            "refinements of different models cannot be combined");
}

TEST(Refinement, ABadRowOrAnInterruptChangesNothing) {
  const RowMatrix<double> rows = example_rows<double>(6000, 40);
  const Model<double> model = one_pass(rows);
  Refinement<double> refinement(model);
  refinement.add(RowMatrix<double>(rows.topRows(100)));
  const auto before = refinement.state();
  RowMatrix<double> bad = rows;
  bad(77, 3) = kNan;
  EXPECT_THROW(refinement.add(bad), DataError);
  EXPECT_THROW(refinement.add(RowMatrix<double>(rows.leftCols(39))), std::invalid_argument);
  struct Interrupt {};
  EXPECT_THROW(refinement.add(rows, {}, [] { throw Interrupt(); }), Interrupt);
  EXPECT_EQ(refinement.state(), before);
}

TEST(Refinement, WorksAtAnyMagnitude) {
  const RowMatrix<double> rows = example_rows<double>(300, 10);
  for (const double scale : {1e-140, 1e140}) {
    const RowMatrix<double> scaled = scale * rows;
    const Model<double> model = Refinement<double>(one_pass(scaled)).add(scaled).finish();
    const Model<double> plain = Refinement<double>(one_pass(rows)).add(rows).finish();
    EXPECT_LT(subspace_angle(reported_basis(model), reported_basis(plain)), 1e-12);
    EXPECT_NEAR(model.eigenvalues[0] / scale / scale, plain.eigenvalues[0], 1e-12 * plain.eigenvalues[0]);
  }
}

// Products with the large feature are wrong by more than the small ones are.
TEST(Refinement, KeepsComponentsThatRoundingHides) {
  RowMatrix<double> rows = decaying_rows(500, 12, 0.7, 4);
  rows.col(0) *= 1e12;
  const Model<double> model = one_pass(rows);
  ASSERT_GT(model.eigenvalues[4], 0.0);
  const Model<double> refined = Refinement<double>(model).add(rows).finish();
  check(refined);
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_NEAR(refined.eigenvalues[i], model.eigenvalues[i], 0.05 * model.eigenvalues[i]) << i;
  }
}

TEST(Refinement, OfRowsWithoutVarianceKeepsTheModel) {
  const RowMatrix<double> rows = RowMatrix<double>::Constant(20, 6, 3.0);
  const Model<double> model = one_pass(rows, {.n_components = 2, .method = Method::kRoipca});
  const Model<double> refined = Refinement<double>(model).add(rows).finish();
  check(refined);
  EXPECT_EQ(refined.eigenvalues, model.eigenvalues);
  EXPECT_EQ(refined.passes, 2);
}

TEST(Refinement, IsKeptInAModelFileAndForgottenByNewRowsAndMerges) {
  const RowMatrix<double> rows = example_rows<double>(300, 20);
  const Model<double> model = Refinement<double>(one_pass(rows)).add(rows).finish();
  EXPECT_EQ(first_difference(from_bytes<double>(to_bytes(model)), model), "");
  const Model<double> more = OnlinePca<double>(model).partial_fit(rows).model();
  EXPECT_EQ(more.passes, 1);
  EXPECT_TRUE(more.turns.empty());
  const Model<double> merged = merge(model, model);
  EXPECT_EQ(merged.passes, 1);
  EXPECT_TRUE(merged.turns.empty());
}

TEST(Accuracy, OfARefinedModelIsNearTheTruthAndBelowTheBound) {
  for (const double ratio : {0.8, 0.93, 0.98}) {
    const RowMatrix<double> rows = decaying_rows(3000, 80, ratio, 9);
    const DensePca truth = dense_pca(rows);
    Model<double> model = one_pass(rows);
    EXPECT_FALSE(error_estimate(model));
    EXPECT_TRUE(component_errors(model).empty());
    for (int pass = 2; pass <= 4; ++pass) {
      model = Refinement<double>(model).add(rows).finish();
      const double error = error_of(model, truth);
      if (error < 1e-24) break;  // rounding
      EXPECT_LT(error, error_bound(model).value()) << ratio << ", pass " << pass;
      EXPECT_LT(error_estimate(model).value(), 10.0 * error) << ratio << ", pass " << pass;
      EXPECT_GT(error_estimate(model).value(), 0.1 * error) << ratio << ", pass " << pass;
    }
  }
}

TEST(Accuracy, TellsWhichComponentsCanBeToldApart) {
  RowMatrix<double> rows = normal_rows(4000, 60, 3);
  const Vector<double> deviations = (Vector<double>(5) << 9.0, 5.0, 5.0, 5.0, 3.0).finished();
  rows.leftCols(5) = rows.leftCols(5) * deviations.asDiagonal();
  const Model<double> model = Refinement<double>(one_pass(rows)).add(rows).finish();
  const std::vector<double> errors = component_errors(model);
  ASSERT_EQ(errors.size(), 5U);
  // The three in the middle differ by the sample only.
  EXPECT_LT(errors[0], 1e-3 * errors[2]);
  EXPECT_EQ(component_groups(model).front(), 1);
  Index sum = 0;
  for (const Index size : component_groups(model)) sum += size;
  EXPECT_EQ(sum, 5);
}

TEST(Accuracy, OfExactModelsIsNoError) {
  const RowMatrix<double> rows = normal_rows(400, 10, 3);
  const Model<double> model = one_pass(rows, {.n_components = 3, .method = Method::kExact});
  EXPECT_EQ(error_estimate(model), 0.0);
  EXPECT_EQ(error_bound(model), 0.0);
  EXPECT_EQ(component_groups(model), std::vector<Index>(3, 1));
  EXPECT_THROW(error_bound(model, 1.0), std::invalid_argument);
}

}  // namespace
}  // namespace roipca
