// Products in single precision for rows in double precision, for one level: see vectors.hpp.
#pragma once

#include "simd/conversions.hpp"
#include "simd/products.hpp"

namespace roipca::simd::ROIPCA_LEVEL {
namespace {

void round_rows(RowsView<double> x, Size length, float* to, Size to_stride, double* squares) {
  constexpr Size kL = Lanes<double>::kCount;
  for (Size i = 0; i < x.count; ++i) {
    const double* from = x.data + i * x.stride;
    float* row = to + i * to_stride;
    Vec<double> sums[2] = {};
    for (Size l = 0; l < length; l += 2 * kL) {
      for (Size v = 0; v < 2; ++v) {
        const Vec<double> numbers = load(from + l + v * kL);
        store_narrow(row + l + v * kL, numbers);
        sums[v] += numbers * numbers;
      }
    }
    squares[i] = sum<double>(sums[0] + sums[1]);
  }
}

// As many doubles as a vector of floats has lanes.
typedef double Doubles __attribute__((vector_size(2 * kVectorBytes), aligned(sizeof(double)), may_alias));

// Adds kN combinations of the packed sources to out, and rounds the result.
template <Size kN, Size kV>
void add_rounded_tile(const float* panel, Size sources, const float* coef, Size coef_stride, double* out,
                      Size out_stride, float* rounded, Size rounded_stride) {
  constexpr Size kL = Lanes<float>::kCount;
  Vec<float> acc[kN][kV] = {};
  for (Size i = 0; i < sources; ++i) {
    Vec<float> x[kV];
    for (Size v = 0; v < kV; ++v) x[v] = load(panel + (i * kV + v) * kL);
    for (Size j = 0; j < kN; ++j) {
      const float c = coef[i * coef_stride + j];
      for (Size v = 0; v < kV; ++v) acc[j][v] += c * x[v];
    }
  }
  for (Size j = 0; j < kN; ++j) {
    for (Size v = 0; v < kV; ++v) {
      auto* to = reinterpret_cast<Doubles*>(out + j * out_stride + v * kL);
      const Doubles numbers = *to + __builtin_convertvector(acc[j][v], Doubles);
      *to = numbers;
      store(rounded + j * rounded_stride + v * kL, __builtin_convertvector(numbers, Vec<float>));
    }
  }
}

template <Size kN, Size kV>
void add_rounded_few(Size count, const float* panel, Size sources, const float* coef, Size coef_stride,
                     double* out, Size out_stride, float* rounded, Size rounded_stride) {
  if constexpr (kN > 1) {
    if (count < kN) {
      return add_rounded_few<kN - 1, kV>(count, panel, sources, coef, coef_stride, out, out_stride, rounded,
                                         rounded_stride);
    }
  }
  add_rounded_tile<kN, kV>(panel, sources, coef, coef_stride, out, out_stride, rounded, rounded_stride);
}

template <Size kV>
void add_rounded_panel(double* q, Size q_stride, float* rounded, Size rounded_stride, RowsView<float> x,
                       const float* coef, Size coef_stride, Size columns, Size l, float* panel) {
  pack<float, kV>(x.data + l, x.stride, x.count, panel);
  constexpr Size kMost = kTileOut / kV;
  Size tiles = (columns + kMost - 1) / kMost;
  for (Size j = 0; j < columns; --tiles) {
    const Size size = (columns - j + tiles - 1) / tiles;
    add_rounded_few<kMost, kV>(size, panel, x.count, coef + j, coef_stride, q + j * q_stride + l, q_stride,
                               rounded + j * rounded_stride + l, rounded_stride);
    j += size;
  }
}

// The length is a multiple of one vector of floats of the widest kind, not of two.
void add_rounded(double* q, Size q_stride, float* rounded, Size rounded_stride, RowsView<float> x,
                 const float* coef, Size coef_stride, Size columns, Size length, float* panel) {
  constexpr Size kL = Lanes<float>::kCount;
  Size l = 0;
  if (columns * x.count > kFewCoefficients) {
    for (; l + 4 * kL <= length; l += 4 * kL) {
      add_rounded_panel<4>(q, q_stride, rounded, rounded_stride, x, coef, coef_stride, columns, l, panel);
    }
  }
  for (; l + 2 * kL <= length; l += 2 * kL) {
    add_rounded_panel<2>(q, q_stride, rounded, rounded_stride, x, coef, coef_stride, columns, l, panel);
  }
  for (; l < length; l += kL) {
    add_rounded_panel<1>(q, q_stride, rounded, rounded_stride, x, coef, coef_stride, columns, l, panel);
  }
}

}  // namespace
}  // namespace roipca::simd::ROIPCA_LEVEL
