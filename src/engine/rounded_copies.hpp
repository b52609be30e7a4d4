/// Copies in single precision of what a block update multiplies.
#pragma once

#include "intake/row_block.hpp"
#include "simd/aligned_rows.hpp"

namespace roipca {

/// The rows of a block and the components, rounded to float: products of floats take half of the time of
/// products of doubles, in arithmetic and in memory. The components themselves stay in double, and increments
/// are added to them there, so that rounding does not accumulate in them.
///
/// Allocates at construction only.
class RoundedCopies {
 public:
  /// `features` 0: never used.
  RoundedCopies(Index components, Index rows, Index features);

  bool exist() const { return rows_.length() > 0; }

  /// Rounds the rows of the block.
  void take_rows(const RowBlock<double>& block);
  /// Rounds the components, unless their copies are up to date.
  void take_components(const simd::AlignedRows<double>& components, Index count);
  /// Call if the components have changed otherwise than by `add_rows`.
  void outdate() { has_components_ = false; }

  /// Adds combinations of the rows to the components and to their copies. The coefficients have a row per row
  /// of the block and a column per component.
  void add_rows(const RowMatrix<double>& coefficients, Index rows, simd::AlignedRows<double>& components,
                Index count);

  simd::RowsView<float> rows(Index count) const { return rows_.view(count); }
  simd::RowsView<float> components(Index count) const { return components_.view(count); }
  Index padded_length() const { return rows_.padded_length(); }
  /// The squares of the rows, in double precision.
  const Vector<double>& squares() const { return squares_; }
  /// Returns the sum of the squares of X = (I - pull u u^T) V, in double precision.
  double square_of_all(const RowBlock<double>& block) const;

 private:
  simd::AlignedRows<float> rows_;
  simd::AlignedRows<float> components_;
  bool has_components_ = false;
  Vector<double> squares_;
  Vector<double> unused_;  // squares of the components
  RowMatrix<float> coefficients_;
  Vector<float> panel_;
};

}  // namespace roipca
