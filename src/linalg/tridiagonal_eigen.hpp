// The small symmetric eigenproblem, for one level: see simd/vectors.hpp.
#pragma once

#include "linalg/matrix_loops.hpp"

namespace roipca::linalg::ROIPCA_LEVEL {
namespace {

constexpr double kHalfUlp = 0x1p-53;
constexpr int kMostSweeps = 60;  // a value takes two on average; none has been seen to take ten

double dot(const double* a, const double* b, Size from, Size to) {
  Vec<double> acc = {};
  for (Size i = from; i < to; i += kDoubles) acc += load(a + i) * load(b + i);
  return sum<double>(acc);
}

// y += s * x, for four x at a time if possible.
void add_columns(const double* a, Size stride, const double* s, Size columns, Size from, Size to, double* y) {
  Size c = 0;
  for (; c + 4 <= columns; c += 4) {
    const double* x = a + c * stride;
    for (Size i = from; i < to; i += kDoubles) {
      store(y + i, load(y + i) + s[c] * load(x + i) + s[c + 1] * load(x + stride + i) +
                       (s[c + 2] * load(x + 2 * stride + i) + s[c + 3] * load(x + 3 * stride + i)));
    }
  }
  for (; c < columns; ++c) {
    const double* x = a + c * stride;
    for (Size i = from; i < to; i += kDoubles) store(y + i, load(y + i) + s[c] * load(x + i));
  }
}

// Reduces A to the tridiagonal Q^T A Q: diagonal in d, off-diagonal in e, and Q in a. Both triangles of a are
// read and updated, so that all loops run down columns. u is zero above the rows that a reflector I - h u u^T
// acts on, so that loops may start at the vector boundary before them.
void tridiagonalise(Size n, double* a, Size stride, double* d, double* e, double* u, double* p) {
  for (Size i = 0; i < stride; ++i) u[i] = p[i] = 0.0;
  for (Size j = 0; j + 1 < n; ++j) {
    double* column = a + j * stride;
    const Size first = j + 1;
    const Size from = first / kDoubles * kDoubles;
    const double head = column[first];
    u[j] = 0.0;
    double tail = 0.0;
    for (Size i = first; i < n; ++i) u[i] = column[i];
    u[first] = 0.0;
    tail = dot(u, u, from, stride);
    if (tail == 0.0) {
      column[j] = a[j * stride + j];
      d[j] = column[j];
      e[j] = head;
      // A reflector of h = 0: the identity.
      for (Size i = first; i < n; ++i) column[i] = 0.0;
      continue;
    }
    const double norm = with_sign(root(head * head + tail), head);
    const double inverse = 1.0 / (head + norm);
    for (Size i = from; i < stride; i += kDoubles) store(u + i, load(u + i) * inverse);
    u[first] = 1.0;
    const double h = (head + norm) / norm;

    for (Size i = from; i < stride; i += kDoubles) store(p + i, Vec<double>{});
    add_columns(a + first * stride, stride, u + first, n - first, from, stride, p);
    const double bend = 0.5 * h * h * dot(u, p, from, stride);
    for (Size i = from; i < stride; i += kDoubles) store(p + i, h * load(p + i) - bend * load(u + i));
    for (Size c = first; c < n; ++c) {
      double* target = a + c * stride;
      const double uc = u[c];
      const double pc = p[c];
      for (Size i = from; i < stride; i += kDoubles) {
        store(target + i, load(target + i) - (uc * load(p + i) + pc * load(u + i)));
      }
    }
    d[j] = column[j];
    e[j] = -norm;
    // The reflector is stored in its column, and its h on the diagonal.
    for (Size i = first; i < n; ++i) column[i] = u[i];
    column[j] = h;
  }
  d[n - 1] = a[(n - 1) * stride + n - 1];
  e[n - 1] = 0.0;

  // Accumulates Q backwards, so that each reflector acts only on the part that is no longer the identity.
  for (Size j = n - 1; j >= 0; --j) {
    double* column = a + j * stride;
    const Size first = j + 1;
    const Size from = first / kDoubles * kDoubles;
    if (j + 1 < n && column[first] != 0.0) {
      const double h = column[j];
      for (Size i = from; i < stride; ++i) u[i] = i >= first && i < n ? column[i] : 0.0;
      for (Size c = first; c < n; ++c) {
        double* target = a + c * stride;
        const double along = h * dot(u, target, from, stride);
        for (Size i = from; i < stride; i += kDoubles)
          store(target + i, load(target + i) - along * load(u + i));
      }
    }
    for (Size i = 0; i < stride; ++i) column[i] = 0.0;
    column[j] = 1.0;
    for (Size c = first; c < n; ++c) a[c * stride + j] = 0.0;
  }
}

// Applies the rotations of a sweep to columns [low, high], kVectors rows of the matrix at a time. The column
// that two successive rotations share stays in registers.
template <Size kVectors>
void apply_sweep(double* a, Size stride, Size low, Size high, const double* cosine, const double* sine) {
  Vec<double> carried[kVectors];
  for (Size v = 0; v < kVectors; ++v) carried[v] = load(a + high * stride + v * kDoubles);
  for (Size i = high - 1; i >= low; --i) {
    double* left = a + i * stride;
    const double c = cosine[i];
    const double s = sine[i];
    for (Size v = 0; v < kVectors; ++v) {
      const Vec<double> x = load(left + v * kDoubles);
      store(left + stride + v * kDoubles, s * x + c * carried[v]);
      carried[v] = c * x - s * carried[v];
    }
  }
  for (Size v = 0; v < kVectors; ++v) store(a + low * stride + v * kDoubles, carried[v]);
}

void apply_sweep_to_all(double* a, Size stride, Size low, Size high, const double* cosine,
                        const double* sine) {
  Size row = 0;
  for (; row + 4 * kDoubles <= stride; row += 4 * kDoubles)
    apply_sweep<4>(a + row, stride, low, high, cosine, sine);
  for (; row + 2 * kDoubles <= stride; row += 2 * kDoubles)
    apply_sweep<2>(a + row, stride, low, high, cosine, sine);
  for (; row + kDoubles <= stride; row += kDoubles) apply_sweep<1>(a + row, stride, low, high, cosine, sine);
}

// Implicit QL with Wilkinson's shift.
void diagonalise(Size n, double* a, Size stride, double* d, double* e, double* cosine, double* sine) {
  for (Size l = 0; l < n; ++l) {
    for (int sweep = 0; sweep < kMostSweeps; ++sweep) {
      Size m = l;
      for (; m + 1 < n; ++m) {
        if (magnitude(e[m]) <= kHalfUlp * (magnitude(d[m]) + magnitude(d[m + 1]))) break;
      }
      if (m == l) break;
      double g = (d[l + 1] - d[l]) / (2.0 * e[l]);
      double r = root(g * g + 1.0);
      g = d[m] - d[l] + e[l] / (g + with_sign(r, g));
      double s = 1.0;
      double c = 1.0;
      double p = 0.0;
      Size i = m - 1;
      for (; i >= l; --i) {
        const double f = s * e[i];
        const double b = c * e[i];
        r = root(f * f + g * g);
        e[i + 1] = r;
        if (r == 0.0) break;
        const double inverse = 1.0 / r;
        s = f * inverse;
        c = g * inverse;
        g = d[i + 1] - p;
        r = (d[i] - g) * s + 2.0 * c * b;
        p = s * r;
        d[i + 1] = g + p;
        g = c * r - b;
        cosine[i] = c;
        sine[i] = s;
      }
      const bool split = i >= l;
      apply_sweep_to_all(a, stride, i + 1, m, cosine, sine);
      if (split) {
        d[i + 1] -= p;
      } else {
        d[l] -= p;
        e[l] = g;
      }
      e[m] = 0.0;
    }
  }
}

void solve_eigen(Size n, double* a, Size stride, double* values, double* work) {
  if (n == 0) return;
  double* e = work;
  double* u = work + stride;
  double* p = work + 2 * stride;
  // Scales by a power of two, so that squares stay in range.
  double largest = 0.0;
  for (Size j = 0; j < n; ++j) {
    for (Size i = j; i < n; ++i) {
      const double size = magnitude(a[j * stride + i]);
      largest = size > largest ? size : largest;
    }
  }
  double scale = 1.0;
  if (largest > 0.0) {
    const int exponent = -__builtin_ilogb(largest);
    scale = __builtin_ldexp(1.0, exponent < 1000 ? exponent : 1000);
  }
  for (Size j = 0; j < n; ++j) {
    for (Size i = j; i < n; ++i) {
      a[j * stride + i] *= scale;
      a[i * stride + j] = a[j * stride + i];
    }
    for (Size i = n; i < stride; ++i) a[j * stride + i] = 0.0;
  }
  tridiagonalise(n, a, stride, values, e, u, p);
  diagonalise(n, a, stride, values, e, u, p);
  for (Size i = 0; i < n; ++i) values[i] /= scale;
}

}  // namespace
}  // namespace roipca::linalg::ROIPCA_LEVEL
