#include "dense/symmetric_eigen.hpp"

#include <cmath>
#include <limits>
#include <utility>

#include "kernels/kernels.hpp"

namespace roipca {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
// Each sweep squares the remaining cosines once they are small; pivoted factors take four to eight.
constexpr int kMostSweeps = 40;

Index padded(Index order) {
  constexpr Index kVector = 8;  // doubles in the longest vector register
  return (order + kVector - 1) / kVector * kVector;
}

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

}  // namespace

SymmetricEigen::SymmetricEigen(Index max_order)
    : vectors_(Matrix<double>::Zero(padded(max_order), max_order)),
      given_(max_order, max_order),
      values_(Vector<double>::Zero(padded(max_order))),
      work_(Vector<double>::Zero(3 * padded(max_order))) {}

void SymmetricEigen::compute(const Eigen::Ref<const Matrix<double>>& matrix) {
  this->matrix(matrix.rows()) = matrix;
  solve(matrix.rows());
}

void SymmetricEigen::solve(Index order) {
  order_ = order;
  kernels::active().eigen_solver(order, vectors_.data(), vectors_.rows(), values_.data(), work_.data());
  sort_descending(values_.head(order), vectors_.leftCols(order));
}

Index SymmetricEigen::solve_positive(Index order, Index wanted, double noise) {
  given_.topLeftCorner(order, order) = matrix(order);
  solve(order);
  if (values_[wanted - 1] > kGraded * values_[0]) {
    return (values_.head(order).array() > noise * values_[0]).count();
  }
  const Index rank = factorise(noise);
  orthogonalise_columns(rank);
  for (Index j = 0; j < rank; ++j) {
    const double length = vectors_.col(j).norm();
    values_[j] = length * length;
    vectors_.col(j) /= length;
  }
  values_.segment(rank, order - rank).setZero();
  vectors_.block(0, rank, order, order - rank).setZero();
  sort_descending(values_.head(rank), vectors_.leftCols(rank));
  return rank;
}

// A = L L^T with the largest remaining diagonal entry as the next pivot. L goes into vectors_, with the rows
// of A in their places. Returns the number of columns.
Index SymmetricEigen::factorise(double noise) {
  const Index n = order_;
  const auto a = given_.topLeftCorner(n, n);
  auto left = work_.head(n);  // of the diagonal; 0 once a row is a pivot or nothing but noise is left of it
  left = a.diagonal();
  vectors_.leftCols(n).setZero();
  for (Index j = 0; j < n; ++j) {
    Index pivot = 0;
    const double largest = left.maxCoeff(&pivot);
    if (!(largest > 0.0)) return j;
    auto column = vectors_.col(j).head(n);
    for (Index i = 0; i < n; ++i) column[i] = i >= pivot ? a(i, pivot) : a(pivot, i);
    for (Index l = 0; l < j; ++l) column -= vectors_(pivot, l) * vectors_.col(l).head(n);
    column = (left.array() > 0.0).select(column / std::sqrt(largest), 0.0);
    column[pivot] = std::sqrt(largest);
    left[pivot] = 0.0;
    for (Index i = 0; i < n; ++i) {
      if (left[i] == 0.0) continue;
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
        // The tangent of the smaller angle that makes them orthogonal, from lengths in proportion.
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

}  // namespace roipca
