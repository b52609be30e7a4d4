/// Running sums of sparse rows, and the open block.
#pragma once

#include <vector>

#include "roipca/model.hpp"
#include "sparse/csr_rows.hpp"
#include "state/archive.hpp"

namespace roipca {

/// Sparse rows that are added in one update. Blocks end by the same rules as the blocks of dense rows in
/// Moments.
template <typename T>
struct SparseBlock {
  CsrRows<T> rows;
  std::vector<double> given;    // weights of the rows
  std::vector<double> weights;  // the same, times their growth
  bool is_alone = false;        // one row that far outweighs all rows before it
  double weight = 0.0;          // sum of the weights
  double weight_pairs = 0.0;    // sum over i < j of weight_i weight_j
  double growth = 1.0;   // factor of forgetting on a row's weight, relative to the rows before the block
  double rescale = 1.0;  // factor of forgetting on everything before the block

  void clear() { *this = SparseBlock(std::move(rows)); }
  void visit_state(state::Archive& archive, Index most, Index features);

  SparseBlock() = default;

 private:
  explicit SparseBlock(CsrRows<T> kept) : rows(std::move(kept)) { rows.clear(); }
};

/// Sums of w, and of w x and w x^2 of each feature, with twice the digits of double, so that the differences
/// that give means and variances lose none. A row costs O(nonzeros); forgetting costs nothing per feature.
///
/// Rows are multiplied by a unit, a power of two, so that a power of two on all rows changes no bit. The
/// first row that is not 0 sets it for the whole stream, or the model from which the stream continues.
template <typename T>
class SparseMoments {
 public:
  SparseMoments(Index features, bool center);
  explicit SparseMoments(const Model<T>& model);

  /// Sets the unit to one in which a row of this largest absolute value is about 1, if there is none yet.
  void set_unit(double size);
  /// Returns the unit; 1 before there is one.
  double unit() const { return unit_; }

  /// Returns whether the block takes a row of this weight, and then counts it there; otherwise the block must
  /// be closed first.
  bool takes(double weight, double forgetting, SparseBlock<T>& block);
  /// Forgets by block.rescale and adds the rows of the block, which are in the unit. Returns the factor by
  /// which all of it counts afterwards.
  double close(const SparseBlock<T>& block);

  Index features() const { return sums_.size(); }
  bool center() const { return center_; }
  double weight() const { return weight_; }
  /// See Model::degrees_of_freedom.
  double freedom() const {
    if (!center_) return weight_;
    return weight_ > 0.0 ? 2.0 * weight_pairs_ / weight_ : 0.0;
  }
  /// Returns the fraction of all pairs of rows that a block adds, before it is closed.
  double pairs_share(const SparseBlock<T>& block) const {
    const double added = block.weight_pairs + weight_ * block.rescale * block.weight;
    return added > 0.0 ? added / (weight_pairs_ * block.rescale * block.rescale + added) : 0.0;
  }
  /// The mean of feature j is sums()[j] * mean_factor(), in the unit.
  const double* sums() const { return sums_.data(); }
  double mean_factor() const { return center_ && total_ > 0.0 ? 1.0 / total_ : 0.0; }

  /// Sets what Moments::write sets. model.rows is the number of rows already: it tells how much of a
  /// variance may be rounding.
  void write(Model<T>& model) const;
  /// The same as in Moments.
  Eigen::VectorXd mean_squares() const;
  void visit_state(state::Archive& archive) {
    archive(has_unit_, unit_, weight_, weight_pairs_, scale_, total_, total_tail_, sums_, sum_tails_,
            squares_, square_tails_);
  }

 private:
  bool outweighs(double weight, double before) const;
  void forget(double factor);

  bool center_;
  bool has_unit_ = false;
  double unit_ = 1.0;
  double weight_ = 0.0;
  double weight_pairs_ = 0.0;
  double scale_ = 1.0;  // the true sums and squares are the stored ones times `scale_`
  // Sum of the weights as the other sums contain them, each divided by `scale_` and rounded. Compared with a
  // weight of 1e16, those of other rows are rounding of `weight_`, but not of the difference that gives a
  // variance.
  double total_ = 0.0;
  double total_tail_ = 0.0;
  Eigen::VectorXd sums_, sum_tails_;
  Eigen::VectorXd squares_, square_tails_;
};

extern template class SparseMoments<float>;
extern template class SparseMoments<double>;

}  // namespace roipca
