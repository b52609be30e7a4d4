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

struct AddRounded {
  double* out;
  Size stride;
  float* rounded;
  Size rounded_stride;

  AddRounded from(Size j) const {
    return {out + j * stride, stride, rounded + j * rounded_stride, rounded_stride};
  }
  void operator()(Size j, Size v, Vec<float> sum) const {
    constexpr Size kL = Lanes<float>::kCount;
    auto* to = reinterpret_cast<Doubles*>(out + j * stride + v * kL);
    const Doubles numbers = *to + __builtin_convertvector(sum, Doubles);
    *to = numbers;
    store(rounded + j * rounded_stride + v * kL, __builtin_convertvector(numbers, Vec<float>));
  }
};

template <Size kV>
void add_rounded_panel(AddRounded to, RowsView<float> x, const float* coef, Size coef_stride, Size columns,
                       Size l, float* panel) {
  pack<float, kV>(x.data + l, x.stride, x.count, panel);
  combine<float, kV>(columns, panel, x.count, coef, coef_stride,
                     AddRounded{to.out + l, to.stride, to.rounded + l, to.rounded_stride});
}

// The length is a multiple of one vector of floats of the widest kind, not of two.
void add_rounded(double* q, Size q_stride, float* rounded, Size rounded_stride, RowsView<float> x,
                 const float* coef, Size coef_stride, Size columns, Size length, float* panel) {
  constexpr Size kL = Lanes<float>::kCount;
  const AddRounded to = {q, q_stride, rounded, rounded_stride};
  Size l = 0;
  if (columns * x.count > kFewCoefficients) {
    for (; l + 4 * kL <= length; l += 4 * kL) {
      add_rounded_panel<4>(to, x, coef, coef_stride, columns, l, panel);
    }
  }
  for (; l + 2 * kL <= length; l += 2 * kL) {
    add_rounded_panel<2>(to, x, coef, coef_stride, columns, l, panel);
  }
  for (; l < length; l += kL) {
    add_rounded_panel<1>(to, x, coef, coef_stride, columns, l, panel);
  }
}

}  // namespace
}  // namespace roipca::simd::ROIPCA_LEVEL
