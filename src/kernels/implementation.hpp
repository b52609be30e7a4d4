// The kernels themselves. Included by one source file for each instruction set, which defines
// ROIPCA_KERNEL_NAMESPACE and ROIPCA_VECTOR_BYTES and is compiled for that instruction set. Nothing here may
// be shared between those: no inline function of another header is called (the linker would keep one copy of
// it, compiled for any of the sets).
#ifdef __aarch64__
#include <arm_neon.h>
#endif

#include <cstddef>

#include "kernels/kernels.hpp"

namespace roipca::kernels::ROIPCA_KERNEL_NAMESPACE {
namespace {

using Size = std::ptrdiff_t;

template <typename T>
struct Lanes {
  static constexpr Size kCount = ROIPCA_VECTOR_BYTES / sizeof(T);
  typedef T Type __attribute__((vector_size(ROIPCA_VECTOR_BYTES), aligned(sizeof(T)), may_alias));
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
  // By halves, as the hardware would: the same order at every call.
  T lane[Lanes<T>::kCount];
  store(lane, v);
  for (Size half = Lanes<T>::kCount / 2; half > 0; half /= 2) {
    for (Size i = 0; i < half; ++i) lane[i] += lane[i + half];
  }
  return static_cast<double>(lane[0]);
}

// A tile of dot products keeps kTileA * kTileB sums in registers, and a tile of combinations keeps kTileOut.
// AVX-512 and 64-bit ARM have 32 vector registers, everything else has 16. ARM has no operands in memory: the
// numbers that a sum is made of take registers too, and tiles as large as those of AVX-512 would spill.
#ifdef __aarch64__
constexpr Size kTileA = 5;
constexpr Size kTileB = 4;
constexpr Size kTileOut = 20;
#else
constexpr Size kTileA = ROIPCA_VECTOR_BYTES == 64 ? 6 : 3;
constexpr Size kTileB = ROIPCA_VECTOR_BYTES == 64 ? 4 : 3;
constexpr Size kTileOut = ROIPCA_VECTOR_BYTES == 64 ? 24 : 12;
#endif

// Features summed in T before the sum moves to a double; the rows also stay in the cache over this stretch.
constexpr Size kStretch = 1024;

template <typename T, Size kA, Size kB>
void dot_tile(const T* a, Size a_stride, const T* b, Size b_stride, Size length, double* out,
              Size out_stride) {
  Vec<T> acc[kA][kB] = {};
  for (Size l = 0; l < length; l += Lanes<T>::kCount) {
    Vec<T> x[kA];
    for (Size i = 0; i < kA; ++i) x[i] = load(a + i * a_stride + l);
    for (Size j = 0; j < kB; ++j) {
      const Vec<T> y = load(b + j * b_stride + l);
      for (Size i = 0; i < kA; ++i) acc[i][j] += x[i] * y;
    }
  }
  for (Size i = 0; i < kA; ++i) {
    for (Size j = 0; j < kB; ++j) out[i * out_stride + j] += sum<T>(acc[i][j]);
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
  for (Size first = 0; first < length; first += kStretch) {
    dot_strips(a, b, first, length - first < kStretch ? length - first : kStretch, false, out, out_stride);
  }
}

template <typename T>
void gram(RowsView<T> a, Size length, double* out, Size out_stride) {
  clear(out, a.count, a.count, out_stride);
  for (Size first = 0; first < length; first += kStretch) {
    dot_strips(a, a, first, length - first < kStretch ? length - first : kStretch, true, out, out_stride);
  }
}

template <typename T>
void gram_and_dots(RowsView<T> a, RowsView<T> b, Size length, double* gram, Size gram_stride, double* dots,
                   Size dots_stride) {
  clear(gram, a.count, a.count, gram_stride);
  clear(dots, a.count, b.count, dots_stride);
  for (Size first = 0; first < length; first += kStretch) {
    const Size stretch = length - first < kStretch ? length - first : kStretch;
    dot_strips(a, a, first, stretch, true, gram, gram_stride);
    dot_strips(a, b, first, stretch, false, dots, dots_stride);
  }
}

// Sources are packed before they are combined: kV vectors of features of each, one after the other. Where the
// coefficients no longer fit into the nearest cache, more features at a time make up for it.
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

// kN combinations of the packed sources, into out or added to it.
template <typename T, Size kN, Size kV, bool kAdd>
void combine_tile(const T* panel, Size sources, const T* coef, Size coef_stride, T* out, Size out_stride) {
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
    for (Size v = 0; v < kV; ++v) {
      T* to = out + j * out_stride + v * kL;
      store(to, kAdd ? load(to) + acc[j][v] : acc[j][v]);
    }
  }
}

template <typename T, Size kN, Size kV, bool kAdd>
void combine_few(Size count, const T* panel, Size sources, const T* coef, Size coef_stride, T* out,
                 Size out_stride) {
  if constexpr (kN > 1) {
    if (count < kN) {
      return combine_few<T, kN - 1, kV, kAdd>(count, panel, sources, coef, coef_stride, out, out_stride);
    }
  }
  combine_tile<T, kN, kV, kAdd>(panel, sources, coef, coef_stride, out, out_stride);
}

// Tiles of nearly the same size: a small one at the end would leave registers unused.
template <typename T, Size kV, bool kAdd>
void combine(Size count, const T* panel, Size sources, const T* coef, Size coef_stride, T* out,
             Size out_stride) {
  constexpr Size kMost = kTileOut / kV;
  Size tiles = (count + kMost - 1) / kMost;
  for (Size j = 0; j < count; --tiles) {
    const Size size = (count - j + tiles - 1) / tiles;
    combine_few<T, kMost, kV, kAdd>(size, panel, sources, coef + j, coef_stride, out + j * out_stride,
                                    out_stride);
    j += size;
  }
}

template <typename T, Size kV>
void rotate_panel(T* q, Size q_stride, Size q_count, RowsView<T> x, const T* coef, Size coef_stride,
                  Size columns, Size l, T* panel) {
  T* end = pack<T, kV>(q + l, q_stride, q_count, panel);
  pack<T, kV>(x.data + l, x.stride, x.count, end);
  combine<T, kV, false>(columns, panel, q_count + x.count, coef, coef_stride, q + l, q_stride);
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
void add_rows_panel(T* q, Size q_stride, RowsView<T> x, const T* coef, Size coef_stride, Size columns, Size l,
                    T* panel) {
  pack<T, kV>(x.data + l, x.stride, x.count, panel);
  combine<T, kV, true>(columns, panel, x.count, coef, coef_stride, q + l, q_stride);
}

template <typename T>
void add_rows(T* q, Size q_stride, RowsView<T> x, const T* coef, Size coef_stride, Size columns, Size length,
              T* panel) {
  constexpr Size kL = Lanes<T>::kCount;
  Size l = 0;
  if (columns * x.count > kFewCoefficients) {
    for (; l + 4 * kL <= length; l += 4 * kL) {
      add_rows_panel<T, 4>(q, q_stride, x, coef, coef_stride, columns, l, panel);
    }
  }
  for (; l < length; l += 2 * kL) {
    add_rows_panel<T, 2>(q, q_stride, x, coef, coef_stride, columns, l, panel);
  }
}

template <typename T>
void add_outer(T* s, Size s_stride, RowsView<T> x, Size columns, Size length, T* panel) {
  constexpr Size kWide = 2 * Lanes<T>::kCount;
  for (Size l = 0; l < length; l += kWide) {
    pack<T, 2>(x.data + l, x.stride, x.count, panel);
    combine<T, 2, true>(l + kWide < columns ? l + kWide : columns, panel, x.count, x.data, x.stride, s + l,
                        s_stride);
  }
}

template <typename T>
double centre(CentringArrays<T> arrays, Size length, double share, double scale) {
  constexpr Size kL = Lanes<double>::kCount;
  const T* __restrict x = arrays.row;
  double* __restrict mean = arrays.mean;
  double* __restrict tail = arrays.tail;
  double* __restrict delta = arrays.delta;
  double squares[2 * kL] = {};
  const auto one = [&](Size j, double& square) {
    const double d = (static_cast<double>(x[j]) - mean[j]) - tail[j];
    delta[j] = d;
    square += (scale * d) * (scale * d);
    // What fits of the moved tail goes into the mean.
    const double moved = tail[j] + share * d;
    const double next = mean[j] + moved;
    tail[j] = moved - (next - mean[j]);
    mean[j] = next;
  };
  Size j = 0;
  for (; j + 2 * kL <= length; j += 2 * kL) {
    for (Size i = 0; i < 2 * kL; ++i) one(j + i, squares[i]);
  }
  double total = 0.0;
  for (; j < length; ++j) one(j, total);
  for (Size i = 0; i < 2 * kL; ++i) total += squares[i];
  return total;
}

template <typename T>
void scale_and_square(const double* __restrict delta, Size length, double scale, T* __restrict v,
                      double* __restrict scatter) {
  for (Size j = 0; j < length; ++j) {
    const T scaled = static_cast<T>(scale * delta[j]);
    v[j] = scaled;
    scatter[j] += static_cast<double>(scaled) * static_cast<double>(scaled);
  }
}

// A vector of doubles from numbers of type T, and back.
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
// GCC converts one number after the other otherwise.
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

// kR rows at once, each feature's sum in the order of the rows: the same however many are at once.
template <typename T, Size kR>
void collect_rows(RowsView<T> x, Size first, CollectedRows<T> to, Size length) {
  constexpr Size kL = Lanes<double>::kCount;
  Vec<double> squares[kR] = {};
  double rest[kR] = {};
  const T* from = x.data + first * x.stride;
  T* v = to.rows + first * to.stride;
  const double* weight = to.weights + first;
  const double* scale = to.scales + first;
  Size j = 0;
  for (; j + kL <= length; j += kL) {
    const Vec<double> mean = load(to.mean + j);
    const Vec<double> tail = load(to.tail + j);
    Vec<double> total = load(to.total + j);
    for (Size r = 0; r < kR; ++r) {
      const Vec<double> delta = (widen(from + r * x.stride + j) - mean) - tail;
      total += weight[r] * delta;
      const Vec<double> scaled = scale[r] * delta;
      squares[r] += scaled * scaled;
      store_narrow(v + r * to.stride + j, scaled);
    }
    store(to.total + j, total);
  }
  for (; j < length; ++j) {
    for (Size r = 0; r < kR; ++r) {
      const double delta = (static_cast<double>(from[r * x.stride + j]) - to.mean[j]) - to.tail[j];
      to.total[j] += weight[r] * delta;
      const double scaled = scale[r] * delta;
      rest[r] += scaled * scaled;
      v[r * to.stride + j] = static_cast<T>(scaled);
    }
  }
  for (Size r = 0; r < kR; ++r) to.squares[first + r] = sum<double>(squares[r]) + rest[r];
}

template <typename T>
void collect(RowsView<T> x, CollectedRows<T> to, Size length) {
  Size i = 0;
  for (; i + 4 <= x.count; i += 4) collect_rows<T, 4>(x, i, to, length);
  for (; i < x.count; ++i) collect_rows<T, 1>(x, i, to, length);
}

template <typename T>
void add_squares(RowsView<T> x, Size length, double* out) {
  constexpr Size kL = Lanes<double>::kCount;
  Size j = 0;
  for (; j + kL <= length; j += kL) {
    Vec<double> acc = load(out + j);
    for (Size i = 0; i < x.count; ++i) {
      const Vec<double> v = widen(x.data + i * x.stride + j);
      acc += v * v;
    }
    store(out + j, acc);
  }
  for (; j < length; ++j) {
    for (Size i = 0; i < x.count; ++i) {
      const double v = static_cast<double>(x.data[i * x.stride + j]);
      out[j] += v * v;
    }
  }
}

template <typename T>
bool any_beyond(const T* x, Size length, T limit) {
  constexpr Size kL = Lanes<T>::kCount;
  // A NaN compares false. No early exit: rows are good as a rule.
  const auto beyond = [limit](auto v) { return ~((v <= limit) & (v >= -limit)); };
  auto bad = beyond(Vec<T>{});
  Size j = 0;
  for (; j + kL <= length; j += kL) bad |= beyond(load(x + j));
  bool found = false;
  for (Size i = 0; i < kL; ++i) found |= bad[i] != 0;
  for (; j < length; ++j) found |= !(x[j] <= limit && x[j] >= -limit);
  return found;
}

}  // namespace
}  // namespace roipca::kernels::ROIPCA_KERNEL_NAMESPACE
