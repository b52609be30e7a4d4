/// Kernel PCA in bounded memory: rows that stand for all.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>

#include "roipca/types.hpp"
#include "state/archive.hpp"

namespace roipca {

/// A few of the rows, the landmarks, and PCA of all rows projected onto their span in feature space.
///
/// With the landmarks' kernel matrix G = L L^T, the rows of L are the landmarks in an orthonormal basis of
/// their span, and y = L^-1 a is the projection of a row with the kernel values a against them. In these
/// coordinates kernel PCA is PCA: the scatter of y, of the order of the landmarks, is all that is held. A row
/// that is farther from the span than the tolerance becomes a landmark and adds a coordinate. When there are
/// too many, that landmark goes, be it the new one, of which the projections of all rows lose least; they are
/// projected onto the span of the others.
///
/// The squared distance k(x, x) - |y|^2 is known to about epsilon (|x| + sum |c_j| |x_j|)^2, c = G^-1 a: what
/// rounding of the kernel values makes of the squared length of x - sum c_j x_j. A row whose distance cannot
/// be told from 0 is represented, unless a coefficient c_j is large: then landmark j is nearly a combination
/// of the others, and the row takes its place, which loses next to nothing and makes the landmarks more
/// independent. So distances down to about the root of epsilon are told apart, whatever the tolerance.
///
/// A row costs O(landmarks^2), one that comes when the budget is used up and is not represented
/// O(landmarks^3). Memory is O(budget^2). Not safe for use by two threads at once.
class Landmarks {
 public:
  /// `tolerance`: distance from the span, of the row's own length, up to which a row is represented.
  Landmarks(Index budget, double tolerance, bool center);

  /// A row by its kernel values against the landmarks and against itself. Returns the place of what is no
  /// landmark now: that of a landmark, size() before the call for the new row, which is the last otherwise;
  /// nothing where all are. `rounding` is that of the values, relative to the lengths of the two rows. Throws
  /// KernelError where the values cannot be inner products, and is then as it was.
  std::optional<Index> add(const Eigen::Ref<const Vector<double>>& column, double diagonal,
                           double rounding = std::numeric_limits<double>::epsilon());

  Index size() const { return size_; }
  /// The part of the sum of k(x, x) over all rows that their projections have lost.
  double lost() const { return total_ > 0.0 ? lost_ / total_ : 0.0; }

  struct Eigenpairs {
    Vector<double> values;  // of the scatter, descending
    Matrix<double> duals;   // unit eigenvectors, a column each, as sums of the landmarks
  };
  Eigenpairs eigenpairs() const;
  /// Kernel values of the mean of the projections against the landmarks; zero without centring.
  Vector<double> mean_values() const;

  void visit_state(state::Archive& archive);

 private:
  double project(const Eigen::Ref<const Vector<double>>& column, double diagonal);
  void push(double rest, double diagonal);
  void absorb();
  Index cheapest();
  void exchange(Index place, const Eigen::Ref<const Vector<double>>& column, double rest, double diagonal);
  void remove(Index place);

  Index budget_;
  double tolerance_;
  bool center_;
  Index size_ = 0;
  std::int64_t rows_ = 0;
  double total_ = 0.0;  // of k(x, x)
  double lost_ = 0.0;
  Matrix<double> factor_;  // L: the lower triangle counts
  Matrix<double> scatter_;
  Vector<double> mean_;
  Vector<double> lengths_;  // of the landmarks
  Vector<double> y_;
  Vector<double> terms_;  // c_j |x_j| of the row's projection
  Matrix<double> inverse_;
  Matrix<double> products_;
};

}  // namespace roipca
