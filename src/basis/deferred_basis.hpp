/// Components whose rotations are put off, so that a row costs O(k d) and not O(k^2 d).
#pragma once

#include <algorithm>

#include "basis/split.hpp"
#include "linalg/eigen_types.hpp"
#include "simd/aligned_rows.hpp"
#include "state/archive.hpp"

namespace roipca {

/// Orthonormal components Q = U C. The long rows U are orthonormal: the components as they were when last
/// applied, and the directions that rows have added since. C is small, so that turning Q means turning C;
/// after `block()` rows `apply` makes it one product over the long data, U <- U C.
///
/// Rows are taken in groups, so that U is read once for all rows of a group; within a group they go one by
/// one:
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
  /// Rows after which `apply` is due: a multiple of kGroup.
  Index block() const { return block_; }
  /// Rows turned in since the last `apply`.
  Index rows_taken() const { return taken_; }
  Index waiting() const { return waiting_; }

  /// Begins anew with these orthonormal columns.
  void start(const Eigen::Ref<const Matrix<T>>& columns);

  /// Where the next row of the group goes, and word that it is there.
  T* slot() { return rows_.row(count_ + waiting_); }
  void add() { ++waiting_; }

  /// Takes U out of all rows that wait; `squared_norms` are theirs.
  void project(const double* squared_norms);
  /// Takes the i-th of them apart, v = Q z + r, and returns |r|, or 0 where r is no more than rounding. Rows
  /// must come in their order, each followed by `rotate`.
  double split(Index i, double squared_norm);
  /// Of the row last split.
  auto z() const { return z_.head(rank_); }
  /// Q <- [Q, r/|r|] V, or Q V where r is 0.
  void rotate(const Eigen::Ref<const Matrix<double>>& v);

  /// Carries out what was put off. No row may wait.
  void apply();
  /// The components, one a column, just after `apply` or `start`.
  auto columns() { return rows_.columns(rank_); }

  /// Between groups.
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
  Index waiting_ = 0;  // rows behind them
  Index first_ = 0;    // count_ when the group was projected
  Index taken_ = 0;
  Index current_ = 0;  // the row of the group last split
  double residual_ = 0.0;
  simd::AlignedRows<T> rows_;              // U, then the rows that wait
  simd::AlignedRows<double> turn_;         // C, a component's coordinates a row
  simd::AlignedRows<double> coordinates_;  // in U, of the rows of the group; then of r
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
