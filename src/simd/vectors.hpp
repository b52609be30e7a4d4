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

template <typename T>
Vec<T> load(const T* p) {
  return *reinterpret_cast<const Vec<T>*>(p);
}

template <typename T>
void store(T* p, Vec<T> v) {
  *reinterpret_cast<Vec<T>*>(p) = v;
}

template <typename T>
double sum(Vec<T> v) {
  // Adds halves, as hardware does, so that the order is the same in every call.
  T lane[Lanes<T>::kCount];
  store(lane, v);
  for (Size half = Lanes<T>::kCount / 2; half > 0; half /= 2) {
    for (Size i = 0; i < half; ++i) lane[i] += lane[i + half];
  }
  return static_cast<double>(lane[0]);
}

}  // namespace
}  // namespace roipca::simd::ROIPCA_LEVEL
