/// Eigenpairs of larger symmetric matrices, by divide and conquer.
#pragma once

#include <vector>

#include "linalg/eigen_types.hpp"
#include "secular/rank_one_eigen.hpp"
#include "simd/aligned_buffer.hpp"

namespace roipca::linalg {

/// All eigenpairs of a symmetric matrix: reflectors bring it to tridiagonal form, of which each half is
/// solved alone, and the two are joined by a change of rank one (Cuppen 1981), for which there is
/// secular::RankOneEigen. Most of the work is products of matrices. O(order^3) time, and memory for four
/// such matrices, which is allocated at construction only.
class DividedEigen {
 public:
  /// Order from which on this is faster than SymmetricEigen's own way.
  static constexpr Index kLeastOrder = 160;

  explicit DividedEigen(Index max_order);

  /// `a` has the lower triangle, column-major with `stride` (a multiple of 8, at least `order`, as it was at
  /// construction or less), and is replaced by the eigenvectors, one per column. `values` are descending. The
  /// entries should be of about 1, so that their squares stay in range.
  void solve(Index order, double* a, Index stride, double* values);

 private:
  void solve_part(Index first, Index count);
  void solve_leaf(Index first, Index count);
  void join(Index first, Index left, Index count, double coupling);
  void replace_rows(Index row, Index rows, Index first, Index count);

  Index order_ = 0;
  Index stride_ = 0;
  Vector<double> diagonal_;  // then the eigenvalues of the parts, each part descending
  Vector<double> beside_;
  Vector<double> factors_;               // of the reflectors
  simd::AlignedBuffer<double> vectors_;  // of the parts, in blocks on the diagonal
  simd::AlignedBuffer<double> of_part_;  // those of one part
  simd::AlignedBuffer<double> turn_;     // their combinations
  simd::AlignedBuffer<double> product_;
  simd::AlignedBuffer<double> work_;
  secular::RankOneEigen rank_one_;
  std::vector<Index> places_;  // of the parts' pairs, in descending order
  std::vector<double> poles_;
  std::vector<double> z_;
};

}  // namespace roipca::linalg
