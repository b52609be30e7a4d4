// Loops over small matrices, for one level: see simd/vectors.hpp.
#pragma once

#include "simd/vectors.hpp"

namespace roipca::linalg::ROIPCA_LEVEL {
namespace {

using simd::ROIPCA_LEVEL::load;
using simd::ROIPCA_LEVEL::Size;
using simd::ROIPCA_LEVEL::store;
using simd::ROIPCA_LEVEL::sum;
using simd::ROIPCA_LEVEL::Vec;

constexpr Size kDoubles = simd::ROIPCA_LEVEL::Lanes<double>::kCount;
double root(double x) { return __builtin_sqrt(x); }
double magnitude(double x) { return __builtin_fabs(x); }
double with_sign(double size, double sign) { return __builtin_copysign(size, sign); }

// A column-major matrix whose columns are a multiple of 8 numbers apart. The padding of a column may have any
// finite values.
struct Block {
  double* data;
  Size stride;

  double* column(Size j) const { return data + j * stride; }
  Block from(Size j) const { return {column(j), stride}; }
  double& operator()(Size i, Size j) const { return data[j * stride + i]; }
};

constexpr Size pad(Size n) { return (n + 7) / 8 * 8; }
// Clamps n to [0, most].
constexpr Size clamp(Size n, Size most) { return n < 0 ? 0 : n < most ? n : most; }

// The known structure of a product A B: parts that are zero are left out of the sums, and of a symmetric
// result only the lower triangle is computed, and then mirrored.
struct Shape {
  bool lower_a = false;
  bool lower_b = false;
  bool upper_b = false;
  bool symmetric = false;
  bool lower_only = false;  // the result is symmetric, and is not mirrored
};

constexpr Size kTileRows = 3;  // in vectors
constexpr Size kTileColumns = 4;
constexpr Size kPackedDepth = 256;
// Minimum number of columns for which a strip of A is packed first, because its columns are far apart.
constexpr Size kColumnsToPack = 16;

// Adds the products over `depth` to a tile of kRows vectors by kColumns columns: out = base + sign * A B.
template <Size kRows, Size kColumns>
void multiply_tile(const double* a, Size a_step, Block b, Size depth, Block base, double sign, Block out) {
  Vec<double> acc[kRows][kColumns] = {};
  for (Size l = 0; l < depth; ++l) {
    Vec<double> x[kRows];
    for (Size r = 0; r < kRows; ++r) x[r] = load(a + l * a_step + r * kDoubles);
    for (Size c = 0; c < kColumns; ++c) {
      const double y = b(l, c);
      for (Size r = 0; r < kRows; ++r) acc[r][c] += x[r] * y;
    }
  }
  for (Size c = 0; c < kColumns; ++c) {
    for (Size r = 0; r < kRows; ++r) {
      const Size i = r * kDoubles;
      const Vec<double> from = base.data == nullptr ? Vec<double>{} : load(base.column(c) + i);
      store(out.column(c) + i, from + sign * acc[r][c]);
    }
  }
}

// Computes one strip of kRows vectors of rows, from `row` on, over the columns [first, first + depth) of A.
template <Size kRows>
void multiply_strip(Size row, Size columns, Size first, Size depth, Block a, Block b, Block base, double sign,
                    Block out, Shape shape) {
  const double* strip = a.column(first) + row;
  Size step = a.stride;
  if (shape.lower_a) depth = clamp(row + kRows * kDoubles - first, depth);
  alignas(64) double packed[kPackedDepth * kTileRows * kDoubles];
  if (columns >= kColumnsToPack) {
    step = kRows * kDoubles;
    for (Size l = 0; l < depth; ++l) {
      for (Size r = 0; r < step; r += kDoubles) store(packed + l * step + r, load(strip + l * a.stride + r));
    }
    strip = packed;
  }
  for (Size column = 0; column < columns;) {
    const Size wide = column + kTileColumns <= columns ? kTileColumns : 1;
    if ((shape.symmetric || shape.lower_only) && column >= row + kRows * kDoubles) return;
    const Size to = shape.upper_b ? clamp(column + wide - first, depth) : depth;
    const Size from = shape.lower_b ? clamp(column - first, to) : 0;
    const Block of_b = {b.column(column) + first + from, b.stride};
    const Block of_base = base.data == nullptr ? base : Block{base.column(column) + row, base.stride};
    const Block of_out = {out.column(column) + row, out.stride};
    if (wide == kTileColumns) {
      multiply_tile<kRows, kTileColumns>(strip + from * step, step, of_b, to - from, of_base, sign, of_out);
    } else {
      multiply_tile<kRows, 1>(strip + from * step, step, of_b, to - from, of_base, sign, of_out);
    }
    column += wide;
  }
}

// Copies the lower triangle to the upper one.
void mirror(Size n, Block a) {
  for (Size j = 0; j < n; ++j) {
    for (Size i = j + 1; i < n; ++i) a(j, i) = a(i, j);
  }
}

// Computes out = base + sign * A B, where A has `rows` (padded) rows and `depth` columns. `base` may be null.
void multiply(Size rows, Size columns, Size depth, Block a, Block b, Block base, double sign, Block out,
              Shape shape = {}) {
  for (Size first = 0; first == 0 || first < depth; first += kPackedDepth) {
    const Size length = depth - first < kPackedDepth ? depth - first : kPackedDepth;
    // Three vectors at a time, and the rest two at a time: a single one would leave registers unused.
    const Size vectors = rows / kDoubles;
    const Size pairs = vectors % 3 == 0 ? 0 : vectors % 3 == 2 ? 1 : 2;
    Size row = 0;
    for (; row + (2 * pairs + 3) * kDoubles <= rows; row += 3 * kDoubles) {
      multiply_strip<3>(row, columns, first, length, a, b, base, sign, out, shape);
    }
    for (; row + 2 * kDoubles <= rows; row += 2 * kDoubles) {
      multiply_strip<2>(row, columns, first, length, a, b, base, sign, out, shape);
    }
    for (; row < rows; row += kDoubles) {
      multiply_strip<1>(row, columns, first, length, a, b, base, sign, out, shape);
    }
    base = out;
  }
  if (shape.symmetric) mirror(columns, out);
}

// Transposes a matrix. The padding of the columns of `to` is set to zero.
void transpose(Size rows, Size columns, Block from, Block to) {
  for (Size i = 0; i < rows; ++i) {
    double* column = to.column(i);
    for (Size j = 0; j < columns; ++j) column[j] = from(i, j);
    for (Size j = columns; j < to.stride; ++j) column[j] = 0.0;
  }
}

constexpr Block kNone = {nullptr, 0};

// Both arrays must start at a vector boundary; `from` and `to` must be multiples of a vector.
double dot(const double* a, const double* b, Size from, Size to) {
  Vec<double> acc = {};
  for (Size i = from; i < to; i += kDoubles) acc += load(a + i) * load(b + i);
  return sum<double>(acc);
}

// Returns a bound on the magnitude of the eigenvalues of a symmetric matrix.
double norm_bound(Size n, Block a) {
  double widest = 0.0;
  Vec<double> squares = {};
  for (Size j = 0; j < n; ++j) {
    Vec<double> sizes = {};
    for (Size i = 0; i < a.stride; i += kDoubles) {
      const Vec<double> x = load(a.column(j) + i);
      sizes += x < 0.0 ? -x : x;
      squares += x * x;
    }
    const double row = sum<double>(sizes);
    widest = row > widest ? row : widest;
  }
  const double frobenius = root(sum<double>(squares));
  return widest < frobenius ? widest : frobenius;
}

// Subtracts sum_c factors[c * step] from_c, for c in [first, last), from one column.
void subtract_columns(Block from, Size first, Size last, const double* factors, Size step, Size rows,
                      double* to) {
  constexpr Size kChunk = 4;
  Size i = 0;
  for (; i + kChunk * kDoubles <= rows; i += kChunk * kDoubles) {
    Vec<double> acc[kChunk];
    for (Size v = 0; v < kChunk; ++v) acc[v] = load(to + i + v * kDoubles);
    for (Size c = first; c < last; ++c) {
      const double factor = factors[c * step];
      for (Size v = 0; v < kChunk; ++v) acc[v] -= factor * load(from.column(c) + i + v * kDoubles);
    }
    for (Size v = 0; v < kChunk; ++v) store(to + i + v * kDoubles, acc[v]);
  }
  for (; i < rows; i += kDoubles) {
    Vec<double> acc = load(to + i);
    for (Size c = first; c < last; ++c) acc -= factors[c * step] * load(from.column(c) + i);
    store(to + i, acc);
  }
}

void scale_column(double factor, Size rows, double* column) {
  for (Size i = 0; i < rows; i += kDoubles) store(column + i, load(column + i) * factor);
}

// Factors A = L L^T in the lower triangle of a. Returns false if A is not positive definite.
bool factorise(Size n, Block a) {
  for (Size j = 0; j < n; ++j) {
    const Size from = j / kDoubles * kDoubles;
    double* column = a.column(j);
    subtract_columns({a.data + from, a.stride}, 0, j, a.data + j, a.stride, a.stride - from, column + from);
    if (!(column[j] > 0.0)) return false;
    scale_column(1.0 / root(column[j]), a.stride - from, column + from);
  }
  return true;
}

// Computes L^(-T).
void invert(Size n, Block l, Block inverse) {
  for (Size j = 0; j < n; ++j) {
    double* to = inverse.column(j);
    for (Size i = 0; i < inverse.stride; ++i) to[i] = 0.0;
    to[j] = 1.0;
    subtract_columns(inverse, 0, j, l.data + j, l.stride, pad(j + 1), to);
    scale_column(1.0 / l(j, j), pad(j + 1), to);
  }
}

// Factors A = L U in place, where L has a unit diagonal. There is no pivoting: the caller checks the result.
void factorise_near_identity(Size n, Block a, double* below) {
  for (Size j = 0; j < n; ++j) {
    double* column = a.column(j);
    const double inverse = 1.0 / column[j];
    const Size from = j / kDoubles * kDoubles;
    for (Size i = from; i <= j; ++i) below[i] = 0.0;
    for (Size i = j + 1; i < n; ++i) below[i] = column[i] *= inverse;
    for (Size i = n; i < a.stride; ++i) below[i] = 0.0;
    for (Size c = j + 1; c < n; ++c) {
      double* target = a.column(c);
      const double factor = target[j];
      for (Size i = from; i < a.stride; i += kDoubles) {
        store(target + i, load(target + i) - factor * load(below + i));
      }
    }
  }
}

// Sets X <- X (L U)^(-1).
void divide(Size n, Block lu, Block x) {
  for (Size j = 0; j < n; ++j) {
    subtract_columns(x, 0, j, lu.column(j), 1, x.stride, x.column(j));
    scale_column(1.0 / lu(j, j), x.stride, x.column(j));
  }
  for (Size j = n - 1; j >= 0; --j) {
    subtract_columns(x, j + 1, n, lu.column(j), 1, x.stride, x.column(j));
  }
}

void copy(Size columns, Block from, Block to) {
  for (Size i = 0; i < columns * to.stride; i += kDoubles) store(to.data + i, load(from.data + i));
}

void add_to_diagonal(Size n, double x, Block a) {
  for (Size i = 0; i < n; ++i) a(i, i) += x;
}

// out = a + factor * b
void add_scaled(Size columns, Block a, double factor, Block b, Block out) {
  for (Size i = 0; i < columns * out.stride; i += kDoubles) {
    store(out.data + i, load(a.data + i) + factor * load(b.data + i));
  }
}

double largest(Vec<double> sizes) {
  double most = 0.0;
  for (Size i = 0; i < kDoubles; ++i) most = sizes[i] <= most ? most : sizes[i];
  return most;
}

double largest(Size columns, Block a) {
  Vec<double> worst = {};
  for (Size i = 0; i < columns * a.stride; i += kDoubles) {
    const Vec<double> x = load(a.data + i);
    const Vec<double> size = x < 0.0 ? -x : x;
    worst = size <= worst ? worst : size;  // a NaN is kept
  }
  return largest(worst);
}

// Replaces a column by another, and returns the largest change of an entry.
double take_step(Block from, Block to) {
  Vec<double> worst = {};
  for (Size i = 0; i < to.stride; i += kDoubles) {
    const Vec<double> change = load(from.data + i) - load(to.data + i);
    const Vec<double> size = change < 0.0 ? -change : change;
    worst = size <= worst ? worst : size;  // a NaN is kept
    store(to.data + i, load(from.data + i));
  }
  return largest(worst);
}

}  // namespace
}  // namespace roipca::linalg::ROIPCA_LEVEL
