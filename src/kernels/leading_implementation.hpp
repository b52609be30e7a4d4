// The leading eigenpairs of Q D Q^T + X^T X where D outweighs X, for one instruction set. Included behind
// eigen_implementation.hpp, under the same rules.
#include <cstddef>

namespace roipca::kernels::ROIPCA_KERNEL_NAMESPACE {
namespace {

// A column-major matrix whose columns are a multiple of 8 numbers apart; what pads a column may be anything
// finite.
struct Block {
  double* data;
  Size stride;

  double* column(Size j) const { return data + j * stride; }
  double& operator()(Size i, Size j) const { return data[j * stride + i]; }
};

constexpr Size pad(Size n) { return (n + 7) / 8 * 8; }

// kRows vectors by kColumns of base + sign * A B.
template <Size kRows, Size kColumns>
void multiply_tile(Block a, Block b, Size depth, Block base, double sign, Block out, Size row, Size column) {
  Vec<double> acc[kRows][kColumns] = {};
  for (Size l = 0; l < depth; ++l) {
    Vec<double> x[kRows];
    for (Size r = 0; r < kRows; ++r) x[r] = load(a.column(l) + row + r * kDoubles);
    for (Size c = 0; c < kColumns; ++c) {
      const double y = b(l, column + c);
      for (Size r = 0; r < kRows; ++r) acc[r][c] += x[r] * y;
    }
  }
  for (Size c = 0; c < kColumns; ++c) {
    for (Size r = 0; r < kRows; ++r) {
      const Size i = row + r * kDoubles;
      const Vec<double> from = base.data == nullptr ? Vec<double>{} : load(base.column(column + c) + i);
      store(out.column(column + c) + i, from + sign * acc[r][c]);
    }
  }
}

template <Size kColumns>
void multiply_columns(Size rows, Block a, Block b, Size depth, Block base, double sign, Block out,
                      Size column) {
  Size row = 0;
  for (; row + 2 * kDoubles <= rows; row += 2 * kDoubles) {
    multiply_tile<2, kColumns>(a, b, depth, base, sign, out, row, column);
  }
  for (; row < rows; row += kDoubles) {
    multiply_tile<1, kColumns>(a, b, depth, base, sign, out, row, column);
  }
}

// out = base + sign * A B, where A has `rows` (padded) rows and `depth` columns, and base may be null.
void multiply(Size rows, Size columns, Size depth, Block a, Block b, Block base, double sign, Block out) {
  Size column = 0;
  for (; column + 4 <= columns; column += 4) {
    multiply_columns<4>(rows, a, b, depth, base, sign, out, column);
  }
  for (; column < columns; ++column) multiply_columns<1>(rows, a, b, depth, base, sign, out, column);
}

// What pads the columns of `to` is zero.
void transpose(Size rows, Size columns, Block from, Block to) {
  for (Size i = 0; i < rows; ++i) {
    double* column = to.column(i);
    for (Size j = 0; j < columns; ++j) column[j] = from(i, j);
    for (Size j = columns; j < to.stride; ++j) column[j] = 0.0;
  }
}

constexpr Block kNone = {nullptr, 0};

// A bound of the eigenvalues of a symmetric matrix.
double norm_bound(Size n, Block a) {
  double widest = 0.0;
  double squares = 0.0;
  for (Size j = 0; j < n; ++j) {
    double row = 0.0;
    for (Size i = 0; i < n; ++i) {
      row += magnitude(a(i, j));
      squares += a(i, j) * a(i, j);
    }
    widest = row > widest ? row : widest;
  }
  const double frobenius = root(squares);
  return widest < frobenius ? widest : frobenius;
}

// L L^T = A, in the lower triangle of a.
void factorise(Size n, Block a) {
  for (Size j = 0; j < n; ++j) {
    double* column = a.column(j);
    const double inverse = 1.0 / root(column[j]);
    const Size from = j / kDoubles * kDoubles;
    for (Size i = from; i < a.stride; i += kDoubles) store(column + i, load(column + i) * inverse);
    for (Size c = j + 1; c < n; ++c) {
      double* target = a.column(c);
      const double factor = column[c];
      for (Size i = c / kDoubles * kDoubles; i < a.stride; i += kDoubles) {
        store(target + i, load(target + i) - factor * load(column + i));
      }
    }
  }
}

// N = L^(-T).
void invert(Size n, Block l, Block inverse) {
  for (Size j = 0; j < n; ++j) {
    double* to = inverse.column(j);
    for (Size i = 0; i < inverse.stride; ++i) to[i] = 0.0;
    to[j] = 1.0;
    const Size used = pad(j + 1);
    for (Size c = 0; c < j; ++c) {
      const double factor = l(j, c);
      const double* from = inverse.column(c);
      for (Size i = 0; i < used; i += kDoubles) store(to + i, load(to + i) - factor * load(from + i));
    }
    const double scale = 1.0 / l(j, j);
    for (Size i = 0; i < used; i += kDoubles) store(to + i, load(to + i) * scale);
  }
}

constexpr int kMostSteps = 60;
constexpr double kSlowest =
    0.7;  // a step that leaves more than this of the last one's change is not worth it

// The state of the iteration below: c and rest change, the others are given.
struct Subspace {
  Size k;
  Size b;
  const double* d;
  Block y;         // b x k
  Block weighted;  // D Y^T
  Block c;         // b x k
  Block step;      // b x k, scratch
  Block rest;      // K - C D Y^T
  Block gain;      // b x k: by which a residual moves C
};

// One step for the columns of C from `first` on. Returns the largest change of an entry, and in `moved` the
// first column that changed by more than `tolerance`.
double iterate(const Subspace& s, Size first, double tolerance, Size& moved) {
  const Size active = s.k - first;
  const Block c = {s.c.column(first), s.c.stride};
  const Block step = {s.step.column(first), s.step.stride};
  const Block y = {s.y.column(first), s.y.stride};
  multiply(c.stride, active, s.b, s.rest, c, y, 1.0, step);
  double largest = 0.0;
  moved = s.k;
  for (Size j = 0; j < active; ++j) {
    const double value = s.d[first + j];
    Vec<double> worst = {};
    for (Size i = 0; i < c.stride; i += kDoubles) {
      const Vec<double> old = load(c.column(j) + i);
      const Vec<double> change =
          (load(step.column(j) + i) - value * old) * load(s.gain.column(first + j) + i);
      const Vec<double> size = change < 0.0 ? -change : change;
      worst = size <= worst ? worst : size;  // also a NaN
      store(step.column(j) + i, change);
      store(c.column(j) + i, old + change);
    }
    double column = 0.0;
    for (Size i = 0; i < kDoubles; ++i) column = worst[i] <= column ? column : worst[i];
    largest = column <= largest ? largest : column;
    if (moved == s.k && !(column <= tolerance)) moved = first + j;
  }
  if (moved == s.k && first == 0) return largest;  // converged: nobody needs the rest any more
  // What the rows of `weighted` from `first` on are is a column's offset, not a block's.
  const Block weighted = {s.weighted.data + first, s.weighted.stride};
  multiply(s.rest.stride, s.b, active, step, weighted, s.rest, -1.0, s.rest);
  return largest;
}

// Solves C D = Y + (K - C D Y^T) C by iteration. Columns of a large D converge first, and are left alone
// until the others have converged as well.
bool find_subspace(const Subspace& s, double tolerance) {
  Size first = 0;
  double last = 0.0;
  for (int step = 0; step < kMostSteps; ++step) {
    Size moved = 0;
    const double change = iterate(s, first, tolerance, moved);
    if (moved == s.k) {
      if (first == 0) return true;
      first = 0;
      last = 0.0;
      continue;
    }
    if (!(change < 1e100) || (last > 0.0 && !(change < kSlowest * last))) return false;
    first = moved;
    last = change;
  }
  return false;
}

// A = L U in place, L of diagonal 1. For matrices near to a positive definite one: nothing is exchanged.
bool factorise_near_symmetric(Size n, Block a, double* below) {
  for (Size j = 0; j < n; ++j) {
    double* column = a.column(j);
    if (!(column[j] > 0.0)) return false;
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
  return true;
}

// X <- X (L U)^(-1).
void divide(Size n, Block lu, Block x) {
  const auto subtract = [&x](Size from, double factor, Size to) {
    for (Size i = 0; i < x.stride; i += kDoubles) {
      store(x.column(to) + i, load(x.column(to) + i) - factor * load(x.column(from) + i));
    }
  };
  for (Size j = 0; j < n; ++j) {
    for (Size c = 0; c < j; ++c) subtract(c, lu(c, j), j);
    const double inverse = 1.0 / lu(j, j);
    for (Size i = 0; i < x.stride; i += kDoubles) store(x.column(j) + i, load(x.column(j) + i) * inverse);
  }
  for (Size j = n - 1; j >= 0; --j) {
    for (Size c = j + 1; c < n; ++c) subtract(c, lu(c, j), j);
  }
}

Size leading_work(Size k, Size b) {
  const Size pk = pad(k);
  const Size pb = pad(b);
  return 4 * pb * k + 2 * pb * b + 2 * pk * b + 4 * pk * k + 3 * pk;
}

bool solve_leading(Size k, Size b, const double* d, const double* y_rows, Size y_stride, const double* k_rows,
                   Size k_stride, double tolerance, double* values, double* coefficients,
                   Size coefficient_stride, double* work) {
  const Size pk = pad(k);
  const Size pb = pad(b);
  const double least = d[k - 1];
  if (!(least > 0x1p-900) || !(d[0] < 0x1p900)) return false;
  double* free = work;
  const auto take = [&free](Size rows, Size columns) {
    const Block block = {free, rows};
    free += rows * columns;
    return block;
  };
  const Block y = take(pb, k);
  const Block c = take(pb, k);
  const Block scratch = take(pb, k);
  const Block gain = take(pb, k);
  const Block products = take(pb, b);
  const Block rest = take(pb, b);
  const Block y_t = take(pk, b);
  const Block other_t = take(pk, b);  // D Y^T, and then C^T
  const Block inner = take(pk, k);
  const Block gram = take(pk, k);
  const Block normal = take(pk, k);
  const Block small = take(pk, k);

  for (Size i = 0; i < b; ++i) {
    double* row = y_t.column(i);
    double* weighted = other_t.column(i);
    for (Size j = 0; j < k; ++j) row[j] = y_rows[i * y_stride + j];
    for (Size j = 0; j < k; ++j) weighted[j] = d[j] * row[j];
    for (Size j = k; j < pk; ++j) row[j] = weighted[j] = 0.0;
    for (Size j = 0; j <= i; ++j) products(i, j) = products(j, i) = k_rows[i * k_stride + j];
    for (Size j = b; j < pb; ++j) products(j, i) = 0.0;
  }
  transpose(k, b, y_t, y);
  for (Size j = 0; j < k; ++j) {
    const double inverse = 1.0 / d[j];
    for (Size i = 0; i < pb; i += kDoubles) store(c.column(j) + i, load(y.column(j) + i) * inverse);
  }
  // What the rows leave outside of the components, R = X - Y Q^T: no eigenvalue behind the k-th is larger
  // than the norm of R R^T, and none of the first k smaller than D's.
  multiply(pb, b, k, y, y_t, products, -1.0, rest);
  const double bound = norm_bound(b, rest);
  if (!(bound < least)) return false;
  // Rows that have little in common outside of the components leave R R^T nearly diagonal.
  for (Size j = 0; j < k; ++j) {
    for (Size i = 0; i < pb; ++i) gain(i, j) = 1.0 / (d[j] - (i < b ? rest(i, i) : 0.0));
  }
  // A change of C moves a component by that times rows of R.
  if (!find_subspace({k, b, d, y, other_t, c, scratch, rest, gain}, tolerance / root(bound + 0x1p-1000))) {
    return false;
  }

  // [Q, X^T] [I; C] spans the subspace, and so does Z = Q + R^T C E^(-1) for E = I + Y^T C, whose columns are
  // orthogonal but for C. That is how C is meant from here on.
  multiply(pk, k, b, y_t, c, kNone, 1.0, inner);
  for (Size j = 0; j < k; ++j) {
    inner(j, j) += 1.0;
    for (Size i = 0; i < pk; ++i) inner(i, j) *= d[j];
    for (Size i = 0; i < pb; ++i) c(i, j) *= d[j];
  }
  if (!factorise_near_symmetric(k, inner, free)) return false;
  divide(k, inner, c);

  // With F = X Z = Y + R R^T C, what Q D Q^T + X^T X is on the subspace is D + F^T F, and Z^T Z = I + C^T R
  // R^T C.
  multiply(pb, b, k, y, y_t, products, -1.0, rest);
  multiply(pb, k, b, rest, c, kNone, 1.0, scratch);
  transpose(b, k, c, other_t);
  multiply(pk, k, b, other_t, scratch, kNone, 1.0, gram);
  for (Size j = 0; j < k; ++j) {
    gram(j, j) += 1.0;
    for (Size i = k; i < pk; ++i) gram(i, j) = 0.0;
    for (Size i = 0; i < pb; i += kDoubles) {
      store(scratch.column(j) + i, load(scratch.column(j) + i) + load(y.column(j) + i));
    }
  }
  transpose(b, k, scratch, other_t);
  multiply(pk, k, b, other_t, scratch, kNone, 1.0, small);
  for (Size j = 0; j < k; ++j) small(j, j) += d[j];

  // In the orthonormal basis Z L^(-T), L L^T = Z^T Z.
  factorise(k, gram);
  invert(k, gram, normal);
  multiply(pk, k, k, small, normal, kNone, 1.0, inner);
  transpose(k, k, normal, gram);
  multiply(pk, k, k, gram, inner, kNone, 1.0, small);
  solve_eigen(k, small.data, pk, values, free);
  for (Size j = 0; j < k; ++j) {
    if (!(values[j] > bound)) return false;  // an invariant subspace, but another one
  }
  multiply(pk, k, k, normal, small, kNone, 1.0, inner);
  multiply(pb, k, k, c, inner, kNone, 1.0, scratch);
  multiply(pk, k, b, y_t, scratch, inner, -1.0, inner);
  for (Size j = 0; j < k; ++j) {
    double* column = coefficients + j * coefficient_stride;
    for (Size i = 0; i < k; ++i) column[i] = inner(i, j);
    for (Size i = 0; i < b; ++i) column[k + i] = scratch(i, j);
  }
  return true;
}

}  // namespace
}  // namespace roipca::kernels::ROIPCA_KERNEL_NAMESPACE
