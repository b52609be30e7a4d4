/// Components whose rotations are deferred, so that a row costs O(k d) and not O(k^2 d).
#pragma once

#include <algorithm>

#include "basis/split.hpp"
#include "linalg/eigen_types.hpp"
#include "simd/aligned_rows.hpp"
#include "state/archive.hpp"

namespace roipca {

/// Orthonormal components Q = U C. The long rows U are orthonormal: the components as of the last `apply`,
/// and the directions that rows have added since. C is small, so that rotating Q means rotating C. After
/// `block()` rows, `apply` carries out the rotations as one product over the long data, U <- U C.
///
/// Rows are taken in groups, so that U is read once for all rows of a group; within a group, rows are
/// processed one by one:
///
///     copy row to slot(); add();                 // up to kGroup times
///     project(squared norms);
///     for each row i: split(i); ... ; rotate(V);
///     if (rows_taken() == block()) apply();
///
/// Allocates at construction only. A plain value.
template <typename T>
class DeferredBasis {
 public:
  static constexpr Index kGroup = 4;

  DeferredBasis(Index features, Index capacity);

  Index rank() const { return rank_; }
  /// Number of rows after which `apply` is due: a multiple of kGroup.
  Index block() const { return block_; }
  /// Number of rows taken since the last `apply`.
  Index rows_taken() const { return taken_; }
  Index waiting() const { return waiting_; }

  /// Starts again with these orthonormal columns.
  void start(const Eigen::Ref<const Matrix<T>>& columns);

  /// `slot` returns the place for the next row of the group; `add` says that the row is there.
  T* slot() { return rows_.row(count_ + waiting_); }
  void add() { ++waiting_; }

  /// Subtracts the projection onto U from all waiting rows, whose squared norms are given.
  void project(const double* squared_norms);
  /// Splits the i-th waiting row, v = Q z + r, and returns |r|, or 0 if r is no more than rounding. Rows must
  /// be split in their order, each followed by `rotate`.
  double split(Index i, double squared_norm);
  /// Coordinates z of the row that was split last.
  auto z() const { return z_.head(rank_); }
  /// Sets Q <- [Q, r/|r|] V, or Q V if r is 0.
  void rotate(const Eigen::Ref<const Matrix<double>>& v);

  /// Carries out the deferred rotations. No row may be waiting.
  void apply();
  /// Returns the components, one per column, just after `apply` or `start`.
  auto columns() { return rows_.columns(rank_); }

  /// Call only between groups.
  void visit_state(state::Archive& archive) {
    archive.count(rank_, z_.size());
    archive.count(taken_, block_);
    archive.count(count_, z_.size() + taken_);
    archive.count(waiting_, std::min(kGroup - 1, block_ - taken_));
    archive(rows_.columns(count_ + waiting_), turn_.columns(rank_));
  }

 private:
  void add_direction(Index i, double squared_norm, double noise);
  void take_off(T* rows, Index count, simd::RowsView<T> directions, const double* products,
                Index products_stride, double scale);
  void reset_turn();

  Index block_;
  Index rank_ = 0;
  Index count_ = 0;    // rows of U
  Index waiting_ = 0;  // rows after them
  Index first_ = 0;    // count_ when the group was projected
  Index taken_ = 0;
  Index current_ = 0;  // the row of the group that was split last
  double residual_ = 0.0;
  simd::AlignedRows<T> rows_;              // U, then the waiting rows
  simd::AlignedRows<double> turn_;         // C, one component's coordinates per row
  simd::AlignedRows<double> coordinates_;  // coordinates in U of the rows of the group; then of r
  simd::AlignedRows<double> correction_;
  Splitter<T> splitter_;
  Vector<double> z_;
  Vector<double> minus_z_;
  RowMatrix<T> coefficients_;
  RowMatrix<double> small_coefficients_;
  Vector<T> panel_;
  Vector<double> small_panel_;
};

extern template class DeferredBasis<float>;
extern template class DeferredBasis<double>;

}  // namespace roipca
