// Vector registers of one level, as values. For sources that are compiled once per level (see
// roipca_per_level in CMakeLists.txt), with ROIPCA_LEVEL defined as the level's namespace. Such a source and
// its headers must call no inline function of any other header: the linker would keep one copy of it,
// compiled for any of the levels.
#pragma once

#ifndef ROIPCA_LEVEL
#error "include this only in sources that are compiled once per level"
#endif

#include <cstddef>

namespace roipca::simd::ROIPCA_LEVEL {
namespace {

using Size = std::ptrdiff_t;

#if defined(__AVX512F__)
constexpr Size kVectorBytes = 64;
#elif defined(__AVX__)
constexpr Size kVectorBytes = 32;
#else
constexpr Size kVectorBytes = 16;
#endif

template <typename T>
struct Lanes {
  static constexpr Size kCount = kVectorBytes / static_cast<Size>(sizeof(T));
  typedef T Type __attribute__((vector_size(kVectorBytes), aligned(sizeof(T)), may_alias));
};

template <typename T>
using Vec = typename Lanes<T>::Type;

// Integers of the size of a number, to address lanes.
template <std::size_t kSize>
struct Integer;
template <>
struct Integer<4> {
  using Type = int;
};
template <>
struct Integer<8> {
  using Type = long long;
};

template <typename T>
Vec<T> load(const T* p) {
  return *reinterpret_cast<const Vec<T>*>(p);
}

template <typename T>
void store(T* p, Vec<T> v) {
  *reinterpret_cast<Vec<T>*>(p) = v;
}

// Adds halves, as hardware does, so that the order is the same in every call.
template <typename T>
double sum(Vec<T> v) {
  T lane[Lanes<T>::kCount];
  store(lane, v);
  for (Size half = Lanes<T>::kCount / 2; half > 0; half /= 2) {
    for (Size i = 0; i < half; ++i) lane[i] += lane[i + half];
  }
  return static_cast<double>(lane[0]);
}

// Returns the lanes of a and b, one after the other, that the mask names.
template <typename T, typename Mask>
Vec<T> shuffle(Vec<T> a, Vec<T> b, Mask mask) {
#ifdef __clang__
  constexpr auto kL = Lanes<T>::kCount;
  Vec<T> chosen = {};
  for (Size i = 0; i < kL; ++i) chosen[i] = mask[i] < kL ? a[mask[i]] : b[mask[i] - kL];
  return chosen;
#else
  return __builtin_shuffle(a, b, mask);
#endif
}

// For vectors that consist of segments, returns the segments of a and b, each with its upper half added to
// its lower half.
template <typename T, Size kSegment>
Vec<T> fold(Vec<T> a, Vec<T> b) {
  using Lane = typename Integer<sizeof(T)>::Type;
  typedef Lane Mask __attribute__((vector_size(kVectorBytes)));
  constexpr Lane kL = Lanes<T>::kCount;
  constexpr Lane kWhole = kSegment;
  constexpr Lane kHalf = kSegment / 2;
  Mask low = {};
  for (Lane i = 0; i < kL; ++i) {
    const Lane place = i % (kL / 2);
    low[i] = place / kHalf * kWhole + place % kHalf + (i < kL / 2 ? 0 : kL);
  }
  return shuffle<T>(a, b, low) + shuffle<T>(a, b, low + kHalf);
}

// Computes the sums of as many vectors as a vector has lanes, each with the bits of `sum`.
template <typename T, Size kSegment = Lanes<T>::kCount>
Vec<T> sums(const Vec<T>* v) {
  if constexpr (kSegment == 2) {
    return fold<T, 2>(v[0], v[1]);
  } else {
    Vec<T> folded[kSegment / 2];
    for (Size i = 0; i < kSegment / 2; ++i) folded[i] = fold<T, kSegment>(v[2 * i], v[2 * i + 1]);
    return sums<T, kSegment / 2>(folded);
  }
}

}  // namespace
}  // namespace roipca::simd::ROIPCA_LEVEL
