/// The products of the scatter matrix of dense rows with random probes.
#pragma once

#include <memory>

#include "intake/row_block.hpp"
#include "roipca/model.hpp"
#include "simd/aligned_rows.hpp"
#include "state/archive.hpp"

namespace roipca {

/// Keeps S Omega for the scatter matrix S of all closed blocks and the directions Omega of
/// probe_directions.hpp, in the unit of the blocks. Does nothing without probes. Each block costs two
/// products with one column per probe. Allocates at construction only.
template <typename T>
class ProbeSums {
 public:
  ProbeSums(Index features, Index probes, Index block_rows);
  /// Resumes from a model, with its number of probes, in this unit.
  ProbeSums(const Model<T>& model, Index block_rows, double unit);

  /// Sets S Omega <- decay (rescale S Omega + X^T X Omega) for the rows X of a closed block.
  void add(const RowBlock<T>& block);

  void write(Model<T>& model, double unit) const;
  /// Returns about how many numbers a copy copies.
  Index size() const { return 2 * total_.size(); }
  void visit_state(state::Archive& archive);

 private:
  // Number of blocks whose products are added up in T: the rounding of a longer sum would show in float.
  static constexpr Index kRecentBlocks = 8;

  void rescale(double factor);

  std::shared_ptr<const simd::AlignedRows<T>> directions_;
  simd::AlignedRows<T> recent_;  // sum of the last blocks
  Index blocks_ = 0;             // number of blocks in `recent_`
  Matrix<double> total_;         // sum of the blocks before, features x probes
  RowMatrix<double> scores_;
  Vector<double> along_;
  RowMatrix<T> coefficients_;
  simd::AlignedBuffer<T> panel_;
};

extern template class ProbeSums<float>;
extern template class ProbeSums<double>;

}  // namespace roipca
