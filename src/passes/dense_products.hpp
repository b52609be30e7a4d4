/// Computes S Q of dense rows, block by block.
#pragma once

#include <algorithm>
#include <cmath>

#include "intake/given_rows.hpp"
#include "linalg/eigen_types.hpp"
#include "passes/row_identity.hpp"
#include "roipca/model.hpp"
#include "simd/aligned_rows.hpp"
#include "simd/table.hpp"
#include "state/archive.hpp"

namespace roipca {

/// Sums V^T (V Q) over rows v = unit w^(1/2) (x - mean), for the leading `rank` components Q of a model. Rows
/// wait until a block is full, so that blocks end at the same rows however the rows are divided into calls.
template <typename T>
class DenseProducts {
 public:
  DenseProducts(const Model<T>& model, Index rank, double unit)
      : unit_(unit),
        rank_(rank),
        basis_(rank, model.features()),
        recent_(rank, model.features()),
        block_(block_rows(model.features()), model.features()),
        total_(Matrix<double>::Zero(model.features(), rank)),
        weights_(capacity()),
        scales_(capacity()),
        squares_(capacity()),
        scores_(capacity(), rank),
        coefficients_(capacity(), rank),
        panel_(simd::panel_size<T>(capacity())) {
    basis_.columns(rank) = as_columns(model.basis).leftCols(rank);
  }

  /// Adds the rows [from, to), which have been checked and have positive weights.
  void add(const Model<T>& model, const GivenRows<T>& given, Index from, Index to, RowIdentity& identity) {
    while (from < to) {
      const Index taken = std::min(to - from, capacity() - count_);
      for (Index i = 0; i < taken; ++i) {
        weights_[i] = given.weight(from + i);
        scales_[i] = unit_ * std::sqrt(weights_[i]);
      }
      loops_->collect(given.view(from, from + taken),
                      {model.mean.data(), model.mean_tail.data(), weights_.data(), scales_.data(),
                       identity.deviations().data(), block_.row(count_), block_.stride(), squares_.data()},
                      model.features());
      for (Index i = 0; i < taken; ++i) identity.add(weights_[i], squares_[i]);
      from += taken;
      count_ += taken;
      if (count_ == capacity()) close_block();
    }
  }

  /// Returns the sum so far, features x rank, in the unit squared.
  Matrix<double> sum() const {
    simd::AlignedRows<T> recent = recent_;
    if (count_ > 0) {
      RowMatrix<T> coefficients(capacity(), rank_);
      RowMatrix<double> scores(capacity(), rank_);
      simd::AlignedBuffer<T> panel(panel_.size());
      add_waiting(scores, coefficients, panel, recent);
    }
    return total_ + recent.columns(rank_).template cast<double>();
  }

  /// Adds the sum of other rows.
  void add(const Matrix<double>& sum) { total_ += sum; }

  void visit_state(state::Archive& archive) {
    archive.count(count_, capacity());
    archive(block_.columns(count_), blocks_, recent_.columns(rank_), total_);
  }

 private:
  static constexpr Index kNumbers = Index{1} << 16;  // numbers of a block: half a megabyte in double
  static constexpr Index kFewest = 24;               // the fewest rows that use the tiles of the loops
  static constexpr Index kMost = 128;
  // Number of blocks whose products are added up in T: the rounding of a longer sum would show in float.
  static constexpr Index kRecentBlocks = 8;

  static Index block_rows(Index features) { return std::clamp(kNumbers / features, kFewest, kMost); }
  Index capacity() const { return block_rows(block_.length()); }

  // Adds the products of the waiting rows to `recent`.
  void add_waiting(RowMatrix<double>& scores, RowMatrix<T>& coefficients, simd::AlignedBuffer<T>& panel,
                   simd::AlignedRows<T>& recent) const {
    loops_->dots(block_.view(count_), basis_.view(rank_), block_.padded_length(), scores.data(), rank_);
    coefficients.topRows(count_) = scores.topRows(count_).template cast<T>();
    loops_->add_rows(recent.row(0), recent.stride(), 0, block_.view(count_), coefficients.data(), rank_,
                     rank_, recent.padded_length(), panel.data());
  }

  void close_block() {
    add_waiting(scores_, coefficients_, panel_, recent_);
    count_ = 0;
    if (++blocks_ == kRecentBlocks) flush();
  }

  void flush() {
    total_ += recent_.columns(rank_).template cast<double>();
    recent_.columns(rank_).setZero();
    blocks_ = 0;
  }

  double unit_;
  Index rank_;
  simd::AlignedRows<T> basis_;
  simd::AlignedRows<T> recent_;  // sum of the last blocks
  simd::AlignedRows<T> block_;   // waiting rows
  Index count_ = 0;              // number of waiting rows
  Index blocks_ = 0;             // number of blocks in `recent_`
  Matrix<double> total_;         // features x rank
  Vector<double> weights_;
  Vector<double> scales_;
  Vector<double> squares_;
  RowMatrix<double> scores_;
  RowMatrix<T> coefficients_;
  simd::AlignedBuffer<T> panel_;
  const simd::Table<T>* loops_ = &simd::table<T>();
};

}  // namespace roipca
