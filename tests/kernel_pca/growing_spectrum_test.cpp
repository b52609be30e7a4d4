#include "kernel_pca/growing_spectrum.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "kernel_pca/kernel_matrices.hpp"
#include "roipca/kernel.hpp"
#include "support/rows.hpp"

namespace roipca::testing {
namespace {

using support::decaying_rows;
using support::low_rank_rows;
using support::normal_rows;

void append(GrowingSpectrum& spectrum, const Matrix<double>& k) {
  const Index n = spectrum.size();
  spectrum.append(k.col(n).head(n), k(n, n));
}

Matrix<double> leading(const Matrix<double>& k, Index n, bool center) {
  const Matrix<double> part = k.topLeftCorner(n, n);
  return center ? centred(part) : part;
}

Matrix<double> product(const GrowingSpectrum& spectrum) {
  return spectrum.vectors() * spectrum.values().asDiagonal() * spectrum.vectors().transpose();
}

// Eigenvalues must be accurate to 1e-10 of the largest, and every leading subspace followed by a gap of 1e-5
// of it to 1e-8: an error of 1e-13 in the matrix, 450 roundings, turns it by as much. If centring leaves
// little of the entries, the rounding is relative to the entries.
void expect_the_dense_eigenpairs(const GrowingSpectrum& spectrum, const Matrix<double>& k,
                                 double largest_entry) {
  const Pairs dense = dense_pairs(k);
  const double largest = dense.values.cwiseAbs().maxCoeff();
  const Index n = k.rows();
  const Index rank = spectrum.values().size();
  ASSERT_EQ(spectrum.size(), n);
  Vector<double> values = Vector<double>::Zero(n);  // those that are not held are 0
  values.head(rank) = spectrum.values();
  std::sort(values.begin(), values.end(), std::greater<>());
  ASSERT_LE((values - dense.values).cwiseAbs().maxCoeff(), 1e-10 * largest) << n << " rows";
  ASSERT_LE((product(spectrum) - k).norm(), 1e-10 * largest) << n << " rows";
  ASSERT_NEAR(spectrum.trace(), k.trace(), 1e-10 * largest) << n << " rows";
  if (rank == 0) return;
  ASSERT_LE(orthonormality_error(spectrum.vectors()), 2e-13) << n << " rows";
  const Matrix<double> products = dense.vectors.transpose() * spectrum.vectors();
  const double clear = 1e-5 * std::max(largest, largest_entry);
  for (Index j = 1; j <= rank && j < n && dense.values[j - 1] > clear; ++j) {
    if (dense.values[j - 1] - dense.values[j] < clear) continue;
    ASSERT_LE(leading_angle(products, j), 1e-8) << "the first " << j << " of " << n << " rows";
  }
}

void expect_the_dense_eigenpairs_after_every_row(const Kernel<double>& kernel, const RowMatrix<double>& rows,
                                                 bool center) {
  const Matrix<double> k = kernel_matrix(kernel, rows);
  GrowingSpectrum spectrum(std::nullopt, center);
  for (Index n = 1; n <= rows.rows(); ++n) {
    append(spectrum, k);
    ASSERT_NO_FATAL_FAILURE(
        expect_the_dense_eigenpairs(spectrum, leading(k, n, center), k.cwiseAbs().maxCoeff()));
  }
}

TEST(GrowingSpectrum, HasTheDenseEigenpairsAfterEveryOf300Rows) {
  expect_the_dense_eigenpairs_after_every_row(Kernel<double>::rbf(0.5), normal_rows(300, 3, 1), true);
}

TEST(GrowingSpectrum, HasTheDenseEigenpairsAfterEveryRowWithoutCentring) {
  expect_the_dense_eigenpairs_after_every_row(Kernel<double>::rbf(0.5), normal_rows(150, 3, 2), false);
}

TEST(GrowingSpectrum, HasTheDenseEigenpairsOfOtherKernels) {
  const RowMatrix<double> rows = normal_rows(80, 4, 3);
  for (const bool center : {true, false}) {
    for (const auto& kernel : {Kernel<double>::linear(), Kernel<double>::poly(), Kernel<double>::rbf(1e-4),
                               Kernel<double>::rbf(100.0)}) {
      expect_the_dense_eigenpairs_after_every_row(kernel, rows, center);
    }
  }
}

TEST(GrowingSpectrum, HoldsTheNegativeEigenvaluesOfAKernelThatIsNotPositive) {
  for (const bool center : {true, false}) {
    expect_the_dense_eigenpairs_after_every_row(Kernel<double>::sigmoid(1.0, -1.0), normal_rows(60, 4, 4),
                                                center);
  }
}

TEST(GrowingSpectrum, HandlesRepeatedRows) {
  RowMatrix<double> rows = normal_rows(90, 3, 5);
  for (Index i = 0; i < 90; ++i) rows.row(i) = RowMatrix<double>(rows.row(i % 7));
  for (const bool center : {true, false}) {
    expect_the_dense_eigenpairs_after_every_row(Kernel<double>::rbf(), rows, center);
  }
}

TEST(GrowingSpectrum, HoldsNoMoreThanTheRankOfTheMatrix) {
  const RowMatrix<double> rows = low_rank_rows(120, 10, 4, 6);
  const Matrix<double> k = kernel_matrix(Kernel<double>::linear(), rows);
  GrowingSpectrum spectrum(std::nullopt, true);
  for (Index n = 0; n < rows.rows(); ++n) append(spectrum, k);
  EXPECT_EQ((spectrum.values().array() > 1e-12 * spectrum.values()[0]).count(), 4);
  EXPECT_LE(spectrum.values().size(), 10);
}

TEST(GrowingSpectrum, HandlesAMatrixOfZeros) {
  GrowingSpectrum spectrum(std::nullopt, true);
  for (Index n = 0; n < 5; ++n) spectrum.append(Vector<double>::Zero(n), 0.0);
  EXPECT_EQ(spectrum.size(), 5);
  EXPECT_EQ(spectrum.values().size(), 0);
}

TEST(GrowingSpectrum, DoesNotDependOnScale) {
  const Matrix<double> k = kernel_matrix(Kernel<double>::rbf(), normal_rows(40, 3, 7));
  for (const double scale : {1e-140, 1e140}) {
    GrowingSpectrum spectrum(std::nullopt, true);
    const Matrix<double> scaled = scale * k;
    for (Index n = 0; n < 40; ++n) append(spectrum, scaled);
    const Vector<double> dense = dense_pairs(centred(k)).values;
    const Index rank = spectrum.values().size();
    EXPECT_LE((spectrum.values() / scale - dense.head(rank)).norm(), 1e-13 * dense[0]);
  }
}

// The partial-spectrum formulas with a 64-bit mantissa, a dense eigensolver for the small matrix, and columns
// that are orthonormalised at every row.
class WideFormulas {
 public:
  using Wide = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;

  WideFormulas(Index capacity, bool center) : capacity_(capacity), center_(center) {}

  void append(const Matrix<double>& k) {
    const Index n = size_++;
    const Wide wide = k.topLeftCorner(n + 1, n + 1).cast<long double>();
    const auto m = static_cast<long double>(n);
    Wide c = wide.col(n).head(n);
    Wide u = Wide::Zero(n + 1, 1);
    u(n) = -1.0L;
    long double beta = wide(n, n);
    if (center_) {
      if (n > 0) {
        const Wide old = wide.topLeftCorner(n, n);
        const long double mean = old.sum() / (m * m);
        beta += mean - 2.0L * c.sum() / m;
        c = (c - old.rowwise().sum() / m).array() + (mean - c.sum() / m);
      }
      u.array() += 1.0L / (m + 1.0L);
    }
    const Index rank = basis_.cols();
    Wide basis = Wide::Zero(n + 1, rank + 2);
    basis.topLeftCorner(n, rank) = basis_;
    if (u.norm() > 0.0L) basis.col(rank) = u / u.norm();
    Wide r = c;
    if (rank > 0) {
      for (int pass = 0; pass < 2; ++pass) r -= basis_ * (basis_.transpose() * r).eval();
    }
    const bool has_rest = n > 0 && r.norm() > 1e-16L * c.norm();
    if (has_rest) basis.col(rank + 1).head(n) = r / r.norm();
    const Index order = rank + (has_rest ? 2 : 1);
    Wide extended = Wide::Zero(n + 1, 1);
    extended.topRows(n) = c;
    const Wide w = basis.leftCols(order).transpose() * extended;
    const Wide v = basis.leftCols(order).transpose() * u;
    Wide small = beta * v * v.transpose() - w * v.transpose() - v * w.transpose();
    const Index dimension = n - (center_ ? 1 : 0);
    const long double tail = trace_ - values_.sum();
    const long double mean_tail = rank < capacity_ ? 0.0L : tail / static_cast<long double>(dimension - rank);
    for (Index i = 0; i < rank; ++i) small(i, i) += values_(i);
    if (has_rest && rank > 0) small(order - 1, order - 1) += std::clamp(mean_tail, 0.0L, values_(rank - 1));
    const Eigen::SelfAdjointEigenSolver<Wide> eigen(small);
    Index kept = (eigen.eigenvalues().array() > 1e-17L * eigen.eigenvalues().maxCoeff()).count();
    kept = std::min(kept, capacity_);
    values_ = eigen.eigenvalues().reverse().head(kept);
    basis_ = basis.leftCols(order) * eigen.eigenvectors().rowwise().reverse().leftCols(kept);
    trace_ += beta * u.squaredNorm();
  }

  Vector<double> values() const { return values_.cast<double>(); }
  Matrix<double> vectors() const { return basis_.cast<double>(); }

 private:
  Index capacity_;
  bool center_;
  Index size_ = 0;
  long double trace_ = 0.0L;
  Eigen::Matrix<long double, Eigen::Dynamic, 1> values_;
  Wide basis_;
};

// If few eigenpairs are held, rounding adds almost nothing to the error of the formulas.
TEST(GrowingSpectrum, WithFewHeldHasTheErrorOfTheFormulasInExactArithmetic) {
  const Index rows = 150;
  const Index reported = 4;
  for (const bool center : {true, false}) {
    for (const Index capacity : {4, 14}) {
      const Matrix<double> k = kernel_matrix(Kernel<double>::rbf(0.2), normal_rows(rows, 3, 8));
      GrowingSpectrum spectrum(capacity, center);
      WideFormulas formulas(capacity, center);
      for (Index n = 1; n <= rows; ++n) {
        append(spectrum, k);
        formulas.append(k);
        if (n < 20 || n % 10 != 0) continue;
        const Pairs dense = dense_pairs(leading(k, n, center));
        const Matrix<double> products = dense.vectors.transpose() * spectrum.vectors();
        const Matrix<double> exact_products = dense.vectors.transpose() * formulas.vectors();
        const double error = leading_angle(products, reported);
        const double formulas_error = leading_angle(exact_products, reported);
        const double by_rounding =
            (spectrum.values() - formulas.values()).cwiseAbs().maxCoeff() / dense.values[0];
        ASSERT_GT(formulas_error, 1e-7);  // so that there is something to compare
        ASSERT_NEAR(error, formulas_error, 1e-10) << n << " rows, " << capacity << " held";
        ASSERT_LE(by_rounding, 1e-12) << n << " rows, " << capacity << " held";
      }
    }
  }
}

TEST(GrowingSpectrum, StaysOrthonormalAndCentredForThousandsOfRows) {
  const Index rows = 3000;
  const RowMatrix<double> x = decaying_rows(rows, 6, 0.8, 9);
  const Kernel<double> kernel = Kernel<double>::rbf();
  GrowingSpectrum spectrum(12, true);
  Vector<double> column(rows);
  for (Index n = 0; n < rows; ++n) {
    kernel.against(x.row(n), x.topRows(n), {column.data(), static_cast<std::size_t>(n)});
    spectrum.append(column.head(n), 1.0);
  }
  EXPECT_LE(orthonormality_error(spectrum.vectors()), 2e-13);
  EXPECT_LE(spectrum.vectors().colwise().mean().cwiseAbs().maxCoeff() * std::sqrt(double{rows}), 2e-13);
}

}  // namespace
}  // namespace roipca::testing
