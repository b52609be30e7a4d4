/// The values of a block that were filled, for the scores of its rows.
#pragma once

#include <array>
#include <cstddef>

#include "intake/row_block.hpp"
#include "monitor/block_scores.hpp"
#include "simd/aligned_rows.hpp"

namespace roipca {

/// The filled values of a closed block with rows of T, and the components of U in their places.
template <typename T, typename U>
class FilledValuesOf final : public FilledValues {
 public:
  FilledValuesOf(const RowBlock<T>& block, const simd::AlignedRows<U>& components, Index rank)
      : block_(block), components_(components), rank_(rank) {}

  Index features() const override { return components_.length(); }

  Index read(Index row, Index& feature, double* values, simd::AlignedRows<double>& entries) const override {
    std::array<Index, kAtOnce> places;
    std::size_t count = 0;
    for (; feature < features() && count < places.size(); ++feature) {
      if (!block_.has_gap(feature, row)) continue;
      values[count] = static_cast<double>(block_.rows.row(row)[feature]);
      places[count++] = feature;
    }
    for (Index c = 0; c < rank_; ++c) {
      const U* const component = components_.row(c);
      for (std::size_t e = 0; e < count; ++e) {
        entries.row(static_cast<Index>(e))[c] = static_cast<double>(component[places[e]]);
      }
    }
    return static_cast<Index>(count);
  }

 private:
  const RowBlock<T>& block_;
  const simd::AlignedRows<U>& components_;
  Index rank_;
};

}  // namespace roipca
