/// Computes S Q of sparse rows, at the cost of their nonzeros.
#pragma once

#include <vector>

#include "linalg/eigen_types.hpp"
#include "passes/row_identity.hpp"
#include "roipca/model.hpp"
#include "simd/aligned_buffer.hpp"
#include "state/archive.hpp"

namespace roipca {

/// Sums w (x - mean) y^T with y = Q^T (x - mean), in a unit, for the leading components Q of a model. The
/// mean stays implicit: x y^T is added for each row, and mean (sum of w y)^T is subtracted when the sum is
/// read. Everything is in double, row by row, so that rows may be divided into calls anywhere.
template <typename T>
class SparseProducts {
 public:
  SparseProducts(const Model<T>& model, Index rank, double unit);

  /// Adds row i, which has been checked and has a positive weight.
  void add(const SparseRows<T>& rows, Index i, double weight, RowIdentity& identity);

  /// Returns the sum so far, features x rank, in the unit squared.
  Matrix<double> sum() const;
  /// Adds the deviations of the rows from the mean, which `add` leaves out, to `identity`.
  void report(RowIdentity& identity) const;

  void visit_state(state::Archive& archive);

 private:
  void take_row(const SparseRows<T>& rows, Index i);

  double unit_;
  Index rank_;
  Index columns_;                      // numbers of a feature: the rank, rounded up
  simd::AlignedBuffer<double> basis_;  // the numbers of a feature together
  simd::AlignedBuffer<double> total_;  // sum of w x y^T, with the same layout
  Vector<double> pull_;                // sum of w y
  Vector<double> sums_;                // sums of w x, in the unit
  double weight_ = 0.0;
  Vector<double> mean_;         // in the unit
  Vector<double> mean_scores_;  // Q^T mean, in the unit
  double mean_squared_ = 0.0;   // |mean|^2, in the unit squared
  std::vector<int> indices_;    // columns of the current row, ascending
  std::vector<double> values_;  // in the unit
  simd::AlignedBuffer<double> scores_;
};

extern template class SparseProducts<float>;
extern template class SparseProducts<double>;

}  // namespace roipca
