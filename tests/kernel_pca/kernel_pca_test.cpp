#include "roipca/kernel_pca.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "kernel_pca/kernel_matrices.hpp"
#include "roipca/online_pca.hpp"
#include "support/files.hpp"
#include "support/models.hpp"
#include "support/rows.hpp"

namespace roipca::testing {
namespace {

using support::decaying_rows;
using support::normal_rows;
using support::same_bits;

template <typename T>
class KernelPcaOf : public ::testing::Test {};
TYPED_TEST_SUITE(KernelPcaOf, support::Scalars);

// Returns the scores by definition, sqrt(lambda) v of the whole matrix, with the signs of the columns of
// `like`.
Matrix<double> dense_scores(const Matrix<double>& k, Index count, const Matrix<double>& like) {
  const Pairs pairs = dense_pairs(k);
  Matrix<double> scores = pairs.vectors.leftCols(count) * pairs.values.head(count).cwiseSqrt().asDiagonal();
  for (Index j = 0; j < count; ++j) {
    if (scores.col(j).dot(like.col(j)) < 0.0) scores.col(j) = -scores.col(j);
  }
  return scores;
}

// Everything that can be read, for comparison.
template <typename T>
std::string bits_of(const KernelPca<T>& pca) {
  const auto bytes = pca.state();
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

TYPED_TEST(KernelPcaOf, HasTheScoresOfTheDenseMatrix) {
  using T = TypeParam;
  const RowMatrix<T> rows = decaying_rows(70, 4, 0.6, 1).cast<T>();
  const Matrix<double> k = kernel_matrix(Kernel<double>::rbf(0.5), rows.template cast<double>());
  for (const bool center : {true, false}) {
    KernelPca<T> pca(Kernel<T>::rbf(0.5), {.center = center});
    for (Index i = 0; i < rows.rows(); ++i) pca.partial_fit(rows.row(i));
    const Matrix<double> scores = as_eigen(pca.transform(rows)).template cast<double>();
    const Matrix<double> expected = dense_scores(center ? centred(k) : k, 5, scores);
    // The rounding of a score, and the rounding of the matrix divided by the gaps.
    EXPECT_LE((scores.leftCols(5) - expected).cwiseAbs().maxCoeff(),
              1e-11 + 4.0 * support::kEpsilon<T> * expected.cwiseAbs().maxCoeff());
  }
}

TYPED_TEST(KernelPcaOf, WithTheLinearKernelHasTheScoresOfOnlinePca) {
  using T = TypeParam;
  const RowMatrix<T> rows = decaying_rows(60, 5, 0.5, 2).cast<T>();
  for (const bool center : {true, false}) {
    for (const std::optional<Index> budget : {std::optional<Index>(), std::optional<Index>(20)}) {
      KernelPca<T> kernel(Kernel<T>::linear(), {.n_components = 3, .center = center, .budget = budget});
      OnlinePca<T> linear({.n_components = 3, .center = center});
      kernel.partial_fit(rows);
      linear.partial_fit(rows);
      const RowMatrix<T> expected = as_eigen(linear.model().transform(rows));
      const RowMatrix<T> scores = as_eigen(kernel.transform(rows));
      for (Index j = 0; j < 3; ++j) {
        const T sign = scores.col(j).dot(expected.col(j)) < T{0} ? T{-1} : T{1};
        EXPECT_LE((sign * scores.col(j) - expected.col(j)).cwiseAbs().maxCoeff(),
                  100.0 * support::kEpsilon<T> * expected.cwiseAbs().maxCoeff());
      }
    }
  }
}

TEST(KernelPca, IsTheSameHoweverRowsAreCutIntoCalls) {
  const RowMatrix<double> rows = normal_rows(50, 3, 3);
  for (const std::optional<Index> budget : {std::optional<Index>(), std::optional<Index>(12)}) {
    KernelPca<double> whole(Kernel<double>::rbf(), {.n_components = 4, .budget = budget});
    KernelPca<double> single = whole;
    KernelPca<double> cut = whole;
    whole.fit(rows);
    for (Index i = 0; i < 50; ++i) single.partial_fit(rows.row(i));
    cut.partial_fit(rows.topRows(17)).partial_fit(rows.bottomRows(33));
    EXPECT_EQ(bits_of(whole), bits_of(single));
    EXPECT_EQ(bits_of(whole), bits_of(cut));
  }
}

TEST(KernelPca, ResumesFromItsStateWithTheSameBits) {
  const RowMatrix<double> rows = normal_rows(80, 3, 4);
  for (const std::optional<Index> budget : {std::optional<Index>(), std::optional<Index>(12)}) {
    for (const Index stop : {1, 12, 40}) {
      KernelPca<double> pca(Kernel<double>::rbf(), {.n_components = 4, .budget = budget});
      pca.partial_fit(rows.topRows(stop));
      auto later = KernelPca<double>::from_state(Kernel<double>::rbf(), pca.state());
      pca.partial_fit(rows.bottomRows(80 - stop));
      later.partial_fit(rows.bottomRows(80 - stop));
      EXPECT_EQ(bits_of(pca), bits_of(later));
      EXPECT_TRUE(same_bits(pca.components().eigenvectors, later.components().eigenvectors));
    }
  }
}

TEST(KernelPca, RefusesAStateOfAnotherClass) {
  const KernelPca<float> pca(Kernel<float>::rbf(), {});
  EXPECT_THROW(KernelPca<double>::from_state(Kernel<double>::rbf(), pca.state()), std::invalid_argument);
  const auto linear = OnlinePca<float>(Options{}).state();
  EXPECT_THROW(KernelPca<float>::from_state(Kernel<float>::rbf(), linear), std::invalid_argument);
  EXPECT_THROW(OnlinePca<float>::from_state(pca.state()), std::invalid_argument);
  auto bytes = pca.state();
  bytes.pop_back();
  EXPECT_THROW(KernelPca<float>::from_state(Kernel<float>::rbf(), bytes), std::invalid_argument);
}

TEST(KernelPca, WithABudgetKeepsNoMoreRowsAndIsCloseToTheExactResult) {
  const RowMatrix<double> rows = decaying_rows(400, 4, 0.5, 5);
  KernelPca<double> exact(Kernel<double>::rbf(0.1), {.n_components = 3});
  KernelPca<double> bounded(Kernel<double>::rbf(0.1), {.n_components = 3, .budget = 40});
  exact.partial_fit(rows);
  bounded.partial_fit(rows);
  EXPECT_LE(bounded.kept_rows().rows(), 40);
  EXPECT_LE(bounded.representation_error(), 1e-3);
  const Vector<double> expected = as_eigen(exact.components().eigenvalues);
  EXPECT_LE((as_eigen(bounded.components().eigenvalues) - expected).cwiseAbs().maxCoeff(),
            1e-3 * expected[0]);
  const auto numbers = bounded.kept_numbers();
  for (std::size_t j = 0; j < numbers.size(); ++j) {
    EXPECT_EQ(as_eigen(bounded.kept_rows()).row(static_cast<Index>(j)), rows.row(numbers[j]));
  }
}

// All rows within the budget: then the components are those without one.
// By Weyl, the error of the square roots of eigenvalues is at most the square root of what the projections
// have lost, plus the rounding in each row's distance from the kept rows, of the order of epsilon times their
// number squared.
template <typename T>
void expect_eigenvalues(const KernelPca<T>& pca, const Matrix<double>& k, double rounding) {
  const Vector<double> found = as_eigen(pca.components().eigenvalues);
  const Vector<double> want = dense_pairs(centred(k)).values.head(found.size()).cwiseMax(0.0);
  const double slack = std::sqrt(pca.representation_error() * k.trace()) + rounding * std::sqrt(k.trace());
  EXPECT_LE((found.cwiseSqrt() - want.cwiseSqrt()).cwiseAbs().maxCoeff(), slack);
}

TYPED_TEST(KernelPcaOf, WithABudgetAcceptsEveryPositiveKernelAtEveryTolerance) {
  using T = TypeParam;
  for (unsigned seed = 0; seed < 3; ++seed) {
    for (const Index features : {1, 2}) {
      const RowMatrix<T> rows = normal_rows(200, features, seed).cast<T>();
      for (const double gamma : {0.01, 0.1, 1.0, 10.0}) {
        const Matrix<double> k = kernel_matrix(Kernel<double>::rbf(gamma), rows.template cast<double>());
        for (const double tolerance : {1e-3, 1e-5, 1e-6, 1e-8, 1e-12, 0.0}) {
          SCOPED_TRACE(::testing::Message() << "seed " << seed << ", " << features << " features, gamma "
                                            << gamma << ", tolerance " << tolerance);
          KernelPca<T> pca(Kernel<T>::rbf(gamma), {.budget = 70, .tolerance = tolerance});
          ASSERT_NO_THROW(pca.partial_fit(rows));
          expect_eigenvalues(pca, k, 1e-6);
          if (tolerance <= 1e-5 && features == 1) {
            EXPECT_LE(pca.representation_error(), 1e-9);
          }
        }
      }
    }
  }
}

// As NumPy does with rows of float32.
TEST(KernelPca, WithABudgetAcceptsAKernelComputedInFloat) {
  const auto in_float = [](const Row<float>& x, const Row<float>& y) {
    return static_cast<double>(std::exp(-(as_eigen(x) - as_eigen(y)).squaredNorm()));
  };
  for (unsigned seed = 0; seed < 4; ++seed) {
    const RowMatrix<float> rows = normal_rows(200, 1, seed).cast<float>();
    const Matrix<double> k = kernel_matrix(Kernel<double>::rbf(1.0), rows.cast<double>());
    for (const double tolerance : {1e-2, 1e-3, 1e-5, 0.0}) {
      SCOPED_TRACE(::testing::Message() << "seed " << seed << ", tolerance " << tolerance);
      KernelPca<float> pca(Kernel<float>::custom(in_float), {.budget = 70, .tolerance = tolerance});
      ASSERT_NO_THROW(pca.partial_fit(rows));
      expect_eigenvalues(pca, k, 1e-2);
    }
  }
}

// 1 if rows are close to each other: a function of two rows that is not an inner product.
TYPED_TEST(KernelPcaOf, WithABudgetRefusesAKernelThatIsNotPositive) {
  using T = TypeParam;
  const auto box = [](const Row<T>& x, const Row<T>& y) { return std::abs(x[0] - y[0]) < T{1} ? 1.0 : 0.0; };
  for (unsigned seed = 0; seed < 10; ++seed) {
    const RowMatrix<T> rows = (3.0 * normal_rows(100, 1, seed)).cast<T>();
    for (const double tolerance : {1e-3, 1e-6, 0.0}) {
      KernelPca<T> pca(Kernel<T>::custom(box), {.budget = 70, .tolerance = tolerance});
      EXPECT_THROW(pca.partial_fit(rows), KernelError) << seed << " " << tolerance;
      EXPECT_EQ(pca.rows_seen(), 0);
    }
  }
}

TEST(KernelPca, WithABudgetForAllRowsHasTheEigenvectorsOfTheMatrix) {
  const RowMatrix<double> rows = normal_rows(30, 6, 6);
  KernelPca<double> exact(Kernel<double>::rbf(), {});
  KernelPca<double> bounded(Kernel<double>::rbf(), {.budget = 30, .tolerance = 0.0});
  const auto expected = exact.partial_fit(rows).components();
  const auto found = bounded.partial_fit(rows).components();
  EXPECT_LE((as_eigen(found.eigenvalues) - as_eigen(expected.eigenvalues)).norm(),
            1e-12 * expected.eigenvalues[0]);
  EXPECT_LE((as_eigen(found.eigenvectors) - as_eigen(expected.eigenvectors)).cwiseAbs().maxCoeff(), 1e-8);
}

TEST(KernelPca, ReportsAsManyComponentsAsThereAreRowsAndNoScoreWithoutVariance) {
  KernelPca<double> pca(Kernel<double>::linear(), {.n_components = 3});
  const RowMatrix<double> rows{{1.0, 2.0}, {3.0, 4.0}, {5.0, 6.0}, {7.0, 8.0}};
  pca.partial_fit(rows.row(0));
  EXPECT_EQ(pca.components().eigenvalues.size(), 1U);
  EXPECT_EQ(pca.components().eigenvalues[0], 0.0);
  pca.partial_fit(rows.bottomRows(3));
  const auto found = pca.components();
  EXPECT_EQ(found.eigenvalues.size(), 3U);
  EXPECT_NEAR(found.eigenvalues[0], 40.0, 1e-12);
  EXPECT_EQ(found.eigenvalues[1], 0.0);
  EXPECT_LE(orthonormality_error(as_columns(found.eigenvectors)), 1e-14);
  EXPECT_TRUE((as_eigen(pca.transform(rows)).rightCols(2).array() == 0.0).all());
}

TEST(KernelPca, ThrowsBeforeTheFirstRow) {
  EXPECT_THROW(KernelPca<double>(Kernel<double>::rbf(), {}).components(), std::logic_error);
}

TEST(KernelPca, RefusesOptionsOutOfRange) {
  const auto make = [](const KernelOptions& options) { KernelPca<double>(Kernel<double>::rbf(), options); };
  EXPECT_THROW(make({.n_components = -1}), std::invalid_argument);
  EXPECT_THROW(make({.oversampling = -1}), std::invalid_argument);
  EXPECT_THROW(make({.budget = 0}), std::invalid_argument);
  EXPECT_THROW(make({.n_components = 5, .budget = 4}), std::invalid_argument);
  EXPECT_THROW(make({.tolerance = 1.0}), std::invalid_argument);
  EXPECT_THROW(Kernel<double>::rbf(-1.0), std::invalid_argument);
  EXPECT_THROW(Kernel<double>::poly(1.0, -1.0), std::invalid_argument);
  EXPECT_THROW(Kernel<double>::custom(nullptr), std::invalid_argument);
}

// A good call, then a call whose third row is bad.
class BadRows : public ::testing::TestWithParam<std::optional<Index>> {
 protected:
  static KernelOptions options() { return {.n_components = 2, .budget = GetParam()}; }

  template <typename Action>
  static void expect_unchanged(KernelPca<double>& pca, Action action) {
    const std::string before = bits_of(pca);
    action();
    EXPECT_EQ(bits_of(pca), before);
  }
};

TEST_P(BadRows, ForWhichTheKernelReturnsNanAreNamed) {
  const auto kernel = [](const Row<double>& x, const Row<double>& y) {
    const bool is_bad = x[0] + y[0] == 7.0;
    return is_bad ? std::numeric_limits<double>::quiet_NaN() : x[0] * y[0];
  };
  KernelPca<double> pca(Kernel<double>::custom(kernel), options());
  const RowMatrix<double> good{{1.0}, {2.0}};
  const RowMatrix<double> bad{{3.0}, {4.0}, {6.0}};
  pca.partial_fit(good);
  expect_unchanged(pca, [&] {
    const std::string reason = support::refusal_of<KernelError>([&] { pca.partial_fit(bad); });
    EXPECT_EQ(reason.rfind("kernel returned NaN for rows ", 0), 0U) << reason;
  });
}

TEST_P(BadRows, ForWhichTheKernelIsNotSymmetricAreShownWithBothValues) {
  const auto kernel = [](const Row<double>& x, const Row<double>& y) {
    return x[0] * y[0] * (x[0] > y[0] ? 2.0 : 1.0);
  };
  KernelPca<double> pca(Kernel<double>::custom(kernel), options());
  pca.partial_fit(RowMatrix<double>{{2.0}});
  expect_unchanged(pca, [&] {
    EXPECT_EQ(support::refusal_of<KernelError>([&] { pca.partial_fit(RowMatrix<double>{{3.0}}); }),
              "kernel is not symmetric: k(x, y) = 12, k(y, x) = 6 for rows 1 and 0");
  });
}

TEST_P(BadRows, WithNanAreNamedAndChangeNothing) {
  KernelPca<double> pca(Kernel<double>::rbf(), options());
  RowMatrix<double> rows = normal_rows(5, 2, 7);
  pca.partial_fit(rows);
  rows(2, 1) = std::numeric_limits<double>::quiet_NaN();
  expect_unchanged(pca, [&] {
    EXPECT_THROW(pca.partial_fit(rows), DataError);
    EXPECT_THROW(pca.fit(rows), DataError);
    EXPECT_THROW(pca.partial_fit(normal_rows(2, 3, 1)), std::invalid_argument);
  });
}

TEST_P(BadRows, BeforeAnyGoodRowDoNotSetTheWidth) {
  KernelPca<double> pca(Kernel<double>::poly(1.0, 200.0), options());
  EXPECT_THROW(pca.partial_fit(RowMatrix<double>{{1e3, 1e3}}), KernelError);
  EXPECT_EQ(pca.features(), 0);
  pca.partial_fit(RowMatrix<double>{{0.1, 0.1, 0.1}});
  EXPECT_EQ(pca.features(), 3);
}

TEST_P(BadRows, ForWhichTheKernelThrowsPassTheExceptionOn) {
  int calls = 0;
  const auto kernel = [&calls](const Row<double>& x, const Row<double>& y) {
    if (++calls > 8) throw std::length_error("enough");
    return as_eigen(x).dot(as_eigen(y));
  };
  KernelPca<double> pca(Kernel<double>::custom(kernel), options());
  pca.partial_fit(RowMatrix<double>{{2.0}});
  expect_unchanged(pca, [&] { EXPECT_THROW(pca.partial_fit(normal_rows(9, 1, 8)), std::length_error); });
}

INSTANTIATE_TEST_SUITE_P(WithAndWithoutABudget, BadRows,
                         ::testing::Values(std::optional<Index>(), std::optional<Index>(8)));

TEST(KernelPca, WithAKernelThatIsNotPositiveHasTheLeadingComponentsAndRefusesAll) {
  const RowMatrix<double> rows = normal_rows(40, 4, 9);
  const Kernel<double> kernel = Kernel<double>::sigmoid(1.0, -1.0);
  const Vector<double> expected = dense_pairs(centred(kernel_matrix(kernel, rows))).values;
  ASSERT_LT(expected[39], -0.01 * expected[0]);
  KernelPca<double> leading(kernel, {.n_components = 3, .oversampling = 37});
  const Vector<double> found = as_eigen(leading.partial_fit(rows).components().eigenvalues);
  EXPECT_LE((found - expected.head(3)).norm(), 1e-12 * expected[0]);
  KernelPca<double> all(kernel, {});
  all.partial_fit(rows);
  const std::string reason = support::refusal_of<KernelError>([&] { all.components(); });
  EXPECT_NE(reason.find("not positive semi-definite"), std::string::npos);
}

}  // namespace
}  // namespace roipca::testing
