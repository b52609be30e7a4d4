/// From rows to blocks: weights, forgetting and centring.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "intake/moments.hpp"
#include "intake/row_block.hpp"
#include "monitor/score_moments.hpp"
#include "roipca/model.hpp"

namespace roipca {

/// Collects the rows of a stream into blocks for an engine, and keeps the stream's mean and variances. Rows
/// enter as they were given. A closed block is centred, weighted and scaled, and carries the factors of
/// forgetting. Everything that happens to rows before an engine sees them happens here or in Moments.
///
///     while (rows are left) {
///       take them; if (full() or rows are left) { engine.absorb(close()); open(); }
///     }
///
/// The end of a block depends on the rows alone, never on how they were divided into calls.
template <typename T>
class Intake {
 public:
  Intake(const Options& options, Index features, Index block_rows)
      : forgetting_(options.forgetting),
        scored_from_(rows_before_scores(capacity(options, features).reported)),
        moments_(features, options),
        block_(block_rows, features) {}
  /// Resumes from a model.
  Intake(const Model<T>& model, Index block_rows)
      : forgetting_(model.options.forgetting),
        scored_from_(rows_before_scores(model.n_components)),
        rows_(model.rows),
        moments_(model),
        block_(block_rows, model.features()) {}

  /// Takes finite rows of positive weight (`weights` null: 1) into the open block, and returns their number,
  /// which is smaller than given if the block is full. Allocates nothing.
  Index take(simd::RowsView<T> rows, const double* weights) {
    Index taken = 1;
    if (block_.capacity() == 1) {
      moments_.add(rows.data, weights == nullptr ? 1.0 : *weights, forgetting_, block_);
    } else {
      taken = moments_.collect(rows, weights, forgetting_, block_);
    }
    rows_ += taken;
    return taken;
  }

  /// Takes a row whose `gaps` were filled: `deviations` has their values as deviations from the mean, which
  /// count, and `row` has them rounded to T. Returns false, and does nothing, if the block is full.
  bool take_filled(const T* row, const Vector<double>& deviations, double weight,
                   const std::vector<Index>& gaps) {
    moments_.expect_gaps();
    block_.expect_gaps();
    // Filled values are no part of the sums of a block, not even for a moment: one may be 1e8 times as large
    // as the values of its feature, which would leave the rounding of it.
    sums_.clear();
    for (const Index j : gaps) sums_.push_back(block_.total[j]);
    if (moments_.collect({row, 0, 1}, &weight, forgetting_, block_) == 0) return false;
    // The deviations themselves: in the units of the rows, an expectation may be too small for T.
    const Index last = block_.count - 1;
    const double scale = block_.roots[last] * moments_.unit();
    for (std::size_t i = 0; i < gaps.size(); ++i) {
      block_.gaps(gaps[i], last) = 1;
      block_.rows.row(last)[gaps[i]] = static_cast<T>(scale * deviations[gaps[i]]);
      block_.total[gaps[i]] = sums_[i];
    }
    ++rows_;
    return true;
  }
  /// Returns the factor of forgetting on the weight of the row that was taken last, relative to the rows
  /// before the block.
  double growth() const { return block_.growth; }
  /// Returns the fraction of its squared deviations that the row taken last, of this weight, adds to the
  /// scatter: n / (n + w), since the mean moves by w / (n + w) of the deviations, where n is the weight
  /// before the row.
  double part_in_scatter(double weight) const {
    if (!moments_.centres()) return 1.0;
    const double own = weight * block_.growth;
    const double all = moments_.weight() + block_.weight;
    return std::max(all - own, 0.0) / all;
  }
  /// Number of rows in the open block.
  Index waiting() const { return block_.count; }

  /// Returns whether rows are waiting in the open block.
  bool is_waiting() const { return block_.count > 0; }
  bool is_full() const { return block_.full(); }

  /// Ends the open block. The block stays valid until `open`.
  RowBlock<T>& close() {
    block_.rows_before = rows_ - block_.count;
    if (block_.capacity() > 1) moments_.close(block_);
    block_.scores.is_known = false;
    block_.scores.is_wanted = block_.rows_before >= scored_from_ && !block_.is_recentred &&
                              is_scored(block_.rows_before, block_.capacity());
    return block_;
  }
  /// Begins an empty block.
  void open() { block_.clear(); }

  /// Adds the rows of another intake: see Moments::merge. No rows may be waiting in either.
  typename Moments<T>::Joint merge(const Intake& other, double decay) {
    rows_ += other.rows_;
    return moments_.merge(other.moments_, decay);
  }

  /// Number of rows taken.
  std::int64_t rows() const { return rows_; }
  const Moments<T>& moments() const { return moments_; }
  Moments<T>& moments() { return moments_; }

  /// Call only between `open` and `close`.
  void visit_state(state::Archive& archive) { archive(rows_, moments_, block_); }

 private:
  double forgetting_;
  std::int64_t scored_from_;
  std::int64_t rows_ = 0;
  Moments<T> moments_;
  RowBlock<T> block_;
  std::vector<double> sums_;  // scratch
};

}  // namespace roipca
