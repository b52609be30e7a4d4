/// The leading eigenpairs of a large symmetric matrix.
#pragma once

#include "linalg/eigen_types.hpp"
#include "simd/aligned_rows.hpp"

namespace roipca::linalg {

/// Computes the leading eigenpairs of a positive semi-definite matrix, by block Lanczos iteration from fixed
/// random vectors with full orthogonalisation. The cost is about d^2 n for the n directions it uses, a few
/// times the number of pairs wanted.
///
/// A Krylov space can miss copies of an eigenvalue. The result is therefore accepted only if a Cholesky
/// factorisation of the matrix without these pairs shows that no larger eigenvalue is left.
class LeadingEigen {
 public:
  /// The matrix is given by its lower triangle, column by column: row j of `lower` holds column j from entry
  /// j on.
  LeadingEigen(const simd::AlignedRows<double>& lower, Index wanted);

  /// Computes the pairs, with residuals up to `tolerance` times the largest eigenvalue. Returns false if more
  /// pairs are wanted than the method suits, if one of them is below SymmetricEigen::kGraded times the
  /// largest, so that it would be inaccurate, or if the directions do not suffice.
  bool solve(double tolerance);

  /// In descending order.
  const Vector<double>& values() const { return values_; }
  /// One row per pair.
  const simd::AlignedRows<double>& vectors() const { return vectors_; }

 private:
  void add_fresh_block();
  void extend();
  Index orthonormalise(Index first, Index count, double noise);
  void project_out(Index first, Index count, Index column);
  bool is_converged(double tolerance);
  void find_vectors();
  bool is_complete() const;

  Index features_;
  Index wanted_;
  Index most_;                            // maximum number of directions
  Index fresh_;                           // number of random vectors in a block
  simd::AlignedRows<double> matrix_;      // both triangles, times scale_
  simd::AlignedRows<double> directions_;  // orthonormal, then the next block
  Matrix<double> projected_;              // the matrix on the directions
  Index count_ = 0;                       // directions whose products are in projected_
  Index block_ = 0;                       // number of vectors in the next block
  double scale_ = 1.0;
  double norm_ = 0.0;  // length of the longest product so far
  unsigned long long random_ = 1;
  RowMatrix<double> products_;
  RowMatrix<double> coefficients_;
  Vector<double> panel_;
  Vector<double> values_;
  Matrix<double> combinations_;  // coefficients of the directions
  simd::AlignedRows<double> vectors_;
};

}  // namespace roipca::linalg
