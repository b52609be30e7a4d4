#include "engine/block_split.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "basis/split.hpp"

namespace roipca {
namespace {

// Fraction of its square that must remain of a row, outside of Q and then outside of the rows before it, for
// differences of products to determine the remainder: P is orthonormal to about epsilon / kClear.
template <typename T>
constexpr double kClear = std::is_same_v<T, float> ? 0x1p-8 : 0x1p-20;

// Square of a row below which sums of products in T lose digits to underflow. (Such a row of doubles counts
// as zero: see Moments.)
template <typename T>
constexpr double kLeastSquare = std::is_same_v<T, float> ? 0x1p-100 : 0.0;

// Length below which the numbers of a row itself have lost digits.
template <typename T>
constexpr double kLeastLength = std::is_same_v<T, float> ? 0x1p-100 : 0.0;

// Fraction of its length above which a row is orthogonal to rounding after one projection.
constexpr double kOnceIsEnough = 0.5;

// Computes the Cholesky factor of a in its lower triangle. Returns false, with a in an unspecified state, if
// less than `clear` of a diagonal entry remains.
bool factorise(Index order, double clear, RowMatrix<double>& a) {
  for (Index i = 0; i < order; ++i) {
    const double whole = a(i, i);
    for (Index j = 0; j < i; ++j) a(i, j) = (a(i, j) - a.row(i).head(j).dot(a.row(j).head(j))) / a(j, j);
    const double left = whole - a.row(i).head(i).squaredNorm();
    if (!(left > clear * whole)) return false;
    a(i, i) = std::sqrt(left);
  }
  return true;
}

}  // namespace

template <typename T>
BlockSplit<T>::BlockSplit(Index max_components, Index max_rows)
    : inside_(max_rows, max_components),
      products_(max_rows, max_rows),
      outside_(max_rows, max_rows),
      along_(Vector<double>::Zero(std::max(max_rows, max_components))),
      corrections_(max_rows, std::max(max_components, max_rows)),
      coefficients_(std::max(max_components, max_rows), max_rows),
      panel_(simd::panel_size<T>(max_components + max_rows)) {}

template <typename T>
void BlockSplit<T>::measure(simd::RowsView<T> q, const RowBlock<T>& block) {
  simd::table<T>().gram_and_dots(block.rows.view(block.count), q, block.rows.padded_length(),
                                 products_.data(), products_.cols(), inside_.data(), inside_.cols());
  take_pull_out(q.count, block);
}

template <typename T>
void BlockSplit<T>::measure(Index components, const RoundedCopies& copies, const RowBlock<T>& block) {
  simd::table<float>().gram_and_dots(copies.rows(block.count), copies.components(components),
                                     copies.padded_length(), products_.data(), products_.cols(),
                                     inside_.data(), inside_.cols());
  products_.diagonal().head(block.count) = copies.squares().head(block.count);
  take_pull_out(components, block);
}

// Replaces the products of V by those of X = (I - pull u u^T) V.
template <typename T>
void BlockSplit<T>::take_pull_out(Index components, const RowBlock<T>& block) {
  if (block.pull == 0.0) return;
  const Index count = block.count;
  const auto u = block.roots.head(count);
  auto along = along_.head(components);
  along.noalias() = block.pull * (inside_.topLeftCorner(count, components).transpose() * u);
  for (Index i = 0; i < count; ++i) inside_.row(i).head(components) -= u[i] * along.transpose();
  auto k = products_.topLeftCorner(count, count);
  auto shared = along_.head(count);
  shared.noalias() = block.pull * (k.template selfadjointView<Eigen::Lower>() * u);
  shared -= (0.5 * block.pull * u.dot(shared)) * u;
  for (Index i = 0; i < count; ++i) {
    k.row(i).head(i + 1) -= u[i] * shared.head(i + 1).transpose() + shared[i] * u.head(i + 1).transpose();
  }
}

template <typename T>
void BlockSplit<T>::split(simd::RowsView<T> q, RowBlock<T>& block) {
  by_products_ = split_by_products(q.count, block);
  if (!by_products_) split_by_vectors(q, block);
}

template <typename T>
bool BlockSplit<T>::split_by_products(Index components, const RowBlock<T>& block) {
  const Index count = block.count;
  if (components + count > block.rows.length()) return false;
  outside_.topLeftCorner(count, count).setZero();
  for (Index i = 0; i < count; ++i) {
    const auto y = inside_.row(i).head(components);
    for (Index j = 0; j <= i; ++j) outside_(i, j) = products_(i, j) - y.dot(inside_.row(j).head(components));
    const bool is_clear = outside_(i, i) > kClear<T> * products_(i, i);
    if (!is_clear || products_(i, i) < kLeastSquare<T>) return false;
  }
  directions_ = count;
  return factorise(count, kClear<T>, outside_);
}

// Orthogonalises the rows by Gram-Schmidt.
template <typename T>
void BlockSplit<T>::split_by_vectors(simd::RowsView<T> q, RowBlock<T>& block) {
  const Index count = block.count;
  take_mean_out(block);
  inside_.topLeftCorner(count, q.count).setZero();
  outside_.topLeftCorner(count, count).setZero();
  project_out(q, block, 0, count, inside_);
  directions_ = 0;
  for (Index i = 0; i < count; ++i) {
    double left = norm(block, i);
    const double square = products_(i, i);
    const double whole = square < kLeastSquare<T> ? std::hypot(inside_.row(i).head(q.count).norm(), left)
                                                  : std::sqrt(std::max(square, 0.0));
    const double noise = std::max(kNoise<T> * whole, kLeastLength<T>);
    double before = whole;
    bool first = true;
    while (left > noise && (first || left < kOnceIsEnough * before)) {
      // Projects onto the directions of the rows before it, and again onto Q if that removed most of the row.
      if (left < kOnceIsEnough * before) project_out(q, block, i, 1, inside_);
      project_out(block.rows.view(directions_), block, i, 1, outside_);
      before = left;
      left = norm(block, i);
      first = false;
    }
    if (!(left > noise) || q.count + directions_ == block.rows.length()) continue;
    outside_(i, directions_) = left;
    const T* row = block.rows.row(i);
    T* direction = block.rows.row(directions_++);
    const T scale = static_cast<T>(1.0 / left);
    for (Index f = 0; f < block.rows.length(); ++f) direction[f] = row[f] * scale;
  }
}

// Replaces V by X.
template <typename T>
void BlockSplit<T>::take_mean_out(RowBlock<T>& block) {
  if (block.pull == 0.0) return;
  const Index count = block.count;
  const auto u = block.roots.head(count);
  for (Index i = 0; i < count; ++i) {
    coefficients_.row(i).head(count) = (-block.pull * u[i] * u.transpose()).template cast<T>();
    coefficients_(i, i) = static_cast<T>(1.0 - block.pull * u[i] * u[i]);
  }
  simd::table<T>().rotate(block.rows.row(0), block.rows.stride(), count, {block.rows.row(0), 0, 0},
                          coefficients_.data(), coefficients_.cols(), count, block.rows.padded_length(),
                          panel_.data());
  block.pull = 0.0;
}

// Sets rows <- rows - (rows Q) Q^T for `count` rows of the block, and adds the products to their coordinates.
template <typename T>
void BlockSplit<T>::project_out(simd::RowsView<T> q, RowBlock<T>& block, Index first, Index count,
                                RowMatrix<double>& coordinates) {
  if (q.count == 0) return;
  const Index length = block.rows.padded_length();
  T* rows = block.rows.row(first);
  simd::table<T>().dots({rows, block.rows.stride(), count}, q, length, corrections_.data(),
                        corrections_.cols());
  for (Index i = 0; i < count; ++i) {
    for (Index j = 0; j < q.count; ++j) {
      coordinates(first + i, j) += corrections_(i, j);
      coefficients_(j, i) = static_cast<T>(-corrections_(i, j));
    }
  }
  simd::table<T>().add_rows(rows, block.rows.stride(), 0, q, coefficients_.data(), coefficients_.cols(),
                            count, length, panel_.data());
}

template <typename T>
double BlockSplit<T>::norm(const RowBlock<T>& block, Index i) const {
  return Eigen::Map<const Vector<T>>(block.rows.row(i), block.rows.length()).template cast<double>().norm();
}

template <typename T>
void BlockSplit<T>::divide_by_outside(Eigen::Ref<Matrix<double>> columns) const {
  for (Index c = 0; c < columns.cols(); ++c) {
    auto column = columns.col(c);
    for (Index i = column.size() - 1; i >= 0; --i) {
      column[i] /= outside_(i, i);
      column.head(i) -= column[i] * outside_.row(i).head(i).transpose();
    }
  }
}

template class BlockSplit<float>;
template class BlockSplit<double>;

}  // namespace roipca
