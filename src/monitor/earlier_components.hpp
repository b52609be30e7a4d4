/// Scores rows by components of an earlier time.
#pragma once

#include <algorithm>

#include "intake/moments.hpp"
#include "intake/row_block.hpp"
#include "model/spectrum.hpp"
#include "monitor/filled_values.hpp"
#include "state/archive.hpp"

namespace roipca {

/// A copy of the leading components that an engine had some rows ago, for engines whose present components
/// are not known without a reading. T is the type of the rows. Allocates at construction only, apart from
/// `take` and the first scores.
template <typename T>
class EarlierComponents {
 public:
  /// Holds up to `components` components, and scores up to `max_rows` rows at once.
  EarlierComponents(Index features, Index components, Index max_rows)
      : components_(components),
        basis_(components, features),
        dots_(max_rows, components),
        scorer_(components, max_rows) {}

  Index features() const { return basis_.length(); }
  bool is_empty() const { return rank_ == 0; }

  /// Takes the eigenpairs of the scatter before the block, which must have degrees of freedom. If memory
  /// ends, it keeps the earlier ones.
  template <typename U>
  void take(const Spectrum<U>& spectrum, const BlockWeights& block) {
    const Index rank = std::min(spectrum.basis.cols(), components_);
    // Not by resizing: a vector of Eigen whose resizing fails cannot even be destroyed.
    Vector<double> variances(rank);
    Vector<double> in_unit(rank);
    for (Index i = 0; i < rank; ++i) variances[i] = to_raw(spectrum.values[i], block.unit) / block.freedom;
    rank_ = rank;
    variances_.swap(variances);
    in_unit_.swap(in_unit);
    basis_.columns(rank_) = spectrum.basis.leftCols(rank_).template cast<T>();
    noise_ = kScoreNoise<U> * to_raw(spectrum.trace, block.unit) / block.freedom;
  }

  /// Scores the rows V of the block, given as `rows`, whose squared norms are `squares`.
  template <typename U>
  void score(const simd::AlignedRows<T>& rows, const double* squares, RowBlock<U>& block) {
    simd::table<T>().dots(rows.view(block.count), basis_.view(rank_), rows.padded_length(), dots_.data(),
                          dots_.cols());
    in_unit_ = variances_ * block.unit * block.unit;
    const FilledValuesOf<U, T> filled(block, basis_, rank_);
    scorer_.score(block.count, dots_, squares, block.roots.data(), in_unit_, noise_ * block.unit * block.unit,
                  block.scores, block.has_gaps() ? &filled : nullptr);
  }

  void visit_state(state::Archive& archive) {
    archive.count(rank_, components_);
    variances_.conservativeResize(rank_);
    in_unit_.resize(rank_);
    archive(basis_.columns(rank_), variances_, noise_);
  }

 private:
  Index components_;
  simd::AlignedRows<T> basis_;
  Vector<double> variances_;
  double noise_ = 0.0;
  Index rank_ = 0;
  RowMatrix<double> dots_;
  Vector<double> in_unit_;
  BlockScorer scorer_;
};

}  // namespace roipca
