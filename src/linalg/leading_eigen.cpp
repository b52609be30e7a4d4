#include "linalg/leading_eigen.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "linalg/decompositions.hpp"
#include "linalg/products.hpp"
#include "linalg/symmetric_eigen.hpp"

namespace roipca::linalg {
namespace {

constexpr double kRounding = std::numeric_limits<double>::epsilon();
// Number of vectors in a block. Small blocks allow more steps for the size of the space, which has at most as
// many copies of an eigenvalue as a block has vectors; large blocks read the matrix from memory less often.
constexpr Index kLeastBlock = 2;
constexpr Index kLargestBlock = 8;
// Including random vectors that were added to it.
constexpr Index kMostBlock = 4 * kLargestBlock;
// Maximum number of directions as a fraction of the features: beyond it, all eigenpairs take no longer.
constexpr double kMost = 0.6;
// Growth of the directions between two checks of the eigenpairs, chosen so that directions cost as much as a
// check.
constexpr double kGrowth = 1.4;
// Two eigenvalues that are closer than this count as the same: either may be among those reported.
constexpr double kSame = 1e-10;
constexpr Index kPanel = 96;  // columns that are eliminated at once

// Copies the lower triangle to both.
void mirror(const simd::AlignedRows<double>& lower, double scale, simd::AlignedRows<double>& both) {
  constexpr Index kTile = 32;
  const Index n = lower.length();
  for (Index j0 = 0; j0 < n; j0 += kTile) {
    for (Index i0 = j0; i0 < n; i0 += kTile) {
      for (Index j = j0; j < std::min(n, j0 + kTile); ++j) {
        for (Index i = std::max(i0, j); i < std::min(n, i0 + kTile); ++i) {
          both.row(i)[j] = both.row(j)[i] = scale * lower.row(j)[i];
        }
      }
    }
  }
}

double largest_diagonal(const simd::AlignedRows<double>& lower) {
  double largest = 0.0;
  for (Index i = 0; i < lower.length(); ++i) largest = std::max(largest, lower.row(i)[i]);
  return largest;
}

// Returns whether a matrix, given by the lower triangle of its negative, is positive definite, by Cholesky
// factorisation of kPanel columns at a time.
bool is_positive(simd::AlignedRows<double>& negative) {
  const Index n = negative.length();
  const auto& loops = simd::table<double>();
  RowMatrix<double> inverse(kPanel, kPanel);
  Vector<double> panel(simd::panel_size<double>(kPanel));
  Vector<double> panels(simd::outer_size<double>(kPanel, negative.padded_length()));
  for (Index first = 0; first < n; first += kPanel) {
    // The last columns are eliminated together: the inverse of a factor takes longer than the factor.
    const Index width = n - first <= 2 * kPanel ? n - first : kPanel;
    Matrix<double> corner(width, width);
    for (Index j = 0; j < width; ++j) {
      for (Index i = j; i < width; ++i) corner(i, j) = -negative.row(first + j)[first + i];
    }
    const Cholesky factor(corner);
    if (!factor.is_positive()) return false;
    const Index next = first + width;
    if (next == n) return true;
    // Rows of -L^(-1), as columns of coefficients.
    inverse.topLeftCorner(width, width) = -factor.inverse_of_factor().transpose();
    const Index length = negative.padded_length() - next;
    loops.rotate(negative.row(first) + next, negative.stride(), width, {negative.row(first), 0, 0},
                 inverse.data(), inverse.cols(), width, length, panel.data());
    loops.add_outer(negative.row(next) + next, negative.stride(),
                    {negative.row(first) + next, negative.stride(), width}, n - next, length, panels.data());
  }
  return true;
}

}  // namespace

LeadingEigen::LeadingEigen(const simd::AlignedRows<double>& lower, Index wanted)
    : features_(lower.length()),
      wanted_(wanted),
      most_(static_cast<Index>(kMost * static_cast<double>(features_))),
      fresh_(std::clamp(wanted / 4, kLeastBlock, kLargestBlock)),
      matrix_(features_, features_),
      directions_(most_ + 2 * kMostBlock, features_),
      projected_(Matrix<double>::Zero(most_ + 2 * kMostBlock, most_ + 2 * kMostBlock)),
      products_(features_, kMostBlock),
      coefficients_(most_ + 2 * kMostBlock, std::max(kMostBlock, wanted)),
      panel_(simd::panel_size<double>(most_ + 2 * kMostBlock)),
      values_(wanted),
      vectors_(wanted, features_) {
  const double largest = largest_diagonal(lower);
  if (largest > 0.0 && std::isfinite(largest)) {
    scale_ = std::ldexp(1.0, -std::ilogb(largest));
    mirror(lower, scale_, matrix_);
  } else {
    most_ = 0;
  }
}

bool LeadingEigen::solve(double tolerance) {
  const auto look_after = [&](double directions) {
    return std::max<Index>(static_cast<Index>(kGrowth * directions), count_ + 2 * fresh_);
  };
  Index look_at = look_after(static_cast<double>(wanted_ + fresh_));
  if (look_at > most_) return false;
  add_fresh_block();
  while (count_ + block_ <= most_) {
    extend();
    if (block_ == 0) add_fresh_block();
    if (count_ < look_at) continue;
    look_at = look_after(static_cast<double>(count_));
    if (!is_converged(tolerance)) continue;
    if (!(values_[wanted_ - 1] > SymmetricEigen::kGraded * values_[0])) return false;
    find_vectors();
    if (is_complete()) {
      values_ /= scale_;
      return true;
    }
    // Copies of an eigenvalue that the space lacks are found from other vectors.
    if (block_ + fresh_ > kMostBlock) return false;
    add_fresh_block();
  }
  return false;
}

// Adds random vectors to the next block.
void LeadingEigen::add_fresh_block() {
  const Index first = count_ + block_;
  for (Index r = 0; r < fresh_; ++r) {
    double* row = directions_.row(first + r);
    for (Index i = 0; i < features_; ++i) {
      random_ = random_ * 6364136223846793005ULL + 1442695040888963407ULL;
      row[i] = static_cast<double>(random_ >> 11) * 0x1p-53 - 0.5;
    }
  }
  project_out(first, fresh_, -1);
  block_ += orthonormalise(first, fresh_, kRounding);
}

// Multiplies the next block by the matrix. The parts of the products outside of the directions become the
// block after it.
void LeadingEigen::extend() {
  const auto& loops = simd::table<double>();
  const Index next = count_ + block_;
  loops.dots(matrix_.view(features_), {directions_.row(count_), directions_.stride(), block_},
             matrix_.padded_length(), products_.data(), products_.cols());
  for (Index r = 0; r < block_; ++r) {
    directions_.columns(next + r + 1).col(next + r) = products_.col(r);
    norm_ = std::max(norm_, products_.col(r).norm());
  }
  project_out(next, block_, count_);
  const Index before = count_;
  const Index size = block_;
  Matrix<double> left = directions_.columns(next + size).rightCols(size);
  count_ = next;
  block_ = orthonormalise(next, size, 64.0 * kRounding * norm_);
  const Matrix<double> coupling =
      product(directions_.columns(next + block_).rightCols(block_).transpose(), left);
  projected_.block(next, before, block_, size) = coupling;
  projected_.block(before, next, size, block_) = coupling.transpose();
}

// Subtracts the parts along all directions before `first` from `count` rows, twice, and adds them to columns
// of the projected matrix, from `column` on, unless `column` is negative.
void LeadingEigen::project_out(Index first, Index count, Index column) {
  if (first == 0) return;
  const auto& loops = simd::table<double>();
  RowMatrix<double> along(count, first);
  if (column >= 0) projected_.block(0, column, first, count).setZero();
  for (int pass = 0; pass < 2; ++pass) {
    loops.dots({directions_.row(first), directions_.stride(), count}, directions_.view(first),
               directions_.padded_length(), along.data(), along.cols());
    if (column >= 0) projected_.block(0, column, first, count) += along.transpose();
    coefficients_.topLeftCorner(first, count) = -along.transpose();
    loops.add_rows(directions_.row(first), directions_.stride(), 0, directions_.view(first),
                   coefficients_.data(), coefficients_.cols(), count, directions_.padded_length(),
                   panel_.data());
  }
  if (column >= 0) {
    // Evaluated first, because the two blocks overlap if `column` is less than `first`.
    projected_.block(column, 0, count, first) = projected_.block(0, column, first, count).transpose().eval();
  }
}

// Orthonormalises rows that are orthogonal to the earlier ones, and removes those of which only noise is
// left. Returns the number of remaining rows.
Index LeadingEigen::orthonormalise(Index first, Index count, double noise) {
  auto rows = directions_.columns(first + count);
  Index kept = 0;
  for (Index r = 0; r < count; ++r) {
    auto row = rows.col(first + r);
    double length = row.norm();
    for (int pass = 0; pass < 3 && length > noise; ++pass) {
      const double before = length;
      for (Index i = 0; i < kept; ++i) row -= rows.col(first + i).dot(row) * rows.col(first + i);
      // The remainder of a short row contains rounding of the directions.
      if (pass > 0) {
        add_applied(-1.0, rows.leftCols(first), apply(rows.leftCols(first).transpose(), row), row);
      }
      length = row.norm();
      if (pass > 0 && length > 0.5 * before) break;
      if (pass == 0 && length > 0.5 * before && length > 1e-3 * norm_) break;
    }
    if (!(length > noise)) continue;
    rows.col(first + kept) = row / length;
    ++kept;
  }
  return kept;
}

// Computes the eigenpairs on the directions. Returns whether the first ones have no part outside of them.
bool LeadingEigen::is_converged(double tolerance) {
  SymmetricEigen eigen(count_);
  eigen.matrix(count_) = projected_.topLeftCorner(count_, count_);
  eigen.solve(count_);
  values_ = eigen.values().head(wanted_);
  // Not by resizing: a matrix of Eigen whose resizing fails cannot even be destroyed.
  Matrix<double> combinations = eigen.vectors(wanted_);
  combinations_.swap(combinations);
  const Matrix<double> outside = product(projected_.block(count_, 0, block_, count_), combinations_);
  return block_ == 0 || outside.colwise().norm().maxCoeff() <= tolerance * values_[0];
}

void LeadingEigen::find_vectors() {
  vectors_.columns(wanted_).setZero();
  coefficients_.topLeftCorner(count_, wanted_) = combinations_;
  simd::table<double>().add_rows(vectors_.row(0), vectors_.stride(), 0, directions_.view(count_),
                                 coefficients_.data(), coefficients_.cols(), wanted_,
                                 vectors_.padded_length(), panel_.data());
}

// Returns whether no other eigenvalue is above the last one found: then t I - S + V diag(values) V^T is
// positive definite for a t just above it.
bool LeadingEigen::is_complete() const {
  simd::AlignedRows<double> left(features_, features_);
  left.columns(features_) = -matrix_.columns(features_);
  simd::AlignedRows<double> rows(kPanel, features_);
  Vector<double> panels(simd::outer_size<double>(kPanel, left.padded_length()));
  for (Index first = 0; first < wanted_; first += kPanel) {
    const Index count = std::min(kPanel, wanted_ - first);
    for (Index j = 0; j < count; ++j) {
      rows.columns(count).col(j) =
          std::sqrt(std::max(values_[first + j], 0.0)) * vectors_.columns(first + j + 1).col(first + j);
    }
    simd::table<double>().add_outer(left.row(0), left.stride(), rows.view(count), features_,
                                    left.padded_length(), panels.data());
  }
  const double room = kSame * values_[wanted_ - 1] +
                      16.0 * kRounding * std::sqrt(static_cast<double>(features_)) * values_[0];
  left.columns(features_).diagonal().array() += values_[wanted_ - 1] + room;
  left.columns(features_) *= -1.0;
  return is_positive(left);
}

}  // namespace roipca::linalg
