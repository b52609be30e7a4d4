// Products of sparse rows with a basis that stores the numbers of a feature together: see table.hpp.
#pragma once

#include "simd/vectors.hpp"

namespace roipca::simd::ROIPCA_LEVEL {
namespace {

// Number of entries whose products are summed in T before the sum is added in double.
constexpr Size kEntriesInT = 128;
// Number of entries by which the numbers of a feature are prefetched, because they are scattered over memory.
constexpr Size kAhead = 8;

template <typename T, Size kVectors>
void sparse_dots_of(const T* values, const int* indices, Size count, const T* z, Size stride, double* out) {
  constexpr Size kWidth = kVectors * Lanes<T>::kCount;
  for (Size c = 0; c < kWidth; ++c) out[c] = 0.0;
  for (Size from = 0; from < count; from += kEntriesInT) {
    const Size to = from + kEntriesInT < count ? from + kEntriesInT : count;
    Vec<T> sums[kVectors] = {};
    for (Size i = from; i < to; ++i) {
      if (i + kAhead < count) {
        const T* ahead = z + static_cast<Size>(indices[i + kAhead]) * stride;
        for (Size v = 0; v < kWidth; v += 64 / static_cast<Size>(sizeof(T))) __builtin_prefetch(ahead + v);
      }
      const T* numbers = z + static_cast<Size>(indices[i]) * stride;
      const Vec<T> value = values[i] - Vec<T>{};
      for (Size v = 0; v < kVectors; ++v) sums[v] += value * load(numbers + v * Lanes<T>::kCount);
    }
    T lane[kWidth];
    for (Size v = 0; v < kVectors; ++v) store(lane + v * Lanes<T>::kCount, sums[v]);
    for (Size c = 0; c < kWidth; ++c) out[c] += static_cast<double>(lane[c]);
  }
}

template <typename T>
void sparse_dots(const T* values, const int* indices, Size count, const T* z, Size stride, Size columns,
                 double* out) {
  Size c = 0;
  for (; c + 8 * Lanes<T>::kCount <= columns; c += 8 * Lanes<T>::kCount) {
    sparse_dots_of<T, 8>(values, indices, count, z + c, stride, out + c);
  }
  for (; c + 4 * Lanes<T>::kCount <= columns; c += 4 * Lanes<T>::kCount) {
    sparse_dots_of<T, 4>(values, indices, count, z + c, stride, out + c);
  }
  for (; c < columns; c += Lanes<T>::kCount) {
    sparse_dots_of<T, 1>(values, indices, count, z + c, stride, out + c);
  }
}

template <typename T>
void sparse_add(const T* values, const int* indices, Size count, const T* coefficients, T* z, Size stride,
                Size columns) {
  for (Size i = 0; i < count; ++i) {
    if (i + kAhead < count) {
      const T* ahead = z + static_cast<Size>(indices[i + kAhead]) * stride;
      for (Size c = 0; c < columns; c += 64 / static_cast<Size>(sizeof(T))) __builtin_prefetch(ahead + c, 1);
    }
    T* numbers = z + static_cast<Size>(indices[i]) * stride;
    const Vec<T> value = values[i] - Vec<T>{};
    for (Size c = 0; c < columns; c += Lanes<T>::kCount) {
      store(numbers + c, load(numbers + c) + value * load(coefficients + c));
    }
  }
}

// Returns a . b for a sparse a and a dense b.
template <typename T>
double sparse_dot(const T* values, const int* indices, Size count, const double* dense) {
  double sums[4] = {};
  Size i = 0;
  for (; i + 4 <= count; i += 4) {
    for (Size j = 0; j < 4; ++j) sums[j] += static_cast<double>(values[i + j]) * dense[indices[i + j]];
  }
  for (; i < count; ++i) sums[0] += static_cast<double>(values[i]) * dense[indices[i]];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

// Computes out += X X^T v for rows X that are stored by features, in panels of eight numbers per row.
template <typename T>
void sparse_gram(const T* values, const int* rows, const Size* starts, Size features, const double* v,
                 double* out) {
  constexpr Size kWidth = 8;
  constexpr Size kVectors = kWidth / Lanes<double>::kCount;
  for (Size f = 0; f < features; ++f) {
    const Size from = starts[f];
    const Size to = starts[f + 1];
    Vec<double> sums[2][kVectors] = {};
    Size e = from;
    for (; e + 2 <= to; e += 2) {
      for (Size s = 0; s < 2; ++s) {
        const Vec<double> value = static_cast<double>(values[e + s]) - Vec<double>{};
        const double* numbers = v + static_cast<Size>(rows[e + s]) * kWidth;
        for (Size i = 0; i < kVectors; ++i) sums[s][i] += value * load(numbers + i * Lanes<double>::kCount);
      }
    }
    if (e < to) {
      const Vec<double> value = static_cast<double>(values[e]) - Vec<double>{};
      const double* numbers = v + static_cast<Size>(rows[e]) * kWidth;
      for (Size i = 0; i < kVectors; ++i) sums[0][i] += value * load(numbers + i * Lanes<double>::kCount);
    }
    for (Size i = 0; i < kVectors; ++i) sums[0][i] += sums[1][i];
    for (e = from; e < to; ++e) {
      const Vec<double> value = static_cast<double>(values[e]) - Vec<double>{};
      double* numbers = out + static_cast<Size>(rows[e]) * kWidth;
      for (Size i = 0; i < kVectors; ++i) {
        double* place = numbers + i * Lanes<double>::kCount;
        store(place, load(place) + value * sums[0][i]);
      }
    }
  }
}

}  // namespace
}  // namespace roipca::simd::ROIPCA_LEVEL
