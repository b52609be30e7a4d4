#include "sparse/row_space.hpp"

#include <algorithm>
#include <cmath>

#include "simd/table.hpp"
#include "sparse/block_lanczos.hpp"

namespace roipca {
namespace {

constexpr Index kAtOnce = BlockLanczos::kAtOnce;
// The same as in SparseUpdate.
constexpr double kEnoughLeft = 1e-8;
// Largest excess of the products of vectors over those of orthonormal ones whose square is rounding.
constexpr double kSmallExcess = 0x1p-28;

using Numbers = Eigen::Map<Vector<double>>;
using GivenNumbers = Eigen::Map<const Vector<double>>;

}  // namespace

template <typename T>
RowSpace<T>::RowSpace(const KnownRows<T>& known, const RowWeights& weights, Vector<double> diagonal)
    : known_(known),
      rank_(diagonal.size()),
      count_(known.rows.count()),
      is_centred_(weights.is_centred),
      has_jump_(weights.is_centred && weights.before > 0.0),
      of_jump_(has_jump_ ? std::sqrt(weights.before / (weights.before + weights.weight) * weights.weight)
                         : 0.0),
      roots_(weights.weights.cwiseSqrt()),
      shares_(weights.weights / weights.weight),
      diagonal_roots_(diagonal.cwiseMax(0.0).cwiseSqrt()),
      shared_(known.by_feature, count_),
      coefficients_(kAtOnce, count_),
      sums_(kAtOnce, count_),
      panel_in_(count_ * kAtOnce),
      panel_out_(count_ * kAtOnce),
      dots_(std::max<Index>(rank_, 1), kAtOnce),
      scaled_(std::max<Index>(rank_, 1), kAtOnce),
      panel_(simd::panel_size<double>(std::max<Index>(rank_, 1))) {
  if (!is_centred_) shares_.setZero();
  find_clear();
}

// Computed from the rows' products with the mean of the block, which is a combination of them.
template <typename T>
void RowSpace<T>::find_clear() {
  Vector<double> with_own = Vector<double>::Zero(count_);
  double own_squared = 0.0;
  if (is_centred_) {
    const auto& by_feature = known_.by_feature;
    for (Index j = 0; j < by_feature.count(); ++j) {
      const Index length = by_feature.length_of(j);
      if (length == 0) continue;
      double mean = 0.0;
      for (Index e = 0; e < length; ++e) {
        mean += shares_[by_feature.indices_of(j)[e]] * static_cast<double>(by_feature.values_of(j)[e]);
      }
      own_squared += mean * mean;
      for (Index e = 0; e < length; ++e) {
        with_own[by_feature.indices_of(j)[e]] += mean * static_cast<double>(by_feature.values_of(j)[e]);
      }
    }
  }
  for (Index i = 0; i < count_; ++i) {
    const double left = (known_.squares[i] - with_own[i]) - (with_own[i] - own_squared);
    is_clear_ = is_clear_ && !(left < kEnoughLeft * (known_.squares[i] + own_squared));
    added_ += roots_[i] * roots_[i] * std::max(left, 0.0);
  }
  if (!has_jump_) return;
  const double together = shares_.dot(known_.with_mean);
  const double jump = (own_squared - together) - (together - known_.mean_squared);
  added_ += of_jump_ * of_jump_ * std::max(jump, 0.0);
}

template <typename T>
void RowSpace<T>::multiply(const simd::AlignedRows<double>& vectors, simd::AlignedRows<double>& products,
                           Index count) {
  const auto& loops = simd::table<double>();
  // Coefficients of the rows and of the mean before the block.
  double of_mean[kAtOnce] = {};
  for (Index c = 0; c < count; ++c) {
    const GivenNumbers given(vectors.row(c) + rank_, count_);
    Numbers of_rows(coefficients_.row(c), count_);
    of_rows = roots_.cwiseProduct(given);
    if (!is_centred_) continue;
    const double of_jump = has_jump_ ? of_jump_ * vectors.row(c)[rank_ + count_] : 0.0;
    of_rows += (of_jump - of_rows.sum()) * shares_;
    of_mean[c] = -of_jump;
  }
  // X X^T, with all vectors of a row together.
  double* const in = panel_in_.data();
  double* const out = panel_out_.data();
  for (Index c = count; c < kAtOnce; ++c) std::fill_n(coefficients_.row(c), count_, 0.0);
  const double* const from = coefficients_.row(0);
  const Index apart = coefficients_.stride();
  for (Index i = 0; i < count_; ++i) {
    for (Index c = 0; c < kAtOnce; ++c) {
      const double number = from[c * apart + i];
      in[i * kAtOnce + c] = number;
      out[i * kAtOnce + c] = shared_.of_one_row[i] * number;
    }
  }
  const CsrRows<T>& lists = shared_.lists;
  simd::table<T>().sparse_gram(lists.values.data(), lists.indices.data(), lists.starts.data(), lists.count(),
                               in, out);
  double* const to_sums = sums_.row(0);
  for (Index i = 0; i < count_; ++i) {
    for (Index c = 0; c < kAtOnce; ++c) to_sums[c * sums_.stride() + i] = out[i * kAtOnce + c];
  }
  if (rank_ > 0) {
    loops.dots(known_.in_basis.view(rank_), coefficients_.view(count), coefficients_.padded_length(),
               dots_.data(), dots_.cols());
    for (Index j = 0; j < rank_; ++j) {
      for (Index c = 0; c < count; ++c) scaled_(j, c) = diagonal_roots_[j] * vectors.row(c)[j];
    }
    loops.add_rows(sums_.row(0), sums_.stride(), 0, known_.in_basis.view(rank_), scaled_.data(),
                   scaled_.cols(), count, sums_.padded_length(), panel_.data());
  }
  for (Index c = 0; c < count; ++c) {
    Numbers raw(sums_.row(c), count_);
    double* const to = products.row(c);
    double with_mean = 0.0;
    if (has_jump_) {
      with_mean =
          known_.with_mean.dot(Numbers(coefficients_.row(c), count_)) + known_.mean_squared * of_mean[c];
      raw += of_mean[c] * known_.with_mean;
    }
    for (Index j = 0; j < rank_; ++j) {
      const double of_basis = has_jump_ ? dots_(j, c) + known_.mean_in_basis[j] * of_mean[c] : dots_(j, c);
      if (has_jump_) with_mean += known_.mean_in_basis[j] * scaled_(j, c);
      to[j] = diagonal_roots_[j] * (scaled_(j, c) + of_basis);
    }
    const double own = is_centred_ ? shares_.dot(raw) : 0.0;
    Numbers(to + rank_, count_) = roots_.cwiseProduct((raw.array() - own).matrix());
    if (has_jump_) to[rank_ + count_] = of_jump_ * (own - with_mean);
  }
}

template <typename T>
simd::AlignedRows<double> RowSpace<T>::estimates() const {
  simd::AlignedRows<double> rows(rank_, order());
  for (Index j = 0; j < rank_; ++j) {
    double* const to = rows.row(j);
    to[j] = diagonal_roots_[j];
    const GivenNumbers raw(known_.in_basis.row(j), count_);
    const double own = is_centred_ ? shares_.dot(raw) : 0.0;
    Numbers(to + rank_, count_) = roots_.cwiseProduct((raw.array() - own).matrix());
    if (has_jump_) to[rank_ + count_] = of_jump_ * (own - known_.mean_in_basis[j]);
  }
  return rows;
}

template <typename T>
bool RowSpace<T>::orthonormalise(simd::AlignedRows<double>& vectors,
                                 const Eigen::Ref<const Vector<double>>& values, Index count) {
  const auto& loops = simd::table<double>();
  simd::AlignedRows<double> some(kAtOnce, order());
  simd::AlignedRows<double> images(count, order());
  simd::AlignedRows<double> some_images(kAtOnce, order());
  for (Index from = 0; from < count; from += kAtOnce) {
    const Index width = std::min(kAtOnce, count - from);
    for (Index i = 0; i < width; ++i) std::copy_n(vectors.row(from + i), order(), some.row(i));
    multiply(some, some_images, width);
    for (Index i = 0; i < width; ++i) std::copy_n(some_images.row(i), order(), images.row(from + i));
  }
  RowMatrix<double> dots(count, count);
  loops.dots(vectors.view(count), images.view(count), vectors.padded_length(), dots.data(), dots.cols());
  // With I + E for the products of the combinations, the inverse of the Cholesky factor is I - E / 2 on the
  // diagonal and I - E below it, to rounding of E squared.
  RowMatrix<double> turn = RowMatrix<double>::Zero(count, count);
  for (Index j = 0; j < count; ++j) {
    for (Index i = 0; i <= j; ++i) {
      const double excess = dots(j, i) / std::sqrt(values[i] * values[j]) - (i == j ? 1.0 : 0.0);
      if (!(std::abs(excess) < kSmallExcess)) return false;
      turn(i, j) = i == j ? 1.0 - 0.5 * excess : -excess * std::sqrt(values[j] / values[i]);
    }
  }
  Vector<double> scratch(simd::panel_size<double>(count));
  loops.rotate(vectors.row(0), vectors.stride(), count, {vectors.row(0), 0, 0}, turn.data(), turn.cols(),
               count, vectors.padded_length(), scratch.data());
  return true;
}

template <typename T>
typename RowSpace<T>::Combination RowSpace<T>::combined(const simd::AlignedRows<double>& vectors,
                                                        const Eigen::Ref<const Vector<double>>& values,
                                                        Index count) const {
  const Index stride = (count + simd::kSparseLane<T> - 1) / simd::kSparseLane<T> * simd::kSparseLane<T>;
  Combination result{Matrix<double>(rank_, count), simd::AlignedBuffer<T>(count_ * stride), stride,
                     Vector<double>::Zero(count)};
  T* const of_rows = result.of_rows.data();
  for (Index c = 0; c < count; ++c) {
    const double scale = 1.0 / std::sqrt(values[c]);
    const double* vector = vectors.row(c);
    result.turn.col(c) = scale * diagonal_roots_.cwiseProduct(GivenNumbers(vector, rank_));
    Vector<double> coefficients = scale * roots_.cwiseProduct(GivenNumbers(vector + rank_, count_));
    if (is_centred_) {
      if (has_jump_) result.of_mean[c] = scale * of_jump_ * vector[rank_ + count_];
      coefficients += (result.of_mean[c] - coefficients.sum()) * shares_;
    }
    for (Index i = 0; i < count_; ++i) of_rows[i * stride + c] = static_cast<T>(coefficients[i]);
  }
  return result;
}

template class RowSpace<float>;
template class RowSpace<double>;

}  // namespace roipca
