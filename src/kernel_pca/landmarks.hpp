/// Kernel PCA in bounded memory: a few rows represent all.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>

#include "linalg/eigen_types.hpp"
#include "state/archive.hpp"

namespace roipca {

/// Keeps a few rows, the landmarks, and does PCA of all rows projected onto their span in feature space.
///
/// With the landmarks' kernel matrix G = L L^T, the rows of L are the landmarks in an orthonormal basis of
/// their span, and y = L^-1 a is the projection of a row with the kernel values a against them. In these
/// coordinates kernel PCA is PCA: only the mean and the scatter of y are stored, and their size is the number
/// of landmarks. A row that is farther from the span than the tolerance becomes a landmark and adds a
/// coordinate. If there are then too many, the landmark is removed (possibly the new one) whose removal loses
/// least of the projections of all rows; they are projected onto the span of the others.
///
/// The squared distance k(x, x) - |y|^2 is known to about epsilon (|x| + sum |c_j| |x_j|)^2 with c = G^-1 a:
/// this is the effect of rounding the kernel values on the squared length of x - sum c_j x_j. A row whose
/// distance cannot be distinguished from 0 is represented, unless a coefficient c_j is large. Then landmark j
/// is nearly a combination of the others, and the row replaces it, which loses almost nothing and makes the
/// landmarks more independent. So distances down to about the square root of epsilon can be distinguished,
/// whatever the tolerance.
///
/// A row costs O(landmarks^2), or O(landmarks^3) if it is not represented and the budget is exhausted. Memory
/// is O(budget^2).
///
/// Thread safety: not safe for use by two threads at once.
class Landmarks {
 public:
  /// A row is represented if its distance from the span is at most `tolerance` times its own length.
  Landmarks(Index budget, double tolerance, bool center);

  /// Adds a row, given by its kernel values with the landmarks and with itself. Returns the index of the row
  /// that is no longer (or did not become) a landmark: that of a landmark, or size() before the call for the
  /// new row; nothing if there is none. A new landmark is the last one. `rounding` is that of the values,
  /// relative to the lengths of the two rows. Throws KernelError if the values cannot be inner products, and
  /// then nothing has changed.
  std::optional<Index> add(const Eigen::Ref<const Vector<double>>& column, double diagonal,
                           double rounding = std::numeric_limits<double>::epsilon());

  Index size() const { return size_; }
  /// Returns the part of the sum of k(x, x) over all rows that their projections have lost.
  double lost() const { return total_ > 0.0 ? lost_ / total_ : 0.0; }

  struct Eigenpairs {
    Vector<double> values;  // eigenvalues of the scatter, in descending order
    Matrix<double> duals;   // unit eigenvectors as coefficients of the landmarks, one per column
  };
  Eigenpairs eigenpairs() const;
  /// Returns the kernel values of the mean of the projections with the landmarks; zero without centring.
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
  double total_ = 0.0;  // sum of k(x, x)
  double lost_ = 0.0;
  Matrix<double> factor_;  // L; only the lower triangle is used
  Matrix<double> scatter_;
  Vector<double> mean_;
  Vector<double> lengths_;  // lengths of the landmarks
  Vector<double> y_;
  Vector<double> terms_;  // c_j |x_j| of the row's projection
  Matrix<double> inverse_;
  Matrix<double> products_;
};

}  // namespace roipca
