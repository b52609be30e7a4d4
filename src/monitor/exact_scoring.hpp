/// Scores for an engine that keeps the scatter and has components only after solving for them.
#pragma once

#include <algorithm>
#include <cstdint>

#include "intake/moments.hpp"
#include "intake/row_block.hpp"
#include "model/spectrum.hpp"
#include "state/archive.hpp"

namespace roipca {

/// Scores rows by earlier components. Their eigenproblem costs as much as many rows, so it is solved again
/// only when the rows have grown by half (with forgetting: when half of them are new), and not before the
/// rows have cost much more than the eigenproblem. In a long stream, one block in eight is scored, because
/// scores cost a good part of adding a row.
template <typename T>
class ExactScoring {
 public:
  ExactScoring(Index features, Index components, Index max_rows)
      : components_(components),
        basis_(components, features),
        dots_(max_rows, components),
        squares_(max_rows),
        scorer_(components, max_rows) {}

  /// Returns whether the components must be computed again before this block is scored.
  bool is_due(const RowBlock<T>& block) const {
    const std::int64_t rows = block.rows_before;
    return rows >= least_rows() && rows >= refresh_at_ && block.freedom > 0.0;
  }

  /// Takes the eigenpairs of the scatter before the block.
  void refresh(const Spectrum<T>& spectrum, const RowBlock<T>& block) {
    rank_ = std::min(spectrum.basis.cols(), components_);
    basis_.columns(rank_) = spectrum.basis.leftCols(rank_).template cast<double>();
    variances_.resize(rank_);
    for (Index i = 0; i < rank_; ++i) variances_[i] = to_raw(spectrum.values[i], block.unit) / block.freedom;
    noise_ = kScoreNoise<T> * to_raw(spectrum.trace, block.unit) / block.freedom;
    // The number of rows that count; fewer than added, if rows are forgotten.
    const double rows = std::min(static_cast<double>(block.rows_before), block.freedom + 1.0);
    const bool forgets = rows < 0.9 * static_cast<double>(block.rows_before);
    const std::int64_t least = is_small() ? (forgets ? 10 * basis_.length() : 0) : least_rows();
    refresh_at_ = block.rows_before + std::max(static_cast<std::int64_t>(0.5 * rows), least);
  }

  /// Scores the rows V of the block, given as doubles, if there are components and the block is due.
  void score(const simd::AlignedRows<double>& rows, RowBlock<T>& block) {
    const std::int64_t number = block.rows_before / block.capacity();
    if (rank_ == 0 || (block.rows_before >= kScoredAtFirst && number % kScoredEvery != 0)) return;
    simd::table<double>().dots(rows.view(block.count), basis_.view(rank_), rows.padded_length(), dots_.data(),
                               dots_.cols());
    squares_.head(block.count) = rows.columns(block.count).colwise().squaredNorm();
    in_unit_ = variances_ * block.unit * block.unit;
    scorer_.score(block.count, dots_, squares_.data(), block.roots.data(), in_unit_,
                  noise_ * block.unit * block.unit, block.scores);
  }

  void visit_state(state::Archive& archive) {
    archive.count(rank_, components_);
    variances_.conservativeResize(rank_);
    archive(basis_.columns(rank_), variances_, noise_, refresh_at_);
  }

 private:
  static constexpr std::int64_t kScoredAtFirst = 2048;  // number of rows
  static constexpr std::int64_t kScoredEvery = 8;

  // An eigenproblem of at most this number of features takes no noticeable time.
  bool is_small() const { return basis_.length() <= 128; }
  std::int64_t least_rows() const { return (is_small() ? 2 : 60) * basis_.length(); }

  Index components_;
  simd::AlignedRows<double> basis_;
  Vector<double> variances_;
  double noise_ = 0.0;
  Index rank_ = 0;
  std::int64_t refresh_at_ = 0;
  RowMatrix<double> dots_;
  Vector<double> squares_;
  Vector<double> in_unit_;
  BlockScorer scorer_;
};

}  // namespace roipca
