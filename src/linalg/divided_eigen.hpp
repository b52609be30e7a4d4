/// Eigenpairs of larger symmetric matrices by divide and conquer.
#pragma once

#include <vector>

#include "linalg/eigen_types.hpp"
#include "secular/rank_one_eigen.hpp"
#include "simd/aligned_buffer.hpp"

namespace roipca::linalg {

/// Computes all eigenpairs of a symmetric matrix. Reflectors reduce it to tridiagonal form, each half of that
/// is solved separately, and the two are joined by a rank-one change (Cuppen 1981), which
/// secular::RankOneEigen solves. Most of the work is in products of matrices. Costs O(order^3) time, and
/// memory for four such matrices, which is allocated at construction only.
class DividedEigen {
 public:
  /// Order above which this is faster than the method of SymmetricEigen.
  static constexpr Index kLeastOrder = 160;

  explicit DividedEigen(Index max_order);

  /// `a` holds the lower triangle, column-major with `stride` (a multiple of 8, at least `order` and at most
  /// that of construction), and is replaced by the eigenvectors, one per column. `values` are descending.
  /// Entries should be of order 1, so that their squares stay in range.
  void solve(Index order, double* a, Index stride, double* values);

 private:
  void solve_part(Index first, Index count);
  void solve_leaf(Index first, Index count);
  void join(Index first, Index left, Index count, double coupling);
  void replace_rows(Index row, Index rows, Index first, Index count);

  Index order_ = 0;
  Index stride_ = 0;
  Vector<double> diagonal_;  // later the eigenvalues of the parts, each part descending
  Vector<double> beside_;
  Vector<double> factors_;               // factors of the reflectors
  simd::AlignedBuffer<double> vectors_;  // eigenvectors of the parts, in blocks on the diagonal
  simd::AlignedBuffer<double> of_part_;  // eigenvectors of one part
  simd::AlignedBuffer<double> turn_;     // the combinations of them
  simd::AlignedBuffer<double> product_;
  simd::AlignedBuffer<double> work_;
  secular::RankOneEigen rank_one_;
  std::vector<Index> places_;  // positions of the parts' pairs, in descending order
  std::vector<double> poles_;
  std::vector<double> z_;
};

}  // namespace roipca::linalg
