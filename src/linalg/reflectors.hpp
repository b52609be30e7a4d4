// Reduces large symmetric matrices to tridiagonal form and transforms vectors back, for one level: see
// simd/vectors.hpp. As in LAPACK's dlatrd and dlarft, reflectors are computed one by one and applied many at
// a time.
#pragma once

#include "linalg/matrix_loops.hpp"

namespace roipca::linalg::ROIPCA_LEVEL {
namespace {

constexpr Size kReflectors = 32;  // number of reflectors applied at a time

Size reflector_work(Size n, Size columns) {
  return pad(n) * 2 * kReflectors + 2 * kReflectors * pad(n) + 2 * kReflectors * columns +
         kReflectors * kReflectors;
}

// Computes y = A x for the rows and columns from `first` on, from the lower triangle of A.
void multiply_symmetric(Size first, Size n, Block a, const double* x, double* y) {
  for (Size i = first; i < n; ++i) y[i] = 0.0;
  constexpr Size kColumns = 4;
  Size c = first;
  for (; c + kColumns <= n; c += kColumns) {
    // The triangle on the diagonal.
    double along[kColumns] = {};
    for (Size j = 0; j < kColumns; ++j) {
      y[c + j] += a(c + j, c + j) * x[c + j];
      for (Size i = j + 1; i < kColumns; ++i) {
        y[c + i] += a(c + i, c + j) * x[c + j];
        along[j] += a(c + i, c + j) * x[c + i];
      }
    }
    Vec<double> sums[kColumns] = {};
    Size i = c + kColumns;
    for (; i + kDoubles <= n; i += kDoubles) {
      const Vec<double> here = load(x + i);
      Vec<double> to = load(y + i);
      for (Size j = 0; j < kColumns; ++j) {
        const Vec<double> entries = load(a.column(c + j) + i);
        to += x[c + j] * entries;
        sums[j] += here * entries;
      }
      store(y + i, to);
    }
    for (; i < n; ++i) {
      for (Size j = 0; j < kColumns; ++j) {
        y[i] += a(i, c + j) * x[c + j];
        along[j] += a(i, c + j) * x[i];
      }
    }
    for (Size j = 0; j < kColumns; ++j) y[c + j] += along[j] + sum<double>(sums[j]);
  }
  for (; c < n; ++c) {
    y[c] += a(c, c) * x[c];
    for (Size i = c + 1; i < n; ++i) {
      y[i] += a(i, c) * x[c];
      y[c] += a(i, c) * x[i];
    }
  }
}

// Computes the reflector I - h v v^T that maps the entries of a column from `first` on to a multiple of the
// first of them, and returns that multiple. v is zero before `first`, and 1 at `first`.
double find_reflector(const double* column, Size first, Size n, Size stride, double* v, double& h) {
  for (Size i = 0; i < stride; ++i) v[i] = i > first && i < n ? column[i] : 0.0;
  const double head = column[first];
  const double tail = dot(v, v, first / kDoubles * kDoubles, stride);
  h = 0.0;
  if (tail == 0.0) return head;
  const double norm = with_sign(root(head * head + tail), head);
  scale_column(1.0 / (head + norm), stride, v);
  v[first] = 1.0;
  h = (head + norm) / norm;
  return -norm;
}

// Computes Q^T A Q with the diagonal d and the off-diagonal e. The reflectors of Q are stored in the columns
// of a, below the diagonal, and their factors in h. Only the lower triangle of a is used.
void tridiagonalise_blocked(Size n, double* matrix, Size stride, double* d, double* e, double* h,
                            double* work) {
  const Block a = {matrix, stride};
  const Block v = {work, stride};                                           // vectors of a panel; w follows
  const Block w = v.from(kReflectors);                                      // A -= V W^T + W V^T is deferred
  const Block turned = {work + 2 * kReflectors * stride, 2 * kReflectors};  // [W, V]^T
  for (Size panel = 0; panel < n; panel += kReflectors) {
    const Size end = panel + kReflectors < n ? panel + kReflectors : n;
    for (Size j = panel; j < end; ++j) {
      const Size i = j - panel;
      const Size from = j / kDoubles * kDoubles;
      double* column = a.column(j);
      subtract_columns({v.data + from, stride}, 0, i, w.data + j, stride, stride - from, column + from);
      subtract_columns({w.data + from, stride}, 0, i, v.data + j, stride, stride - from, column + from);
      d[j] = column[j];
      double* const of_v = v.column(i);
      double* const of_w = w.column(i);
      if (j + 1 == n) {
        e[j] = h[j] = 0.0;
        for (Size l = 0; l < stride; ++l) of_v[l] = of_w[l] = 0.0;
        break;
      }
      const Size first = j + 1;
      e[j] = find_reflector(column, first, n, stride, of_v, h[j]);
      for (Size l = first; l < n; ++l) column[l] = of_v[l];
      for (Size l = 0; l < stride; ++l) of_w[l] = 0.0;
      if (h[j] == 0.0) continue;
      multiply_symmetric(first, n, a, of_v, of_w);
      const Size low = first / kDoubles * kDoubles;
      for (Size l = 0; l < i; ++l) {
        const double by_w = dot(w.column(l), of_v, low, stride);
        const double by_v = dot(v.column(l), of_v, low, stride);
        for (Size r = low; r < stride; r += kDoubles) {
          store(of_w + r, load(of_w + r) - by_w * load(v.column(l) + r) - by_v * load(w.column(l) + r));
        }
      }
      for (Size l = low; l < first; ++l) of_w[l] = 0.0;
      const double bend = 0.5 * h[j] * h[j] * dot(of_v, of_w, low, stride);
      for (Size r = low; r < stride; r += kDoubles) {
        store(of_w + r, h[j] * load(of_w + r) - bend * load(of_v + r));
      }
    }
    if (end == n) return;
    for (Size c = end; c < n; ++c) {
      for (Size l = 0; l < kReflectors; ++l) {
        turned(l, c - end) = w(c, l);
        turned(kReflectors + l, c - end) = v(c, l);
      }
    }
    const Size low = end / kDoubles * kDoubles;
    const Block rest = {a.column(end) + low, stride};
    multiply(stride - low, n - end, 2 * kReflectors, {v.data + low, stride}, turned, rest, -1.0, rest,
             {.lower_only = true});
  }
}

// Sets X <- Q X for `columns` columns of x, where Q is that of tridiagonalise_blocked.
void apply_reflectors(Size n, const double* matrix, Size stride, const double* h, double* x, Size columns,
                      double* work) {
  const Block a = {const_cast<double*>(matrix), stride};
  const Block v = {work, stride};
  const Block v_t = {work + 2 * kReflectors * stride, kReflectors};
  const Block along = {v_t.data + 2 * kReflectors * stride, kReflectors};      // V^T X
  const Block factor = {along.data + 2 * kReflectors * columns, kReflectors};  // I - V T V^T, T upper
  const Block bent = along.from(columns);                                      // T V^T X
  for (Size panel = (n - 1) / kReflectors * kReflectors; panel >= 0; panel -= kReflectors) {
    const Size count = n - panel < kReflectors ? n - panel : kReflectors;
    for (Size l = 0; l < kReflectors; ++l) {
      const Size first = panel + l + 1;
      const bool is_there = l < count && first < n && h[panel + l] != 0.0;
      for (Size i = 0; i < stride; ++i) v(i, l) = is_there && i >= first && i < n ? a(i, panel + l) : 0.0;
      for (Size i = 0; i < kReflectors; ++i) factor(i, l) = 0.0;
      if (!is_there) continue;
      const Size low = first / kDoubles * kDoubles;
      double along_v[kReflectors];
      for (Size i = 0; i < l; ++i) along_v[i] = dot(v.column(i), v.column(l), low, stride);
      for (Size i = 0; i < l; ++i) {
        for (Size m = i; m < l; ++m) factor(i, l) -= h[panel + l] * factor(i, m) * along_v[m];
      }
      factor(l, l) = h[panel + l];
    }
    const Size low = (panel + 1) / kDoubles * kDoubles;
    if (low >= stride) continue;
    for (Size i = low; i < stride; ++i) {
      for (Size l = 0; l < kReflectors; ++l) v_t(l, i) = v(i, l);
    }
    const Block rows = {x + low, stride};
    multiply(kReflectors, columns, stride - low, v_t.from(low), rows, kNone, 1.0, along);
    multiply(kReflectors, columns, kReflectors, factor, along, kNone, 1.0, bent);
    multiply(stride - low, columns, kReflectors, {v.data + low, stride}, bent, rows, -1.0, rows);
  }
}

void multiply_matrices(Size rows, Size columns, Size depth, const double* a, Size a_stride, const double* b,
                       Size b_stride, double* out, Size out_stride) {
  multiply(pad(rows), columns, depth, {const_cast<double*>(a), a_stride}, {const_cast<double*>(b), b_stride},
           kNone, 1.0, {out, out_stride});
}

}  // namespace
}  // namespace roipca::linalg::ROIPCA_LEVEL
