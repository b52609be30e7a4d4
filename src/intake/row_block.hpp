/// Blocks of rows that are added in one update.
#pragma once

#include <cstdint>

#include "monitor/block_scores.hpp"
#include "simd/aligned_rows.hpp"
#include "state/archive.hpp"

namespace roipca {

/// The rules by which blocks end and are centred. Dense and sparse rows must agree on them to give the same
/// answer.
namespace block_borders {

/// A row whose weight exceeds that of all rows before it by this factor is alone in its block: relative to
/// its weight, its distance from the mean of a block is rounding.
inline constexpr double kMuchHeavier = 0x1p20;
/// Growth of the weights within a block, by forgetting, beyond which the rows before the block hardly count.
inline constexpr double kMostForgotten = 4.0;
/// Fraction of the weight before a block below which its rows are centred by their own mean.
inline constexpr double kOutweighed = 1.0 / 16.0;

}  // namespace block_borders

/// The part of a block that does not depend on how its rows are stored: their weights, and the factors on
/// everything before them. Blocks of other kinds of rows derive from it.
///
/// A block holds rows x as v = root * unit * (x - mean), where `mean` and the weight n are those of all rows
/// before the block, root^2 is the row's weight, and unit is the power of two of Moments. With the roots u
/// and W = |u|^2, the scatter about the mean of all rows grows by
///
///     V^T (I - u u^T / (n + W)) V = X^T X,    X = (I - pull u u^T) V,
///
/// so that rows need not be centred by their own mean: the small matrices of an update are centred instead. A
/// row that is alone in its block, because blocks have one row or because it far outweighs all rows before
/// it, has root^2 = n w / (n + w) and no pull.
struct BlockWeights {
  explicit BlockWeights(Index capacity) : roots(Vector<double>::Zero(capacity)) {}

  Index capacity() const { return roots.size(); }
  bool full() const { return count == capacity(); }
  /// n in the unit of the scatter.
  double scaled_weight_before() const { return weight_before * unit * unit; }

  Vector<double> roots;  // u
  Index count = 0;
  double weight = 0.0;        // W
  double weight_pairs = 0.0;  // sum over i < j of weight_i weight_j
  double growth = 1.0;        // factor of forgetting on a row's weight, relative to the rows before the block
  double rescale = 1.0;       // factor on the scatter before the block is added: forgetting, and a new unit

  // Known once the block is closed:
  double pull = 0.0;
  double weight_before = 0.0;    // n
  std::int64_t rows_before = 0;  // number of rows before the block
  double unit = 1.0;
  double decay = 1.0;         // factor of forgetting on the scatter after the block is added
  double freedom = 0.0;       // degrees of freedom of the scatter before the block
  double pairs_share = 0.0;   // fraction of the pairs of rows so far that involve rows of the block
  bool is_recentred = false;  // centred about the mean of its own rows
  BlockScores scores;
};

/// A block of dense rows.
template <typename T>
struct RowBlock : BlockWeights {
  RowBlock(Index capacity, Index features)
      : BlockWeights(capacity),
        rows(capacity + 1, features),
        total(Vector<double>::Zero(capacity > 1 ? features : 0)) {}

  /// Makes room for gaps, unless there is room already.
  void expect_gaps() {
    if (gaps.size() == 0) gaps.setZero(rows.length(), capacity());
  }
  bool has_gap(Index feature, Index row) const { return gaps.size() > 0 && gaps(feature, row) != 0; }
  bool has_gaps() const { return gaps.size() > 0 && gaps.any(); }

  void clear() {
    gaps.setZero();
    count = 0;
    total.setZero();
    weight = weight_pairs = 0.0;
    growth = rescale = 1.0;
  }

  /// Call only before the block is closed.
  void visit_state(state::Archive& archive) {
    archive.count(count, capacity());
    archive(rows.columns(count), roots, total, weight, weight_pairs, growth, rescale);
    bool expects_gaps = gaps.size() > 0;
    archive(expects_gaps);
    if (!expects_gaps) return;
    expect_gaps();
    archive(gaps);
  }

  Eigen::Matrix<std::uint8_t, Eigen::Dynamic, Eigen::Dynamic>
      gaps;                   // features x rows: 1 for a filled value; or empty
  simd::AlignedRows<T> rows;  // V, with room for one more: see Moments::close
  Vector<double> total;       // sum of weight * (x - mean) without gaps, for blocks of more than one row
  double squared_norm = 0.0;  // |v|^2, for blocks of one row; 0 if v is 0, to far below rounding
};

}  // namespace roipca
