/// Running sums of sparse rows, and the block that waits to be added.
#pragma once

#include <vector>

#include "roipca/model.hpp"
#include "sparse/csr_rows.hpp"
#include "state/archive.hpp"

namespace roipca {

/// Sparse rows that wait to be added together, with the borders that Moments gives to blocks of dense rows.
template <typename T>
struct SparseBlock {
  CsrRows<T> rows;
  std::vector<double> given;    // weights of the rows
  std::vector<double> weights;  // the same, times the growth at their places
  bool is_alone = false;        // one row that outweighs all before it by far
  double weight = 0.0;          // sum of the weights
  double weight_pairs = 0.0;    // sum over i < j of weight_i weight_j
  double growth = 1.0;          // what forgetting makes of a row's weight, against those before the block
  double rescale = 1.0;         // factor of forgetting on everything before the block

  void clear() { *this = SparseBlock(std::move(rows)); }
  void visit_state(state::Archive& archive, Index most, Index features);

  SparseBlock() = default;

 private:
  explicit SparseBlock(CsrRows<T> kept) : rows(std::move(kept)) { rows.clear(); }
};

/// Sums of w, and of w x and w x^2 of each feature, in twice the digits of double, so that the differences
/// that give means and variances lose none. A row costs O(nonzeros); forgetting costs nothing per feature.
template <typename T>
class SparseMoments {
 public:
  SparseMoments(Index features, bool center);
  explicit SparseMoments(const Model<T>& model);

  /// Whether the block takes a row of this weight, in which case it is counted there; otherwise the block
  /// must be closed first.
  bool takes(double weight, double forgetting, SparseBlock<T>& block);
  /// Forgets by block.rescale and adds the rows of the block. All of it then counts for the factor returned.
  double close(const SparseBlock<T>& block);

  Index features() const { return sums_.size(); }
  bool center() const { return center_; }
  double weight() const { return weight_; }
  /// See Model::degrees_of_freedom.
  double freedom() const {
    if (!center_) return weight_;
    return weight_ > 0.0 ? 2.0 * weight_pairs_ / weight_ : 0.0;
  }
  /// The part of all pairs of rows that a block brings, before it is closed.
  double pairs_share(const SparseBlock<T>& block) const {
    const double added = block.weight_pairs + weight_ * block.rescale * block.weight;
    return added > 0.0 ? added / (weight_pairs_ * block.rescale * block.rescale + added) : 0.0;
  }
  /// The mean of feature j is sums()[j] * mean_factor().
  const double* sums() const { return sums_.data(); }
  double mean_factor() const { return center_ && total_ > 0.0 ? 1.0 / total_ : 0.0; }

  void write(Model<T>& model) const;
  /// As those of Moments: sparse rows need no other unit.
  Eigen::VectorXd mean_squares() const;
  double unit() const { return 1.0; }
  void visit_state(state::Archive& archive) {
    archive(weight_, weight_pairs_, scale_, total_, total_tail_, sums_, sum_tails_, squares_, square_tails_);
  }

 private:
  bool outweighs(double weight, double before) const;
  void forget(double factor);

  bool center_;
  double weight_ = 0.0;
  double weight_pairs_ = 0.0;
  double scale_ = 1.0;  // the sums are these times `scale_`
  // Of the weights that the other sums have, each divided by `scale_` and rounded: beside one of 1e16, those
  // of the other rows are rounding of `weight_`, but not of the difference that gives a variance.
  double total_ = 0.0;
  double total_tail_ = 0.0;
  Eigen::VectorXd sums_, sum_tails_;
  Eigen::VectorXd squares_, square_tails_;
};

extern template class SparseMoments<float>;
extern template class SparseMoments<double>;

}  // namespace roipca
