/// Scores for an engine that keeps the scatter and has components only after solving for them.
#pragma once

#include <algorithm>
#include <cstdint>

#include "monitor/earlier_components.hpp"

namespace roipca {

/// Scores rows by earlier components. Their eigenproblem costs as much as many rows, so it is solved again
/// only when the rows have grown by half (with forgetting: when half of them are new), and not before the
/// rows have cost much more than the eigenproblem. In a long stream, one block in eight is scored, because
/// scores cost a good part of adding a row.
template <typename T>
class ExactScoring {
 public:
  ExactScoring(Index features, Index components, Index max_rows)
      : earlier_(features, components, max_rows), squares_(max_rows) {}

  /// Returns whether the components must be computed again before this block is scored.
  bool is_due(const RowBlock<T>& block) const {
    const std::int64_t rows = block.rows_before;
    return rows >= least_rows() && rows >= refresh_at_ && block.freedom > 0.0;
  }

  /// Takes the eigenpairs of the scatter before the block.
  void refresh(const Spectrum<T>& spectrum, const RowBlock<T>& block) {
    earlier_.take(spectrum, block);
    // The number of rows that count; fewer than added, if rows are forgotten.
    const double rows = std::min(static_cast<double>(block.rows_before), block.freedom + 1.0);
    const bool forgets = rows < 0.9 * static_cast<double>(block.rows_before);
    const std::int64_t least = is_small() ? (forgets ? 10 * earlier_.features() : 0) : least_rows();
    refresh_at_ = block.rows_before + std::max(static_cast<std::int64_t>(0.5 * rows), least);
  }

  /// Scores the rows V of the block, given as doubles, if there are components and the block is due.
  void score(const simd::AlignedRows<double>& rows, RowBlock<T>& block) {
    const std::int64_t number = block.rows_before / block.capacity();
    if (earlier_.is_empty() || (block.rows_before >= kScoredAtFirst && number % kScoredEvery != 0)) return;
    squares_.head(block.count) = rows.columns(block.count).colwise().squaredNorm();
    earlier_.score(rows, squares_.data(), block);
  }

  void visit_state(state::Archive& archive) { archive(earlier_, refresh_at_); }

 private:
  static constexpr std::int64_t kScoredAtFirst = 8192;  // number of rows
  static constexpr std::int64_t kScoredEvery = 8;

  // An eigenproblem of at most this number of features takes no noticeable time.
  bool is_small() const { return earlier_.features() <= 128; }
  std::int64_t least_rows() const { return (is_small() ? 2 : 60) * earlier_.features(); }

  EarlierComponents<double> earlier_;
  std::int64_t refresh_at_ = 0;
  Vector<double> squares_;
};

}  // namespace roipca
