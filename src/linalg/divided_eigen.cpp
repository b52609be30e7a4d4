#include "linalg/divided_eigen.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "linalg/operations.hpp"

namespace roipca::linalg {
namespace {

constexpr Index kLeaf = 32;  // order of a part that is not divided

// Returns the order of the largest part whose eigenvectors are combined or computed at once.
Index largest_part(Index order) { return std::max(kLeaf, (order + 1) / 2); }

}  // namespace

DividedEigen::DividedEigen(Index max_order)
    : diagonal_(padded(max_order)),
      beside_(padded(max_order)),
      factors_(padded(max_order)),
      vectors_(padded(max_order) * max_order),
      of_part_(padded(largest_part(max_order)) * largest_part(max_order)),
      turn_(padded(largest_part(max_order)) * max_order),
      product_(padded(largest_part(max_order)) * max_order),
      work_(std::max(operations().reflector_work(max_order, max_order), kEigenWork * padded(kLeaf))),
      rank_one_(static_cast<std::size_t>(max_order)),
      places_(static_cast<std::size_t>(max_order)),
      poles_(static_cast<std::size_t>(max_order)),
      z_(static_cast<std::size_t>(max_order)) {}

void DividedEigen::solve(Index order, double* a, Index stride, double* values) {
  order_ = order;
  stride_ = padded(order);
  const auto matrix = [&](Index j) { return a + j * stride; };
  if (stride != stride_) {
    for (Index j = 1; j < order; ++j) std::copy_n(matrix(j), stride_, a + j * stride_);
  }
  for (Index j = 0; j < order; ++j) std::fill(a + j * stride_ + order, a + (j + 1) * stride_, 0.0);
  const Operations& loops = operations();
  loops.tridiagonaliser(order, a, stride_, diagonal_.data(), beside_.data(), factors_.data(), work_.data());
  solve_part(0, order);
  loops.reflectors(order, a, stride_, factors_.data(), vectors_.data(), order, work_.data());
  for (Index j = order - 1; j >= 0; --j) {
    std::copy_n(vectors_.data() + j * stride_, order, matrix(j));
    std::fill(matrix(j) + order, matrix(j) + stride, 0.0);
  }
  std::copy_n(diagonal_.data(), order, values);
}

void DividedEigen::solve_part(Index first, Index count) {
  if (count <= kLeaf) return solve_leaf(first, count);
  const Index left = count / 2;
  const Index cut = first + left;
  // T = diag(T_1, T_2) + rho v v^T, where v is 1 at the last place of T_1 and +-1 at the first of T_2.
  const double coupling = beside_[cut - 1];
  const double rho = std::abs(coupling);
  diagonal_[cut - 1] -= rho;
  diagonal_[cut] -= rho;
  solve_part(first, left);
  solve_part(cut, count - left);
  join(first, left, count, coupling);
}

void DividedEigen::solve_leaf(Index first, Index count) {
  const Index stride = padded(count);
  double* const small = of_part_.data();
  std::fill_n(small, stride * count, 0.0);
  for (Index j = 0; j < count; ++j) {
    small[j * stride + j] = diagonal_[first + j];
    if (j + 1 < count) small[j * stride + j + 1] = beside_[first + j];
  }
  alignas(64) double values[padded(kLeaf)];
  operations().eigen_solver(count, small, stride, values, work_.data());
  const auto places = places_.begin();
  std::iota(places, places + count, Index{0});
  std::sort(places, places + count, [&](Index i, Index j) { return values[i] > values[j]; });
  for (Index j = 0; j < count; ++j) {
    const Index from = places[j];
    diagonal_[first + j] = values[from];
    double* const column = vectors_.data() + (first + j) * stride_;
    std::fill_n(column, stride_, 0.0);
    const double* const vector = small + from * stride;
    double length = 0.0;
    for (Index i = 0; i < count; ++i) length += vector[i] * vector[i];
    length = std::sqrt(length);
    for (Index i = 0; i < count; ++i) column[first + i] = vector[i] / length;
  }
}

// Computes the eigenpairs of both parts together from those of each.
void DividedEigen::join(Index first, Index left, Index count, double coupling) {
  const double sign = coupling < 0.0 ? -1.0 : 1.0;
  const auto places = places_.begin();
  std::iota(places, places + count, first);
  std::inplace_merge(places, places + left, places + count,
                     [&](Index i, Index j) { return diagonal_[i] > diagonal_[j]; });
  for (Index i = 0; i < count; ++i) {
    const Index place = places[i];
    const double* const column = vectors_.data() + place * stride_;
    const bool is_left = place < first + left;
    poles_[static_cast<std::size_t>(i)] = diagonal_[place];
    z_[static_cast<std::size_t>(i)] = is_left ? column[first + left - 1] : sign * column[first + left];
  }
  const auto size = static_cast<std::size_t>(count);
  rank_one_.compute({poles_.data(), size}, {z_.data(), size}, std::abs(coupling));
  replace_rows(first, left, first, count);
  replace_rows(first + left, count - left, first, count);
  std::copy_n(rank_one_.values().data(), count, diagonal_.data() + first);
}

// Computes rows of the joined eigenvectors: those of the part that begins at `row`, times its combinations.
void DividedEigen::replace_rows(Index row, Index rows, Index first, Index count) {
  const Index stride = padded(rows);
  for (Index j = 0; j < rows; ++j) {
    std::copy_n(vectors_.data() + (row + j) * stride_ + row, rows, of_part_.data() + j * stride);
    std::fill_n(of_part_.data() + j * stride + rows, stride - rows, 0.0);
  }
  const double* const small = rank_one_.vectors().data();
  for (Index i = 0; i < count; ++i) {
    const Index place = places_[static_cast<std::size_t>(i)];
    if (place < row || place >= row + rows) continue;
    for (Index c = 0; c < count; ++c) turn_.data()[c * stride + (place - row)] = small[c * count + i];
  }
  operations().multiplier(rows, count, rows, of_part_.data(), stride, turn_.data(), stride, product_.data(),
                          stride);
  // The vectors of the other part are still needed: they are in other rows.
  for (Index c = 0; c < count; ++c) {
    std::copy_n(product_.data() + c * stride, rows, vectors_.data() + (first + c) * stride_ + row);
  }
}

}  // namespace roipca::linalg
