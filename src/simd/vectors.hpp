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
struct Index;
template <>
struct Index<4> {
  using Type = int;
};
template <>
struct Index<8> {
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

// For vectors that consist of segments, returns the segments of a and b, each with its upper half added to
// its lower half.
template <typename T, Size kSegment>
Vec<T> fold(Vec<T> a, Vec<T> b) {
  constexpr Size kL = Lanes<T>::kCount;
  using Lane = typename Index<sizeof(T)>::Type;
  typedef Lane Mask __attribute__((vector_size(kVectorBytes)));
  Mask low = {};
  for (Size i = 0; i < kL; ++i) {
    const Size place = i % (kL / 2);
    const Size from = place / (kSegment / 2) * kSegment + place % (kSegment / 2);
    low[i] = static_cast<Lane>(from + (i < kL / 2 ? 0 : kL));
  }
  return __builtin_shuffle(a, b, low) + __builtin_shuffle(a, b, low + static_cast<Lane>(kSegment / 2));
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
