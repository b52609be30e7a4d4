// The eigenproblem of small symmetric matrices, for one level: see simd/vectors.hpp.
#pragma once

#include "linalg/matrix_loops.hpp"

namespace roipca::linalg::ROIPCA_LEVEL {
namespace {

constexpr double kHalfUlp = 0x1p-53;
constexpr int kMostSweeps = 60;  // a value takes two on average, and fewer than ten in all tests

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
      // A reflector with h = 0 is the identity.
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

// The rotations of one sweep, over the columns [low, high].
struct Sweep {
  Size low;
  Size high;
  double* cosine;
  double* sine;
};

// Applies the rotations of a sweep, kVectors rows of the matrix at a time. The column that two successive
// rotations share stays in registers.
template <Size kVectors>
void apply_sweep(double* a, Size stride, const Sweep& sweep) {
  Vec<double> carried[kVectors];
  for (Size v = 0; v < kVectors; ++v) carried[v] = load(a + sweep.high * stride + v * kDoubles);
  for (Size i = sweep.high - 1; i >= sweep.low; --i) {
    double* left = a + i * stride;
    const double c = sweep.cosine[i];
    const double s = sweep.sine[i];
    for (Size v = 0; v < kVectors; ++v) {
      const Vec<double> x = load(left + v * kDoubles);
      store(left + stride + v * kDoubles, s * x + c * carried[v]);
      carried[v] = c * x - s * carried[v];
    }
  }
  for (Size v = 0; v < kVectors; ++v) store(a + sweep.low * stride + v * kDoubles, carried[v]);
}

// Rotates columns i and i + 1.
void apply_rotation(double* a, Size stride, Size i, double c, double s) {
  double* left = a + i * stride;
  for (Size row = 0; row < stride; row += kDoubles) {
    const Vec<double> x = load(left + row);
    const Vec<double> y = load(left + stride + row);
    store(left + stride + row, s * x + c * y);
    store(left + row, c * x - s * y);
  }
}

void apply_sweep_to_all(double* a, Size stride, const Sweep& sweep) {
  Size row = 0;
  for (; row + 4 * kDoubles <= stride; row += 4 * kDoubles) apply_sweep<4>(a + row, stride, sweep);
  for (; row + 2 * kDoubles <= stride; row += 2 * kDoubles) apply_sweep<2>(a + row, stride, sweep);
  for (; row + kDoubles <= stride; row += kDoubles) apply_sweep<1>(a + row, stride, sweep);
}

// Applies each sweep while the next one is computed: computing a rotation is one long chain of roots and
// quotients, during which the vector units would be idle. If columns are so long that the vector units are
// the bottleneck, a sweep is applied at once. Both ways give the same bits.
class Sweeps {
 public:
  static constexpr Size kShortColumn = 32 * kDoubles;

  // `work` has room for four columns.
  Sweeps(double* a, Size stride, double* work)
      : a_(a), stride_(stride), last_{0, 0, work, work + stride}, room_(work + 2 * stride) {}

  // Returns a sweep with memory for its rotations.
  Sweep next() const { return {0, 0, room_, room_ + stride_}; }

  // Called for each rotation of the next sweep.
  void advance() {
    if (place_ < last_.low) return;
    apply_rotation(a_, stride_, place_, last_.cosine[place_], last_.sine[place_]);
    --place_;
  }

  void add(const Sweep& sweep) {
    finish();
    if (stride_ > kShortColumn) return apply_sweep_to_all(a_, stride_, sweep);
    room_ = last_.cosine;
    last_ = sweep;
    place_ = sweep.high - 1;
  }

  void finish() {
    while (place_ >= last_.low) advance();
  }

 private:
  double* a_;
  Size stride_;
  Sweep last_;
  double* room_;
  Size place_ = -1;  // position of its next rotation
};

// Implicit QL with Wilkinson's shift.
void diagonalise(Size n, double* a, Size stride, double* d, double* e, double* work) {
  Sweeps sweeps(a, stride, work);
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
      Sweep found = sweeps.next();
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
        found.cosine[i] = c;
        found.sine[i] = s;
        sweeps.advance();
      }
      const bool split = i >= l;
      found.low = i + 1;
      found.high = m;
      sweeps.add(found);
      if (split) {
        d[i + 1] -= p;
      } else {
        d[l] -= p;
        e[l] = g;
      }
      e[m] = 0.0;
    }
  }
  sweeps.finish();
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
  diagonalise(n, a, stride, values, e, u);
  for (Size i = 0; i < n; ++i) values[i] /= scale;
}

}  // namespace
}  // namespace roipca::linalg::ROIPCA_LEVEL
