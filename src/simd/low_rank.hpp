// The low-rank update in place, for one level: see vectors.hpp.
#pragma once

#include "simd/table.hpp"
#include "simd/vectors.hpp"

namespace roipca::simd::ROIPCA_LEVEL {
namespace {

// Updates one tile of kVectors vectors of features. It is read from memory once, and stays in the first-level
// cache for the second loop.
template <typename T, Size kVectors>
void add_low_rank_tile(T* q, Size q_stride, Size count, const T* v, const T* left, const T* right, Size terms,
                       Size coef_stride) {
  constexpr Size kL = Lanes<T>::kCount;
  Vec<T> p[kMaxTerms][kVectors] = {};
  for (Size i = 0; i < kVectors; ++i) p[0][i] = load(v + i * kL);
  for (Size t = 0; t < terms; ++t) {
    Vec<T> sum[kVectors];
    for (Size i = 0; i < kVectors; ++i) sum[i] = p[t][i];
    for (Size j = 0; j < count; ++j) {
      const T c = left[t * coef_stride + j];
      for (Size i = 0; i < kVectors; ++i) sum[i] += c * load(q + j * q_stride + i * kL);
    }
    for (Size i = 0; i < kVectors; ++i) p[t][i] = sum[i];
  }
  for (Size j = 0; j < count; ++j) {
    Vec<T> moved[kVectors];
    for (Size i = 0; i < kVectors; ++i) moved[i] = load(q + j * q_stride + i * kL);
    for (Size t = 0; t < terms; ++t) {
      const T c = right[t * coef_stride + j];
      for (Size i = 0; i < kVectors; ++i) moved[i] += c * p[t][i];
    }
    for (Size i = 0; i < kVectors; ++i) store(q + j * q_stride + i * kL, moved[i]);
  }
}

template <typename T>
void add_low_rank(T* q, Size q_stride, Size count, const T* v, const T* left, const T* right, Size terms,
                  Size coef_stride, Size length) {
  constexpr Size kL = Lanes<T>::kCount;
  Size l = 0;
  for (; l + 4 * kL <= length; l += 4 * kL) {
    add_low_rank_tile<T, 4>(q + l, q_stride, count, v + l, left, right, terms, coef_stride);
  }
  for (; l < length; l += 2 * kL) {
    add_low_rank_tile<T, 2>(q + l, q_stride, count, v + l, left, right, terms, coef_stride);
  }
}

}  // namespace
}  // namespace roipca::simd::ROIPCA_LEVEL
