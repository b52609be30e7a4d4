// The kernels themselves. Included by one source file for each instruction set, which defines
// ROIPCA_KERNEL_NAMESPACE and ROIPCA_VECTOR_BYTES and is compiled for that instruction set. Nothing here may
// be shared between those: no inline function of another header is called (the linker would keep one copy of
// it, compiled for any of the sets).
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

// Registers: a tile of dot products keeps kTileA * kTileB sums, and the rotation kTileOut * 2.
constexpr Size kTileA = ROIPCA_VECTOR_BYTES == 64 ? 6 : 3;
constexpr Size kTileB = ROIPCA_VECTOR_BYTES == 64 ? 4 : 3;
constexpr Size kTileOut = ROIPCA_VECTOR_BYTES == 64 ? 12 : 6;

// Features summed in T before the sum moves to a double; rows of a tile also stay in the cache over this
// stretch.
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

template <typename T>
void dots(RowsView<T> a, RowsView<T> b, Size length, double* out, Size out_stride) {
  for (Size i = 0; i < a.count; ++i) {
    for (Size j = 0; j < b.count; ++j) out[i * out_stride + j] = 0.0;
  }
  for (Size first = 0; first < length; first += kStretch) {
    dot_strips(a, b, first, length - first < kStretch ? length - first : kStretch, false, out, out_stride);
  }
}

template <typename T>
void gram(RowsView<T> a, Size length, double* out, Size out_stride) {
  for (Size i = 0; i < a.count; ++i) {
    for (Size j = 0; j < a.count; ++j) out[i * out_stride + j] = 0.0;
  }
  for (Size first = 0; first < length; first += kStretch) {
    dot_strips(a, a, first, length - first < kStretch ? length - first : kStretch, true, out, out_stride);
  }
}

// kN outputs over two vectors of features.
template <typename T, Size kN>
void rotate_tile(const T* q, Size q_stride, Size q_count, const T* x, Size x_stride, Size x_count,
                 const T* coef, Size coef_stride, T* panel) {
  constexpr Size kL = Lanes<T>::kCount;
  Vec<T> low[kN] = {};
  Vec<T> high[kN] = {};
  for (Size i = 0; i < q_count; ++i) {
    const Vec<T> a = load(q + i * q_stride);
    const Vec<T> b = load(q + i * q_stride + kL);
    for (Size j = 0; j < kN; ++j) {
      const T c = coef[i * coef_stride + j];
      low[j] += c * a;
      high[j] += c * b;
    }
  }
  coef += q_count * coef_stride;
  for (Size i = 0; i < x_count; ++i) {
    const Vec<T> a = load(x + i * x_stride);
    const Vec<T> b = load(x + i * x_stride + kL);
    for (Size j = 0; j < kN; ++j) {
      const T c = coef[i * coef_stride + j];
      low[j] += c * a;
      high[j] += c * b;
    }
  }
  for (Size j = 0; j < kN; ++j) {
    store(panel + j * 2 * kL, low[j]);
    store(panel + j * 2 * kL + kL, high[j]);
  }
}

template <typename T>
void rotate_columns(Size count, const T* q, Size q_stride, Size q_count, const T* x, Size x_stride,
                    Size x_count, const T* coef, Size coef_stride, T* panel) {
  constexpr Size kPanelRow = 2 * Lanes<T>::kCount;
  Size j = 0;
  for (; j + kTileOut <= count; j += kTileOut) {
    rotate_tile<T, kTileOut>(q, q_stride, q_count, x, x_stride, x_count, coef + j, coef_stride,
                             panel + j * kPanelRow);
  }
  for (; j + 4 <= count; j += 4) {
    rotate_tile<T, 4>(q, q_stride, q_count, x, x_stride, x_count, coef + j, coef_stride,
                      panel + j * kPanelRow);
  }
  for (; j < count; ++j) {
    rotate_tile<T, 1>(q, q_stride, q_count, x, x_stride, x_count, coef + j, coef_stride,
                      panel + j * kPanelRow);
  }
}

template <typename T>
void rotate(T* q, Size q_stride, Size q_count, RowsView<T> x, const T* coef, Size coef_stride, Size columns,
            Size length, T* panel) {
  constexpr Size kL = Lanes<T>::kCount;
  for (Size l = 0; l < length; l += 2 * kL) {
    rotate_columns<T>(columns, q + l, q_stride, q_count, x.data + l, x.stride, x.count, coef, coef_stride,
                      panel);
    for (Size j = 0; j < columns; ++j) {
      store(q + j * q_stride + l, load(panel + j * 2 * kL));
      store(q + j * q_stride + l + kL, load(panel + j * 2 * kL + kL));
    }
  }
}

template <typename T>
void add_outer(T* s, Size s_stride, RowsView<T> x, Size columns, Size length, T* panel) {
  constexpr Size kPanelRow = 2 * Lanes<T>::kCount;
  for (Size l = 0; l < length; l += kPanelRow) {
    const Size last = l + kPanelRow < columns ? l + kPanelRow : columns;
    for (Size j = 0; j < last; j += kTileOut) {
      const Size count = last - j < kTileOut ? last - j : kTileOut;
      rotate_columns<T>(count, s, 0, 0, x.data + l, x.stride, x.count, x.data + j, x.stride, panel);
      for (Size i = 0; i < count; ++i) {
        T* to = s + (j + i) * s_stride + l;
        store(to, load(to) + load(panel + i * kPanelRow));
        store(to + kPanelRow / 2, load(to + kPanelRow / 2) + load(panel + i * kPanelRow + kPanelRow / 2));
      }
    }
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
