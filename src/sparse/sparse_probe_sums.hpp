/// The products of the scatter matrix of sparse rows with random probes.
#pragma once

#include <memory>
#include <vector>

#include "linalg/eigen_types.hpp"
#include "roipca/model.hpp"
#include "simd/aligned_buffer.hpp"
#include "sparse/sparse_moments.hpp"
#include "state/archive.hpp"

namespace roipca {

/// Like ProbeSums, at the cost of the nonzeros. With the scores y = Omega^T (x - c) about any point c,
///
///     S Omega = sum of w x y^T - mean (sum of w y)^T.
///
/// c is the mean of the first block, which keeps the two terms small. Forgetting costs nothing per feature.
template <typename T>
class SparseProbeSums {
 public:
  SparseProbeSums(Index features, Index probes, bool center);
  /// Resumes from a model, with its number of probes, for rows in a unit.
  SparseProbeSums(const Model<T>& model, double unit);

  /// Forgets by block.rescale, adds the rows of the block, which are in the unit, and then forgets by
  /// `decay`.
  void add(const SparseBlock<T>& block, double decay);

  /// Writes the products to a model that has its mean.
  void write(Model<T>& model, double unit) const;
  void visit_state(state::Archive& archive);

 private:
  void score(const SparseBlock<T>& block, Index i);
  void find_centre(const SparseBlock<T>& block);
  void forget(double factor);

  Index features_;
  Index probes_;
  Index columns_;  // numbers of a feature: the probes, rounded up
  bool has_centre_;
  std::shared_ptr<const simd::AlignedBuffer<double>> directions_;  // the numbers of a feature together
  simd::AlignedBuffer<double> sums_;  // sum of w x y^T, with the same layout, divided by `scale_`
  Vector<double> pull_;               // sum of w y, divided by `scale_`
  double scale_ = 1.0;
  Vector<double> centre_;       // Omega^T c
  std::vector<double> values_;  // values of the current row
  simd::AlignedBuffer<double> scores_;
};

extern template class SparseProbeSums<float>;
extern template class SparseProbeSums<double>;

}  // namespace roipca
