#pragma once

#include <cstddef>
#include <cstring>

/// Four doubles at a time, by the vector extension that GCC and Clang share. The compiler may not reorder
/// floating-point sums on its own, so plain loops over the poles would stay scalar. With every instruction
/// set the lanes are summed in the same order.
///
/// Everything has internal linkage: files compiled for different instruction sets must not share these
/// functions.
namespace roipca::secular {

using Lanes = double __attribute__((vector_size(32)));
using LaneBits = long long __attribute__((vector_size(32)));

constexpr std::size_t kLanes = sizeof(Lanes) / sizeof(double);

/// The length of arrays that are read in lanes: the next multiple of kLanes.
constexpr std::size_t padded(std::size_t order) { return (order + kLanes - 1) / kLanes * kLanes; }

static inline void load(const double* from, Lanes& to) { std::memcpy(&to, from, sizeof(Lanes)); }

static inline void store(const Lanes& from, double* to) { std::memcpy(to, &from, sizeof(Lanes)); }

static inline double sum(const Lanes& x) { return (x[0] + x[1]) + (x[2] + x[3]); }

/// total += |x|
static inline void add_magnitude(const Lanes& x, Lanes& total) {
  constexpr long long kAllButSign = 0x7fff'ffff'ffff'ffffLL;
  LaneBits bits;
  std::memcpy(&bits, &x, sizeof(bits));
  bits &= kAllButSign;
  Lanes magnitude;
  std::memcpy(&magnitude, &bits, sizeof(magnitude));
  total += magnitude;
}

}  // namespace roipca::secular
