// Operations on rows before they are added, for one level: see vectors.hpp.
#pragma once

#include <cstdint>

#include "simd/conversions.hpp"
#include "simd/table.hpp"
#include "simd/vectors.hpp"

namespace roipca::simd::ROIPCA_LEVEL {
namespace {

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
    // The leading digits of the moved tail go into the mean.
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
  for (const double square : squares) total += square;
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

// Adds kR rows at once. The sum of a feature is in the order of the rows, whatever kR is.
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
  for (; i + 8 <= x.count; i += 8) collect_rows<T, 8>(x, i, to, length);
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
      const auto v = static_cast<double>(x.data[i * x.stride + j]);
      out[j] += v * v;
    }
  }
}

template <typename T>
bool any_beyond(const T* x, Size length, T limit) {
  constexpr Size kL = Lanes<T>::kCount;
  // A NaN compares false. There is no early exit, because most rows are good.
  const auto beyond = [limit](auto v) { return ~((v <= limit) & (v >= -limit)); };
  auto bad = beyond(Vec<T>{});
  // Rows are read from memory here, and the processor's own prefetching ends at each page.
  constexpr std::uintptr_t kAhead = 4096;  // bytes: a page
  constexpr Size kLine = 64 / static_cast<Size>(sizeof(T));
  constexpr Size kStep = kLine < kL ? kL : kLine;
  Size j = 0;
  for (; j + kStep <= length; j += kStep) {
    // Computed as an integer, because the address may lie beyond the rows.
    // NOLINTNEXTLINE(performance-no-int-to-ptr): nothing is read from it
    __builtin_prefetch(reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(x + j) + kAhead));
    for (Size i = 0; i < kStep; i += kL) bad |= beyond(load(x + j + i));
  }
  for (; j + kL <= length; j += kL) bad |= beyond(load(x + j));
  bool found = false;
  for (Size i = 0; i < kL; ++i) found |= bad[i] != 0;
  for (; j < length; ++j) found |= !(x[j] <= limit && x[j] >= -limit);
  return found;
}

}  // namespace
}  // namespace roipca::simd::ROIPCA_LEVEL
