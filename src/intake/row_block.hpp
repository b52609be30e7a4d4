/// Rows that wait to be added together.
#pragma once

#include "simd/aligned_rows.hpp"
#include "state/archive.hpp"

namespace roipca {

/// Rows x as v = root * unit * (x - mean), where `mean` and the weight n are those of all rows before the
/// block, root^2 the row's weight, and unit the power of two of Moments. With u the roots and W = |u|^2 the
/// scatter about the mean of all grows by
///
///     V^T (I - u u^T / (n + W)) V = X^T X,    X = (I - pull u u^T) V,
///
/// so that rows need not be centred by their own mean: the small matrices of an update are. (A row that
/// outweighs all before it by far is alone in its block, with root^2 = n w / (n + w) and no pull.)
template <typename T>
struct RowBlock {
  RowBlock(Index capacity, Index features)
      : rows(capacity + 1, features),
        roots(Vector<double>::Zero(capacity)),
        total(Vector<double>::Zero(features)) {}

  Index capacity() const { return roots.size(); }
  bool full() const { return count == capacity(); }
  void clear() {
    count = 0;
    total.setZero();
    weight = weight_pairs = 0.0;
    growth = rescale = 1.0;
  }

  /// Before the block is closed.
  void visit_state(state::Archive& archive) {
    archive.count(count, capacity());
    archive(rows.columns(count), roots, total, weight, weight_pairs, growth, rescale);
  }

  simd::AlignedRows<T> rows;  // V, with room for one more: see Moments::close
  Vector<double> roots;       // u
  Index count = 0;
  double pull = 0.0;           // known once the block is closed
  double weight_before = 0.0;  // n, times unit^2; known once the block is closed

  Vector<double> total;       // sum of weight * (x - mean)
  double weight = 0.0;        // W
  double weight_pairs = 0.0;  // sum over i < j of weight_i weight_j
  double growth = 1.0;        // what forgetting makes of a row's weight, against those before the block
  double rescale = 1.0;       // what changes of the unit within the block multiply quadratic quantities by
};

}  // namespace roipca
