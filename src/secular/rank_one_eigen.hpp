#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "secular/deflation.hpp"
#include "secular/equation.hpp"
#include "secular/normal_form.hpp"
#include "secular/root.hpp"

namespace roipca::secular {

/// The work of one solution.
struct Report {
  int iterations = 0;  // evaluations of the secular equation, over all roots
  int deflated = 0;    // eigenpairs found by deflation, without solving
};

/// Eigenpairs of diag(poles) + rho z z^T in O(order^2): eigenvalues to a few units of rounding of the
/// matrix's norm, eigenvectors orthonormal to rounding whatever the spectrum. If poles and rho are not
/// negative, small eigenvalues are right to some units of themselves, however far below the largest.
///
///     RankOneEigen solver(2);
///     solver.compute(std::vector{2.0, 1.0}, std::vector{1.0, 1.0}, 0.5);
///     solver.values();   // 2.707..., 1.292...
///
/// Allocates only when constructed and when the order exceeds every earlier one. A plain value: copies are
/// independent. Not safe for use by two threads at once.
class RankOneEigen {
 public:
  explicit RankOneEigen(std::size_t max_order);

  /// poles: descending, ties allowed. z: of the same size and any norm. rho: of either sign, or zero. All
  /// must be finite, of any magnitude. Results outside the range of double become infinities or zeros, never
  /// NaN. Order 0 is allowed and has no eigenpairs. `poles` may be this object's own values().
  Report compute(std::span<const double> poles, std::span<const double> z, double rho);

  std::size_t order() const { return order_; }
  /// Descending. Valid, as is vectors(), until the next compute().
  std::span<const double> values() const { return {values_.data(), order_}; }
  /// order x order, column-major: column i belongs to values()[i], entry j of a column to poles[j].
  std::span<const double> vectors() const { return {vectors_.data(), order_ * order_}; }

 private:
  void reserve(std::size_t max_order);
  int find_roots();
  void merge_values();
  void write_vectors();
  void undo_rotations();

  std::size_t order_ = 0;
  NormalForm form_;
  Deflation deflation_;
  Equation equation_;
  std::vector<Root> roots_;
  std::vector<double> root_values_;            // in the caller's units
  std::vector<std::size_t> root_columns_;      // the column of each root's eigenpair
  std::vector<std::size_t> deflated_columns_;  // the column of each deflated row's eigenpair
  std::vector<double> z_hat_;
  std::vector<double> scratch_;
  std::vector<double> values_;
  std::vector<double> vectors_;
};

}  // namespace roipca::secular
