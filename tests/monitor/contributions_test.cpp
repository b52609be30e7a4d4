// What features contribute.
#include <gtest/gtest.h>

#include "roipca/batch_pca.hpp"
#include "roipca/limits.hpp"
#include "support/models.hpp"
#include "support/rows.hpp"

namespace roipca {
namespace {

using namespace support;

template <typename T>
class Contributions : public ::testing::Test {};
TYPED_TEST_SUITE(Contributions, Scalars);

TYPED_TEST(Contributions, AddUpToTheStatistic) {
  using T = TypeParam;
  const RowMatrix<T> x = decaying_rows(300, 20, 0.8, 1).cast<T>();
  const Model<T> model = batch_pca<T>(x, options_for(Method::kRoipca, 4));
  const auto t2 = model.t2(x);
  const auto spe = model.spe(x);
  const RowMatrix<double> of_t2 = as_eigen(t2_contributions<T>(model, x)).template cast<double>();
  const RowMatrix<double> of_spe = as_eigen(spe_contributions<T>(model, x)).template cast<double>();
  for (Index i = 0; i < x.rows(); ++i) {
    // Sums of 20 rounded numbers, some of which cancel.
    EXPECT_NEAR(of_t2.row(i).sum(), t2[static_cast<std::size_t>(i)],
                100 * kEpsilon<T> * of_t2.row(i).cwiseAbs().sum());
    EXPECT_NEAR(of_spe.row(i).sum(), spe[static_cast<std::size_t>(i)],
                100 * kEpsilon<T> * spe[static_cast<std::size_t>(i)]);
  }
  EXPECT_GE(of_spe.minCoeff(), 0.0);
}

TYPED_TEST(Contributions, AreThoseOfTheirDefinition) {
  using T = TypeParam;
  const RowMatrix<T> x = decaying_rows(300, 20, 0.8, 1).cast<T>();
  const Model<T> model = batch_pca<T>(x, options_for(Method::kRoipca, 4));
  const Matrix<double> q = reported_basis(model);
  const Vector<double> row = x.row(7).template cast<double>().transpose() - as_eigen(model.mean);
  const Vector<double> scores = q.transpose() * row;
  const Vector<double> along = q * scores.cwiseQuotient(as_eigen(model.explained_variance()));
  const Vector<double> expected = row.cwiseProduct(along);
  const RowMatrix<double> found = as_eigen(t2_contributions<T>(model, x)).template cast<double>();
  EXPECT_LE((found.row(7).transpose() - expected).cwiseAbs().maxCoeff(),
            100 * kEpsilon<T> * expected.cwiseAbs().sum());
}

TYPED_TEST(Contributions, OfRowsOfAnotherWidthAreRefused) {
  using T = TypeParam;
  const RowMatrix<T> x = decaying_rows(30, 20, 0.8, 1).cast<T>();
  const Model<T> model = batch_pca<T>(x, options_for(Method::kRoipca, 4));
  EXPECT_THROW(spe_contributions<T>(model, x.leftCols(19).eval()), std::invalid_argument);
}

}  // namespace
}  // namespace roipca
