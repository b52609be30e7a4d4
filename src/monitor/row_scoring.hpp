/// Scores for an engine that updates its components with every row.
#pragma once

#include <algorithm>
#include <cstdint>

#include "monitor/earlier_components.hpp"

namespace roipca {

/// Scores rows by the components of a reading, which is renewed when the rows have grown by an eighth (with
/// forgetting: when an eighth of the rows that count is new). Rules differ in what they hold between
/// readings, and some hold components that are neither orthonormal nor in order; a reading is what a model
/// would score new rows by.
template <typename T>
class RowScoring {
 public:
  RowScoring(Index features, Index components)
      : earlier_(features, components, 1), least_(std::max(kFewestBetweenReadings, 4 * components)) {}

  /// Returns whether the components must be read again before the row of this block is scored.
  bool is_due(const RowBlock<T>& block) const {
    return block.rows_before >= refresh_at_ && block.freedom > 0.0;
  }

  /// Takes the eigenpairs of the scatter before the block.
  void refresh(const Spectrum<T>& spectrum, const RowBlock<T>& block) {
    earlier_.take(spectrum, block);
    const double rows = std::min(static_cast<double>(block.rows_before), block.freedom + 1.0);
    refresh_at_ = block.rows_before + std::max<std::int64_t>(least_, static_cast<std::int64_t>(rows / 8.0));
  }

  /// Scores the row of the block, if there are components.
  void score(RowBlock<T>& block) {
    if (!earlier_.is_empty()) earlier_.score(block.rows, &block.squared_norm, block);
  }

  void visit_state(state::Archive& archive) { archive(earlier_, refresh_at_); }

 private:
  // A reading of k components costs up to k^2 products of long rows, and an update several times k.
  static constexpr Index kFewestBetweenReadings = 32;

  EarlierComponents<T> earlier_;
  Index least_;
  std::int64_t refresh_at_ = 0;
};

}  // namespace roipca
