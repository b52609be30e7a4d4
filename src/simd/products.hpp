// Products of long rows with each other and with small matrices, for one level: see vectors.hpp.
#pragma once

#include "simd/table.hpp"
#include "simd/vectors.hpp"

namespace roipca::simd::ROIPCA_LEVEL {
namespace {

// A tile of dot products keeps kTileA * kTileB sums in registers, and a tile of combinations keeps kTileOut.
// AVX-512 and 64-bit ARM have 32 vector registers, all others have 16. ARM has no memory operands, so the
// factors of a sum need registers too, and tiles as large as those of AVX-512 would spill.
#ifdef __aarch64__
constexpr Size kTileA = 5;
constexpr Size kTileB = 4;
constexpr Size kTileOut = 20;
#else
constexpr Size kTileA = kVectorBytes == 64 ? 6 : 3;
constexpr Size kTileB = kVectorBytes == 64 ? 4 : 3;
constexpr Size kTileOut = kVectorBytes == 64 ? 24 : 12;
#endif

// Features summed in T before the sum moves to a double; the rows also stay in the cache over this stretch.
template <typename T>
constexpr Size kStretch = 4096 / static_cast<Size>(sizeof(T));

template <typename T, Size kA, Size kB>
void dot_tile(const T* a, Size a_stride, const T* b, Size b_stride, Size length, double* out,
              Size out_stride) {
  constexpr Size kL = Lanes<T>::kCount;
  constexpr Size kPadded = (kA * kB + kL - 1) / kL * kL;
  Vec<T> acc[kPadded] = {};
  for (Size l = 0; l < length; l += kL) {
    Vec<T> x[kA];
    for (Size i = 0; i < kA; ++i) x[i] = load(a + i * a_stride + l);
    for (Size j = 0; j < kB; ++j) {
      const Vec<T> y = load(b + j * b_stride + l);
      for (Size i = 0; i < kA; ++i) acc[i * kB + j] += x[i] * y;
    }
  }
  T dot[kPadded];
  for (Size i = 0; i < kPadded; i += kL) store(dot + i, sums<T>(acc + i));
  for (Size i = 0; i < kA; ++i) {
    for (Size j = 0; j < kB; ++j) out[i * out_stride + j] += static_cast<double>(dot[i * kB + j]);
  }
}

template <typename T, Size kA>
void dot_strip(const T* a, Size a_stride, const T* b, Size b_stride, Size b_count, Size length, double* out,
               Size out_stride) {
  Size j = 0;
  for (; j + kTileB <= b_count; j += kTileB) {
    dot_tile<T, kA, kTileB>(a, a_stride, b + j * b_stride, b_stride, length, out + j, out_stride);
  }
  const T* rest = b + j * b_stride;
  switch (b_count - j) {
    case 3:
      return dot_tile<T, kA, 3>(a, a_stride, rest, b_stride, length, out + j, out_stride);
    case 2:
      return dot_tile<T, kA, 2>(a, a_stride, rest, b_stride, length, out + j, out_stride);
    case 1:
      return dot_tile<T, kA, 1>(a, a_stride, rest, b_stride, length, out + j, out_stride);
    default:
      return;
  }
}

template <typename T>
void dot_strips(RowsView<T> a, RowsView<T> b, Size first, Size length, bool lower_only, double* out,
                Size out_stride) {
  Size i = 0;
  while (i < a.count) {
    const T* rows = a.data + i * a.stride + first;
    const Size left = a.count - i;
    const Size step = left < kTileA ? left : kTileA;
    const Size wide = lower_only ? i + step : b.count;
    double* to = out + i * out_stride;
    switch (step) {
      case 6:
        dot_strip<T, 6>(rows, a.stride, b.data + first, b.stride, wide, length, to, out_stride);
        break;
      case 5:
        dot_strip<T, 5>(rows, a.stride, b.data + first, b.stride, wide, length, to, out_stride);
        break;
      case 4:
        dot_strip<T, 4>(rows, a.stride, b.data + first, b.stride, wide, length, to, out_stride);
        break;
      case 3:
        dot_strip<T, 3>(rows, a.stride, b.data + first, b.stride, wide, length, to, out_stride);
        break;
      case 2:
        dot_strip<T, 2>(rows, a.stride, b.data + first, b.stride, wide, length, to, out_stride);
        break;
      default:
        dot_strip<T, 1>(rows, a.stride, b.data + first, b.stride, wide, length, to, out_stride);
    }
    i += step;
  }
}

void clear(double* out, Size rows, Size columns, Size stride) {
  for (Size i = 0; i < rows; ++i) {
    for (Size j = 0; j < columns; ++j) out[i * stride + j] = 0.0;
  }
}

template <typename T>
void dots(RowsView<T> a, RowsView<T> b, Size length, double* out, Size out_stride) {
  clear(out, a.count, b.count, out_stride);
  for (Size first = 0; first < length; first += kStretch<T>) {
    dot_strips(a, b, first, length - first < kStretch<T> ? length - first : kStretch<T>, false, out,
               out_stride);
  }
}

template <typename T>
void gram(RowsView<T> a, Size length, double* out, Size out_stride) {
  clear(out, a.count, a.count, out_stride);
  for (Size first = 0; first < length; first += kStretch<T>) {
    dot_strips(a, a, first, length - first < kStretch<T> ? length - first : kStretch<T>, true, out,
               out_stride);
  }
}

template <typename T>
void gram_and_dots(RowsView<T> a, RowsView<T> b, Size length, double* gram, Size gram_stride, double* dots,
                   Size dots_stride) {
  clear(gram, a.count, a.count, gram_stride);
  clear(dots, a.count, b.count, dots_stride);
  for (Size first = 0; first < length; first += kStretch<T>) {
    const Size stretch = length - first < kStretch<T> ? length - first : kStretch<T>;
    dot_strips(a, a, first, stretch, true, gram, gram_stride);
    dot_strips(a, b, first, stretch, false, dots, dots_stride);
  }
}

// Sources are packed before they are combined: kV vectors of features of each, one after the other. If the
// coefficients do not fit into the first cache, more features are processed at a time to compensate.
constexpr Size kFewCoefficients = 2048;

template <typename T, Size kV>
T* pack(const T* rows, Size stride, Size count, T* panel) {
  constexpr Size kL = Lanes<T>::kCount;
  for (Size i = 0; i < count; ++i) {
    for (Size v = 0; v < kV; ++v) store(panel + v * kL, load(rows + i * stride + v * kL));
    panel += kV * kL;
  }
  return panel;
}

// What becomes of the vectors of combinations: vector v of combination j. `from` skips the first
// combinations.
template <typename T>
struct Store {
  T* out;
  Size stride;

  Store from(Size j) const { return {out + j * stride, stride}; }
  void operator()(Size j, Size v, Vec<T> sum) const { store(out + j * stride + v * Lanes<T>::kCount, sum); }
};

template <typename T>
struct Add {
  T* out;
  Size stride;

  Add from(Size j) const { return {out + j * stride, stride}; }
  void operator()(Size j, Size v, Vec<T> sum) const {
    T* to = out + j * stride + v * Lanes<T>::kCount;
    store(to, load(to) + sum);
  }
};

// Computes kN combinations of the packed sources, and passes each vector to `use`.
template <typename T, Size kN, Size kV, typename Use>
void combine_tile(const T* panel, Size sources, const T* coef, Size coef_stride, Use use) {
  constexpr Size kL = Lanes<T>::kCount;
  Vec<T> acc[kN][kV] = {};
  for (Size i = 0; i < sources; ++i) {
    Vec<T> x[kV];
    for (Size v = 0; v < kV; ++v) x[v] = load(panel + (i * kV + v) * kL);
    for (Size j = 0; j < kN; ++j) {
      const T c = coef[i * coef_stride + j];
      for (Size v = 0; v < kV; ++v) acc[j][v] += c * x[v];
    }
  }
  for (Size j = 0; j < kN; ++j) {
    for (Size v = 0; v < kV; ++v) use(j, v, acc[j][v]);
  }
}

template <typename T, Size kN, Size kV, typename Use>
void combine_few(Size count, const T* panel, Size sources, const T* coef, Size coef_stride, Use use) {
  if constexpr (kN > 1) {
    if (count < kN) return combine_few<T, kN - 1, kV>(count, panel, sources, coef, coef_stride, use);
  }
  combine_tile<T, kN, kV>(panel, sources, coef, coef_stride, use);
}

// Tiles of nearly the same size: a small one at the end would leave registers unused.
template <typename T, Size kV, typename Use>
void combine(Size count, const T* panel, Size sources, const T* coef, Size coef_stride, Use use) {
  constexpr Size kMost = kTileOut / kV;
  Size tiles = (count + kMost - 1) / kMost;
  for (Size first = 0; first < count; --tiles) {
    const Size size = (count - first + tiles - 1) / tiles;
    combine_few<T, kMost, kV>(size, panel, sources, coef + first, coef_stride, use.from(first));
    first += size;
  }
}

template <typename T, Size kV>
void rotate_panel(T* q, Size q_stride, Size q_count, RowsView<T> x, const T* coef, Size coef_stride,
                  Size columns, Size l, T* panel) {
  T* end = pack<T, kV>(q + l, q_stride, q_count, panel);
  pack<T, kV>(x.data + l, x.stride, x.count, end);
  combine<T, kV>(columns, panel, q_count + x.count, coef, coef_stride, Store<T>{q + l, q_stride});
}

// The length is a multiple of two vectors of the widest kind.
template <typename T>
void rotate(T* q, Size q_stride, Size q_count, RowsView<T> x, const T* coef, Size coef_stride, Size columns,
            Size length, T* panel) {
  constexpr Size kL = Lanes<T>::kCount;
  Size l = 0;
  if (columns * (q_count + x.count) > kFewCoefficients) {
    for (; l + 4 * kL <= length; l += 4 * kL) {
      rotate_panel<T, 4>(q, q_stride, q_count, x, coef, coef_stride, columns, l, panel);
    }
  }
  for (; l < length; l += 2 * kL) {
    rotate_panel<T, 2>(q, q_stride, q_count, x, coef, coef_stride, columns, l, panel);
  }
}

template <typename T, Size kV>
void add_rows_panel(T* q, Size q_stride, Size own, RowsView<T> x, const T* coef, Size coef_stride,
                    Size columns, Size l, T* panel) {
  T* end = pack<T, kV>(q + l, q_stride, own, panel);
  pack<T, kV>(x.data + l, x.stride, x.count, end);
  combine<T, kV>(columns, panel, own + x.count, coef, coef_stride, Add<T>{q + l, q_stride});
}

template <typename T>
void add_rows(T* q, Size q_stride, Size own, RowsView<T> x, const T* coef, Size coef_stride, Size columns,
              Size length, T* panel) {
  constexpr Size kL = Lanes<T>::kCount;
  Size l = 0;
  if (columns * (own + x.count) > kFewCoefficients) {
    for (; l + 4 * kL <= length; l += 4 * kL) {
      add_rows_panel<T, 4>(q, q_stride, own, x, coef, coef_stride, columns, l, panel);
    }
  }
  for (; l < length; l += 2 * kL) {
    add_rows_panel<T, 2>(q, q_stride, own, x, coef, coef_stride, columns, l, panel);
  }
}

}  // namespace
}  // namespace roipca::simd::ROIPCA_LEVEL
