/// Rows for the loops of simd: aligned, padded, and an odd number of cache lines apart.
#pragma once

#include <algorithm>

#include "linalg/eigen_types.hpp"
#include "simd/aligned_buffer.hpp"
#include "simd/table.hpp"

namespace roipca::simd {

/// A fixed number of rows of `length` numbers. The padding after `length` is always zero.
template <typename T>
class AlignedRows {
 public:
  AlignedRows(Index count, Index length)
      : length_(length), padded_(round_up(length, kLane<T>)), storage_(count * stride_for(length)) {}

  Index length() const { return length_; }
  Index padded_length() const { return padded_; }
  Index stride() const { return stride_for(length_); }

  T* row(Index i) { return storage_.data() + i * stride(); }
  const T* row(Index i) const { return storage_.data() + i * stride(); }
  RowsView<T> view(Index count) const { return {storage_.data(), stride(), count}; }

  /// The first `count` rows as columns of a matrix.
  auto columns(Index count) {
    return Eigen::Map<Matrix<T>, Eigen::Aligned64, Eigen::OuterStride<>>(storage_.data(), length_, count,
                                                                         Eigen::OuterStride<>(stride()));
  }
  auto columns(Index count) const {
    return Eigen::Map<const Matrix<T>, Eigen::Aligned64, Eigen::OuterStride<>>(
        storage_.data(), length_, count, Eigen::OuterStride<>(stride()));
  }

 private:
  static Index round_up(Index x, Index to) { return (x + to - 1) / to * to; }

  // Rows a power of two apart would all map to one set of the cache; an odd number of lines spreads them.
  static Index stride_for(Index length) {
    constexpr Index kLine = 64 / static_cast<Index>(sizeof(T));
    const Index lines = round_up(length, kLane<T>) / kLine;
    return (lines | 1) * kLine;
  }

  Index length_;
  Index padded_;
  AlignedBuffer<T> storage_;
};

}  // namespace roipca::simd
