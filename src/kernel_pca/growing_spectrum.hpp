/// The eigenpairs of a kernel matrix that grows by rows and columns.
#pragma once

#include <limits>
#include <optional>
#include <vector>

#include "basis/orthonormal.hpp"
#include "linalg/eigen_types.hpp"
#include "secular/rank_one_eigen.hpp"
#include "state/archive.hpp"

namespace roipca {

/// The leading eigenpairs of a symmetric n x n matrix K, or of K centred in feature space, as K grows by
/// one row and one column at a time: the extension with which the paper closes.
///
/// Let c be the new column relative to the mean of the rows so far, and beta the new row's squared distance
/// from that mean (without centring: the column and the diagonal entry themselves). Then the matrix changes
/// by
///
///     beta u u^T - c u^T - u c^T,        u = 1/(n + 1) - e   (without centring: -e),
///
/// where e is the unit vector of the new coordinate (docs/kernel-pca.md derives it). u is orthogonal to c and
/// to every held eigenvector, and the old matrix, extended by zeros, maps it to 0, so it is an eigenvector
/// with eigenvalue 0. The remaining change is a border of rank two: two rank-one updates of the secular
/// solver, one positive and one negative. The eigenvalues that are not held are replaced by their mean, the
/// paper's mu.
///
/// append() costs O(n k + k^2) for the roots and O(n k^2) for the rotation. Memory is O(n k).
///
/// Thread safety: not safe for use by two threads at once.
class GrowingSpectrum {
 public:
  /// Holds at most `capacity` eigenpairs, or all of them.
  GrowingSpectrum(std::optional<Index> capacity, bool center);

  /// Adds a row and a column. `column` has size() finite numbers; these and the diagonal entry are at most
  /// 1e150. If memory runs out, nothing has changed.
  void append(const Eigen::Ref<const Vector<double>>& column, double diagonal);

  /// Number of rows, and of columns, of the matrix.
  Index size() const { return size_; }
  /// In descending order, at most `capacity` of them. Eigenvalues that cannot be distinguished from 0 because
  /// of rounding are not held.
  auto values() const { return values_.head(rank_); }
  /// Orthonormal columns, size() x number of values.
  auto vectors() const { return basis_.topLeftCorner(size_, rank_); }
  /// Trace of the matrix whose eigenpairs these are.
  double trace() const { return trace_; }
  /// Mean of each column of K; zero without centring.
  Vector<double> column_means() const;

  void visit_state(state::Archive& archive);

 private:
  static constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

  void reserve(Index size, Index columns);
  double set_border(const Eigen::Ref<const Vector<double>>& column, double diagonal);
  double split_border(double column_norm);
  void add_new_coordinate(Index place);
  void solve(double corner, double residual, Index order);
  void choose(Index order, double noise);
  void rotate(Index order);

  std::optional<Index> capacity_;
  bool center_;
  Index size_ = 0;
  Index rank_ = 0;
  double trace_ = 0.0;
  double largest_diagonal_ = 0.0;  // largest diagonal entry of K: its rounding is the error of centring
  double total_ = 0.0;             // sum of all entries of K
  Vector<double> sums_;            // sums of the columns of K
  Vector<double> values_;
  Matrix<double> basis_;  // with space for two more columns; laid out for the loops of simd, as turn_ is

  // Scratch of one append.
  Vector<double> border_;
  Vector<double> z_;
  Vector<double> poles_;
  Vector<double> up_;
  Vector<double> down_;
  Vector<double> down_turned_;
  std::vector<Index> places_;  // the columns of the basis that belong to the sorted poles
  std::vector<Index> kept_;    // the new eigenvalues to hold
  Matrix<double> turn_;        // the new eigenvectors in the basis
  RowMatrix<double> coefficients_;
  Vector<double> panel_;
  secular::RankOneEigen upward_{0};
  secular::RankOneEigen downward_{0};
  DriftGuard<double> guard_{0};
};

}  // namespace roipca
