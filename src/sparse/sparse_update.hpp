/// The block engine for sparse rows.
#pragma once

#include <optional>

#include "engine/block_update.hpp"
#include "linalg/symmetric_eigen.hpp"
#include "roipca/options.hpp"
#include "rules/mu.hpp"
#include "sparse/many_rows.hpp"
#include "sparse/sparse_basis.hpp"
#include "sparse/sparse_moments.hpp"

namespace roipca {

/// ROIPCA by blocks of sparse rows: the update of BlockUpdate, but rows are centred only in the small
/// matrices, so that a block costs O(nonzeros k) in addition to them. The result is that of dense rows, to
/// rounding of the products among rows that are not centred.
template <typename T>
class SparseUpdate {
 public:
  SparseUpdate(const Mu& mu, Index features, Index capacity, Index max_rows);

  /// Starts from settled eigenpairs.
  void start(const HeldPairs<T>& pairs, const SparseMoments<T>& moments);

  /// Forgets by block.rescale and adds the block to the scatter, before `moments` close it. Scores its rows
  /// first if that is wanted. Returns false, and does nothing, if sparse arithmetic is not accurate enough:
  /// if the remainder of a row after centring, or outside of the components and the other rows, is rounding
  /// of the row or little more.
  bool absorb(const SparseBlock<T>& block, const SparseMoments<T>& moments, BlockScores& scores);
  /// Does the same for any number of rows, by solve_many and one pass over the components. Returns false, and
  /// only settles, if solve_many finds nothing.
  bool absorb_many(const SparseBlock<T>& block, const SparseMoments<T>& moments, BlockScores& scores);
  /// The first components, or all, and their eigenvalues after `absorb_many`.
  struct Reading {
    OwnedRows<T> components;  // one row per component
    Eigen::VectorXd values;
    double trace = 0.0;
    bool is_orthonormal = false;  // to rounding; if false, they may have drifted
  };
  /// Returns the first `count` components, or all if there are fewer or if the others have to be known for
  /// the same bits. Returns nothing if `absorb_many` would return false.
  std::optional<Reading> read_many(const SparseBlock<T>& block, const SparseMoments<T>& moments, Index count,
                                   BlockScores& scores);
  bool has_components() const { return rank_ > 0; }

  /// Call it after `moments` have closed the block.
  void tidy(const SparseMoments<T>& moments) { basis_.tidy(moments); }
  void rescale(double factor);
  /// Returns the ratio of the largest to the smallest held eigenvalue. Call it only when settled.
  double ratio() const { return rank_ > 0 ? values_[0] / values_[rank_ - 1] : 1.0; }

  /// For a copy that only takes one more block and is then read: the two share the components.
  void only_read() { basis_.only_read(); }
  /// Returns the state in the form of dense rows; not settled.
  HeldPairs<T> pairs(const SparseMoments<T>& moments) const;

  void visit_state(state::Archive& archive);

 private:
  using Small = Eigen::MatrixXd;
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  double sum() const;
  HeldEigenvalues held(double weight) const;
  std::optional<ManyRows<T>> find_many(const SparseBlock<T>& block, const SparseMoments<T>& moments,
                                       BlockScores& scores);
  void score(const SparseMoments<T>& moments, BlockScores& scores);
  bool centre(const SparseBlock<T>& block, const SparseMoments<T>& moments);
  bool advance(const SparseBlock<T>& block, const SparseMoments<T>& moments, double mu);
  void find_values();
  void settle();
  bool solve(const SparseBlock<T>& block, const SparseMoments<T>& moments, double mu);
  bool find_outside();
  void apply(const SparseBlock<T>& block, const SparseMoments<T>& moments, const Small* turn,
             Small of_virtual);

  Mu mu_;
  Index features_;
  Index capacity_;
  SparseBasis<T> basis_;
  Eigen::VectorXd values_;
  Small inner_;   // padded as linalg requires
  Small normal_;  // the same
  double trace_ = 0.0;
  Index rank_ = 0;
  bool settled_ = true;
  int since_settled_ = 0;

  // The rows of the block about the mean, as combinations of [rows; mean], computed by `centre`.
  Eigen::VectorXd roots_;
  Eigen::VectorXd shares_;  // share of each row in the mean of the block, if rows are centred by it
  bool by_own_mean_ = false;
  double of_jump_ = 0.0;  // factor of one more row, the block's mean minus the mean before; 0: none
  double pull_ = 0.0;
  Index count_ = 0;        // number of these rows
  RowMajor inside_;        // their coordinates
  RowMajor products_;      // products among them
  Eigen::VectorXd sizes_;  // squares before the mean was subtracted: |x|^2 + |mean|^2, weighted
  // Their parts outside of the components.
  RowMajor outside_;  // pivoted Cholesky factor, one row per row
  std::vector<Index> pivots_;
  Index directions_ = 0;

  linalg::SymmetricEigen eigen_;
  Small coefficients_;  // coefficients of [B, rows], column by column
  Eigen::VectorXd work_;
  BlockScorer scorer_;
};

extern template class SparseUpdate<float>;
extern template class SparseUpdate<double>;

}  // namespace roipca
