// Vectors of doubles from numbers of either type, and back, for one level: see vectors.hpp.
#pragma once

#ifdef __aarch64__
#include <arm_neon.h>
#endif

#include "simd/vectors.hpp"

namespace roipca::simd::ROIPCA_LEVEL {
namespace {

// Convert numbers of type T to a vector of doubles, and back.
template <typename T>
struct Narrow {
  typedef T Type
      __attribute__((vector_size(Lanes<double>::kCount * sizeof(T)), aligned(sizeof(T)), may_alias));
};

template <typename T>
Vec<double> widen(const T* p) {
  return __builtin_convertvector(*reinterpret_cast<const typename Narrow<T>::Type*>(p), Vec<double>);
}

#ifdef __aarch64__
// Otherwise, GCC converts the numbers one by one.
template <>
inline Vec<double> widen(const float* p) {
  return vcvt_f64_f32(vld1_f32(p));
}
#endif

template <typename T>
void store_narrow(T* p, Vec<double> v) {
  using Type = typename Narrow<T>::Type;
  *reinterpret_cast<Type*>(p) = __builtin_convertvector(v, Type);
}

}  // namespace
}  // namespace roipca::simd::ROIPCA_LEVEL
