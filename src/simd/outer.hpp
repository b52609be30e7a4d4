// Sums of outer products, for one level: see vectors.hpp.
#pragma once

#include "simd/table.hpp"
#include "simd/vectors.hpp"

namespace roipca::simd::ROIPCA_LEVEL {
namespace {

// A tile of the sum has kOuterVectors vectors of features by kOuterColumns columns, all in registers, of
// which AVX-512 and 64-bit ARM have 32 and all others 16. The columns of a panel are a multiple of those of a
// tile.
#if defined(__AVX512F__)
constexpr Size kOuterVectors = 3;
constexpr Size kOuterColumns = 8;
#elif defined(__AVX__)
constexpr Size kOuterVectors = 3;
constexpr Size kOuterColumns = 4;
#elif defined(__aarch64__)
constexpr Size kOuterVectors = 4;
constexpr Size kOuterColumns = 4;
#else
constexpr Size kOuterVectors = 2;
constexpr Size kOuterColumns = 4;
#endif

// Number of features of a panel.
template <typename T>
constexpr Size kOuterPanel = kOuterVectors* Lanes<T>::kCount;

// Copies the features [first, first + width) of all rows, one row after the other, kOuterPanel numbers apart.
template <typename T>
void pack_features(RowsView<T> x, Size first, Size width, T* panel) {
  for (Size i = 0; i < x.count; ++i) {
    for (Size f = 0; f < width; f += Lanes<T>::kCount) {
      store(panel + i * kOuterPanel<T> + f, load(x.data + i * x.stride + first + f));
    }
  }
}

template <Size kCount>
struct Wide {};

// Adds the products of `down` and `across`, both packed, summed over the rows, to kC columns of s.
template <typename T, Size kV, Size kC>
void add_outer_tile(const T* down, const T* across, Size rows, T* s, Size s_stride) {
  constexpr Size kL = Lanes<T>::kCount;
  for (Size c = 0; c < kC; ++c) {
    for (Size v = 0; v < kV; ++v) __builtin_prefetch(s + c * s_stride + v * kL, 1);
  }
  Vec<T> acc[kC][kV] = {};
  for (Size i = 0; i < rows; ++i) {
    Vec<T> x[kV];
    for (Size v = 0; v < kV; ++v) x[v] = load(down + i * kOuterPanel<T> + v * kL);
    for (Size c = 0; c < kC; ++c) {
      const T y = across[i * kOuterPanel<T> + c];
      for (Size v = 0; v < kV; ++v) acc[c][v] += y * x[v];
    }
  }
  for (Size c = 0; c < kC; ++c) {
    for (Size v = 0; v < kV; ++v) {
      T* to = s + c * s_stride + v * kL;
      store(to, load(to) + acc[c][v]);
    }
  }
}

// Updates kV vectors of features, from feature `first` of a panel on, in the columns [from, to) of a panel.
template <typename T, Size kV>
void add_outer_strip(const T* down, Size first, const T* across, Size from, Size to, Size rows, T* s,
                     Size s_stride) {
  Size c = from;
  const auto add = [&]<Size kC>(Wide<kC>) {
    for (; c + kC <= to; c += kC) {
      add_outer_tile<T, kV, kC>(down + first, across + c, rows, s + c * s_stride + first, s_stride);
    }
  };
  add(Wide<kOuterColumns>());
  add(Wide<kOuterColumns / 2>());
  add(Wide<1>());
}

// The panels of all features stay in the second-level cache, and one of them in the first-level cache.
template <typename T>
void add_outer(T* s, Size s_stride, RowsView<T> x, Size columns, Size length, T* panels) {
  constexpr Size kL = Lanes<T>::kCount;
  constexpr Size kWide = kOuterPanel<T>;
  for (Size l = 0; l < length; l += kWide) {
    const Size width = length - l < kWide ? length - l : kWide;
    T* const down = panels + l * x.count;
    pack_features(x, l, width, down);
    for (Size j = 0; j <= l && j < columns; j += kWide) {
      const Size wide = columns - j < kWide ? columns - j : kWide;
      const T* across = panels + j * x.count;
      T* to = s + j * s_stride + l;
      if (width == kWide && j < l) {
        add_outer_strip<T, kOuterVectors>(down, 0, across, 0, wide, x.count, to, s_stride);
        continue;
      }
      // Nothing above the diagonal, and nothing for vectors that are only padding.
      const Size used = columns - l < width ? columns - l : width;
      Size f = 0;
      if (j < l) {
        for (; f + kL < used; f += 2 * kL) {
          add_outer_strip<T, 2>(down, f, across, 0, wide, x.count, to, s_stride);
        }
      }
      for (; f < used; f += kL) {
        const Size last = j == l && f + kL < wide ? f + kL : wide;
        add_outer_strip<T, 1>(down, f, across, 0, last, x.count, to, s_stride);
      }
    }
  }
}

}  // namespace
}  // namespace roipca::simd::ROIPCA_LEVEL
