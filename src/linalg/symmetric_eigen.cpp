#include "linalg/symmetric_eigen.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "linalg/operations.hpp"

namespace roipca::linalg {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
// Each sweep squares the remaining cosines once they are small; pivoted factors take four to eight.
constexpr int kMostSweeps = 40;

// Brings eigenvalues, and the columns that belong to them, into descending order.
void sort_descending(Eigen::Ref<Vector<double>> values, Eigen::Ref<Matrix<double>> vectors) {
  for (Index i = 0; i + 1 < values.size(); ++i) {
    Index largest = 0;
    values.tail(values.size() - i).maxCoeff(&largest);
    if (largest == 0) continue;
    std::swap(values[i], values[i + largest]);
    vectors.col(i).swap(vectors.col(i + largest));
  }
}

bool has_finite_triangle(const Eigen::Ref<const Matrix<double>>& a) {
  for (Index j = 0; j < a.cols(); ++j) {
    if (!a.col(j).tail(a.rows() - j).allFinite()) return false;
  }
  return true;
}

}  // namespace

SymmetricEigen::SymmetricEigen(Index max_order)
    : vectors_(Matrix<double>::Zero(padded(max_order), max_order)),
      given_(max_order, max_order),
      places_(static_cast<std::size_t>(max_order)),
      values_(Vector<double>::Zero(padded(max_order))),
      work_(Vector<double>::Zero(kEigenWork * padded(max_order))) {
  if (max_order >= DividedEigen::kLeastOrder) divided_.emplace(max_order);
}

void SymmetricEigen::compute(const Eigen::Ref<const Matrix<double>>& matrix) {
  this->matrix(matrix.rows()) = matrix;
  solve(matrix.rows());
}

void SymmetricEigen::solve(Index order) {
  order_ = order;
  if (order >= DividedEigen::kLeastOrder && has_finite_triangle(matrix(order))) return solve_divided(order);
  operations().eigen_solver(order, vectors_.data(), vectors_.rows(), values_.data(), work_.data());
  // The rotations change lengths by several roundings, which would add up in a basis that is turned without
  // end.
  for (Index j = 0; j < order; ++j) vectors_.col(j) /= vectors_.col(j).head(order).norm();
  sort_descending(values_.head(order), vectors_.leftCols(order));
}

// Solves in a unit, a power of two, that keeps squares in range.
void SymmetricEigen::solve_divided(Index order) {
  auto a = vectors_.topLeftCorner(order, order);
  double largest = 0.0;
  for (Index j = 0; j < order; ++j)
    largest = std::max(largest, a.col(j).tail(order - j).cwiseAbs().maxCoeff());
  const int exponent = largest > 0.0 ? std::clamp(std::ilogb(largest), -1000, 1000) : 0;
  for (Index j = 0; j < order; ++j) a.col(j).tail(order - j) *= std::ldexp(1.0, -exponent);
  divided_->solve(order, vectors_.data(), vectors_.rows(), values_.data());
  values_.head(order) *= std::ldexp(1.0, exponent);
  for (Index j = 0; j < order; ++j) a.col(j) /= a.col(j).norm();
}

Index SymmetricEigen::solve_positive(Index order, Index wanted, double noise) {
  given_.topLeftCorner(order, order) = matrix(order);
  solve(order);
  if (!is_graded(order, wanted)) return count_above(order, noise);
  return diagonalise(factorise(noise));
}

Index SymmetricEigen::solve_positive(Index order, Index wanted, double noise,
                                     const Eigen::Ref<const Vector<double>>& diagonal,
                                     const Eigen::Ref<const Matrix<double>>& rows) {
  solve(order);
  if (!is_graded(order, wanted)) return count_above(order, noise);
  stack(diagonal, rows);
  return diagonalise(triangularise(diagonal.size() + rows.rows(), noise));
}

// Returns whether the solution is too inaccurate for the last of the wanted values.
bool SymmetricEigen::is_graded(Index order, Index wanted) {
  return !(values_[std::min(wanted, order) - 1] > kGraded * values_[0]);
}

Index SymmetricEigen::count_above(Index order, double noise) const {
  return (values_.head(order).array() > noise * values_[0]).count();
}

// Computes the eigenpairs of L L^T from a factor L in vectors_.
Index SymmetricEigen::diagonalise(Index rank) {
  orthogonalise_columns(rank);
  for (Index j = 0; j < rank; ++j) {
    const double length = vectors_.col(j).norm();
    values_[j] = length * length;
    vectors_.col(j) /= length;
  }
  values_.segment(rank, order_ - rank).setZero();
  vectors_.block(0, rank, order_, order_ - rank).setZero();
  sort_descending(values_.head(rank), vectors_.leftCols(rank));
  return rank;
}

// Writes [D^(1/2); M] to given_, with the largest rows first.
void SymmetricEigen::stack(const Eigen::Ref<const Vector<double>>& diagonal,
                           const Eigen::Ref<const Matrix<double>>& rows) {
  const Index n = order_;
  const Index count = diagonal.size() + rows.rows();
  auto all = given_.topLeftCorner(count, n);
  all.topRows(diagonal.size()).setZero();
  all.diagonal().head(diagonal.size()) = diagonal.cwiseMax(0.0).cwiseSqrt();
  all.bottomRows(rows.rows()) = rows;
  auto sizes = work_.head(count);
  for (Index i = 0; i < count; ++i) sizes[i] = all.row(i).norm();
  for (Index i = 0; i + 1 < count; ++i) {
    Index largest = 0;
    sizes.tail(count - i).maxCoeff(&largest);
    if (largest == 0) continue;
    std::swap(sizes[i], sizes[i + largest]);
    all.row(i).swap(all.row(i + largest));
  }
}

// Factors the rows in given_, whose sizes are in work_, as R P^T Q, by Householder reflections with the
// largest remaining column next. With rows in descending order, each is accurate to the rounding of its own
// size (Cox and Higham 1998). Writes P R^T to vectors_. Returns its number of columns, which ends where the
// remaining rows are no more than rounding.
Index SymmetricEigen::triangularise(Index rows, double noise) {
  const Index n = order_;
  auto a = given_.topLeftCorner(rows, n);
  auto sizes = work_.head(rows);  // below, the sizes of all rows from i on together
  for (Index i = rows - 2; i >= 0; --i) sizes[i] = std::hypot(sizes[i], sizes[i + 1]);
  std::iota(places_.begin(), places_.begin() + n, Index{0});
  vectors_.leftCols(n).setZero();
  const Index most = std::min(rows, n);
  for (Index j = 0; j < most; ++j) {
    Index pivot = j;
    double length = 0.0;
    for (Index c = j; c < n; ++c) {
      const double here = a.col(c).tail(rows - j).norm();
      if (here > length) length = here, pivot = c;
    }
    if (!(length > noise * sizes[j])) return j;
    a.col(j).swap(a.col(pivot));
    std::swap(places_[static_cast<std::size_t>(j)], places_[static_cast<std::size_t>(pivot)]);
    auto column = a.col(j).tail(rows - j);
    const double corner = -std::copysign(length, column[0]);
    column[0] -= corner;
    const double scale = -1.0 / (corner * column[0]);
    for (Index c = j + 1; c < n; ++c) {
      auto other = a.col(c).tail(rows - j);
      other -= (scale * column.dot(other)) * column;
    }
    vectors_(places_[static_cast<std::size_t>(j)], j) = corner;
    // Later columns are swapped, but each keeps its own position in vectors_.
    for (Index c = j + 1; c < n; ++c) vectors_(places_[static_cast<std::size_t>(c)], j) = a(j, c);
  }
  return most;
}

// Factors A = L L^T with the largest remaining diagonal entry as the next pivot. L is written to vectors_,
// with the rows of A in their positions. Returns the number of columns. A row of which only noise remains
// does not become a pivot. It may still have more in common with later pivots, up to the root of the noise of
// both; this is kept if it exceeds the noise of the entry itself, as long as its squares sum to no more than
// the row's noise, which a positive matrix allows.
Index SymmetricEigen::factorise(double noise) {
  constexpr double kIsPivot = -1.0;
  const Index n = order_;
  const auto a = given_.topLeftCorner(n, n);
  auto left = work_.head(n);        // remainder of the diagonal; 0 if it is only noise
  auto room = work_.segment(n, n);  // limit for the sum of squares of a row that is only noise
  left = a.diagonal();
  room = noise * a.diagonal();
  vectors_.leftCols(n).setZero();
  for (Index j = 0; j < n; ++j) {
    Index pivot = 0;
    const double largest = left.maxCoeff(&pivot);
    if (!(largest > 0.0)) return j;
    auto column = vectors_.col(j).head(n);
    for (Index i = 0; i < n; ++i) column[i] = i >= pivot ? a(i, pivot) : a(pivot, i);
    for (Index l = 0; l < j; ++l) column -= vectors_(pivot, l) * vectors_.col(l).head(n);
    for (Index i = 0; i < n; ++i) {
      const double common = column[i];
      column[i] = left[i] == kIsPivot ? 0.0 : common / std::sqrt(largest);
      if (left[i] != 0.0) continue;
      const double square = column[i] * column[i];
      const bool is_known = std::abs(common) > noise * std::sqrt(a(i, i)) * std::sqrt(a(pivot, pivot));
      if (is_known && square <= room[i]) {
        room[i] -= square;
      } else {
        column[i] = 0.0;
      }
    }
    column[pivot] = std::sqrt(largest);
    left[pivot] = kIsPivot;
    for (Index i = 0; i < n; ++i) {
      if (!(left[i] > 0.0)) continue;
      left[i] -= column[i] * column[i];
      if (left[i] <= noise * a(i, i)) left[i] = 0.0;
    }
  }
  return n;
}

// Rotates pairs of columns of vectors_ until all are orthogonal.
void SymmetricEigen::orthogonalise_columns(Index rank) {
  const double tolerance = kEpsilon * static_cast<double>(order_);
  for (int sweep = 0; sweep < kMostSweeps; ++sweep) {
    bool rotated = false;
    for (Index j = 0; j < rank; ++j) values_[j] = vectors_.col(j).norm();
    for (Index p = 0; p + 1 < rank; ++p) {
      for (Index q = p + 1; q < rank; ++q) {
        auto first = vectors_.col(p);
        auto second = vectors_.col(q);
        const double cosine = first.dot(second) / values_[p] / values_[q];
        if (!(std::abs(cosine) > tolerance)) continue;
        rotated = true;
        // The tangent of the smaller angle that makes them orthogonal, from the ratio of their lengths.
        const double ratio = values_[q] / values_[p];
        const double zeta = 0.5 * (ratio - 1.0 / ratio) / cosine;
        const double t = std::copysign(1.0, zeta) / (std::abs(zeta) + std::hypot(1.0, zeta));
        const double c = 1.0 / std::hypot(1.0, t);
        const double s = c * t;
        for (Index i = 0; i < vectors_.rows(); ++i) {
          const double x = first[i];
          const double y = second[i];
          first[i] = c * x - s * y;
          second[i] = s * x + c * y;
        }
        values_[p] = first.norm();
        values_[q] = second.norm();
      }
    }
    if (!rotated) return;
  }
}

}  // namespace roipca::linalg
