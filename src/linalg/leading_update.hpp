// Computes the leading subspace of Q D Q^T + X^T X if D outweighs X. For one level: see simd/vectors.hpp.
#pragma once

#include "linalg/matrix_loops.hpp"
#include "linalg/operations.hpp"

namespace roipca::linalg::ROIPCA_LEVEL {
namespace {

constexpr int kMostSteps = 40;
constexpr double kSlowest = 0.9;  // slowest rate of convergence at which the iteration is worth its cost
// Largest distance of M from the identity, in the Frobenius norm: products with Z are then less accurate than
// those with Q by at most three bits.
constexpr double kFarthest = 8.0;
constexpr Size kFirstStep = 8;  // number of components whose part in an update is decided together
// The part of the scatter that is not held changes a step by its ratio to an eigenvalue of D. The iteration
// may leave this fraction of that change as an error.
constexpr double kOfUnheld = 0.1;
constexpr double kUnexpected = 4.0;  // factor on the rate of convergence that the quadratic term may cause

// The matrices of one update: k x k for the components, b x b for the rows, and b x k or k x b (_t) between
// the two.
struct LeadingMatrices {
  Size k;
  Size b;
  Block y, c, next, f, scratch;
  Block y_t, other_t;
  Block rest;                 // R R^T - shift I
  Block power, higher_power;  // its powers
  Block along;                // C Y^T
  Block factors, inverse, inner, small, normal, turned;
  Block mixed;   // k + b rows
  double* line;  // k numbers

  LeadingMatrices(Size components, Size rows, double* work) : k(components), b(rows) {
    y = take(b, k, work);
    c = take(b, k, work);
    next = take(b, k, work);
    f = take(b, k, work);
    scratch = take(b, k, work);
    y_t = take(k, b, work);
    other_t = take(k, b, work);
    rest = take(b, b, work);
    power = take(b, b, work);
    higher_power = take(b, b, work);
    along = take(b, b, work);
    factors = take(k, k, work);
    inverse = take(k, k, work);
    inner = take(k, k, work);
    small = take(k, k, work);
    normal = take(k, k, work);
    turned = take(k, k, work);
    mixed = take(k + b, k, work);
    line = work;
  }

 private:
  static Block take(Size height, Size columns, double*& free) {
    const Block block = {free, pad(height)};
    free += pad(height) * columns;
    return block;
  }
};

Size leading_work(Size k, Size b) {
  return 5 * pad(b) * k + 2 * pad(k) * b + 4 * pad(b) * b + 6 * pad(k) * k + pad(k + b) * k + pad(k);
}

// Computes Y = X Q = (X Z) M, and Y^T.
void project(const LeadingUpdate& update, const LeadingMatrices& s) {
  for (Size j = 0; j < s.k; ++j) {
    double* column = s.scratch.column(j);
    for (Size i = 0; i < s.b; ++i) column[i] = update.dots[i * update.dots_stride + j];
    for (Size i = s.b; i < s.scratch.stride; ++i) column[i] = 0.0;
  }
  multiply(s.y.stride, s.k, s.k, s.scratch, {update.normal, update.stride}, kNone, 1.0, s.y);
  transpose(s.b, s.k, s.y, s.y_t);
}

// Computes R R^T = X X^T - Y Y^T minus a multiple of the identity, which it returns. R = X - Y Q^T is the
// part of the rows outside of the components; if rows have little in common there, R R^T is nearly diagonal.
double find_rest(const LeadingUpdate& update, const LeadingMatrices& s) {
  for (Size i = 0; i < s.b; ++i) {
    const double* row = update.products + i * update.products_stride;
    for (Size j = 0; j <= i; ++j) s.rest(i, j) = s.rest(j, i) = row[j];
    for (Size j = s.b; j < s.rest.stride; ++j) s.rest(j, i) = 0.0;
  }
  multiply(s.rest.stride, s.b, s.k, s.y, s.y_t, s.rest, -1.0, s.rest, {.symmetric = true});
  double most = s.rest(0, 0);
  double least = most;
  for (Size i = 1; i < s.b; ++i) {
    most = s.rest(i, i) > most ? s.rest(i, i) : most;
    least = s.rest(i, i) < least ? s.rest(i, i) : least;
  }
  const double shift = 0.5 * (most + least);
  add_to_diagonal(s.b, -shift, s.rest);
  return shift;
}

// Computes out = F (L L^T)^(-1) for the columns from `first` on, where `normal` is L^(-T) and `turned` is
// L^(-1).
void divide_by_factors(Size first, const LeadingMatrices& s, Block out) {
  const Size active = s.k - first;
  const Block halfway = s.scratch.from(first);
  multiply(halfway.stride, active, s.k, s.f, s.normal.from(first), kNone, 1.0, halfway,
           {.upper_b = first == 0});
  const Block rest_of_turned = {s.turned.column(first) + first, s.turned.stride};
  multiply(out.stride, active, active, halfway, rest_of_turned, kNone, 1.0, out.from(first),
           {.lower_b = true});
}

// Takes one step for the columns of C from `first` on. Returns the largest change of an entry, and in `moved`
// the first column that changed by more than the tolerance.
double iterate(Size first, double shift, double tolerance, LeadingMatrices& s, Size& moved) {
  const Size active = s.k - first;
  const Block c = s.c.from(first);
  const Block f = s.f.from(first);
  const Block next = s.next.from(first);
  multiply(f.stride, active, s.b, s.rest, c, kNone, 1.0, f);
  add_scaled(active, f, shift, c, next);  // R R^T C
  multiply(s.along.stride, s.b, s.k, s.c, s.y_t, kNone, 1.0, s.along);
  add_scaled(active, f, 1.0, s.y.from(first), f);
  multiply(f.stride, active, s.b, s.along, next, f, -1.0, f);
  divide_by_factors(first, s, s.next);
  double largest_change = 0.0;
  for (Size j = 0; j < active; ++j) {
    const Block column = {next.column(j), next.stride};
    const double change = take_step(column, c.from(j));
    largest_change = change <= largest_change ? largest_change : change;
    if (moved == s.k && !(change <= tolerance)) moved = first + j;
  }
  return largest_change;
}

// Returns a bound on the norm of R R^T - shift I. Bounds from the entries of a matrix can be too large by the
// root of its order, those from its fourth power by much less. The latter are worth the products if the rough
// bound would slow the iteration down.
double bound_rest(double wanted, const LeadingMatrices& s) {
  const double rough = norm_bound(s.b, s.rest);
  if (rough <= wanted) return rough;
  multiply(s.rest.stride, s.b, s.b, s.rest, s.rest, kNone, 1.0 / (rough * rough), s.power);
  multiply(s.rest.stride, s.b, s.b, s.power, s.power, kNone, 1.0, s.higher_power);
  return rough * root(root(norm_bound(s.b, s.higher_power)));
}

// Returns the number of steps after which the subspace is as accurate as the part of the scatter that is not
// held allows. It does not depend on the basis, so that other ways to compute the same subspace take as many
// steps.
int steps_that_are_enough(const LeadingUpdate& update, double rate) {
  const double left_out = update.unheld < update.least ? update.unheld / update.least : 1.0;
  double error = rate * rate;  // error of C after one step
  int steps = 1;
  for (; steps < kMostSteps && error > kOfUnheld * left_out; ++steps) error *= rate;
  return steps;
}

// Solves C (D + Y^T Y + Y^T R R^T C) = Y + R R^T C by iteration; Q + R^T C then spans an invariant subspace.
// Each step leaves about `rate` of the error, or more if the quadratic term matters.
bool find_subspace(const LeadingUpdate& update, double shift, double rate, double tolerance,
                   LeadingMatrices& s) {
  multiply(s.inner.stride, s.k, s.b, s.y_t, s.y, {update.inner, update.stride}, 1.0, s.inner,
           {.symmetric = true});
  add_to_diagonal(s.k, -shift, s.inner);
  if (!factorise(s.k, s.inner)) return false;
  invert(s.k, s.inner, s.normal);
  transpose(s.k, s.k, s.normal, s.turned);
  copy(s.k, s.y, s.f);
  divide_by_factors(0, s, s.c);
  Size first = 0;
  double last = largest(s.k, s.c);  // C is the result of one step from 0
  const int enough = steps_that_are_enough(update, rate);
  for (int step = 0; step < kMostSteps; ++step) {
    Size moved = s.k;
    const double change = iterate(first, shift, tolerance, s, moved);
    if (change == 0.0 && first == 0) return true;
    const bool as_expected = change <= kUnexpected * rate * last;
    if (step + 1 == enough && first == 0 && as_expected) return true;
    const double seen = change / last > rate ? change / last : rate;
    if (!(seen < 1.0)) return false;
    const bool done = change * seen <= tolerance * (1.0 - seen);
    if (done && first == 0) return true;
    // Columns that belong to large entries of D converge first. If others take long, those are left out until
    // the others have converged as well.
    first = done || step == 0 || moved == s.k ? 0 : moved;
    if (change == 0.0) continue;
    last = change;
  }
  return false;
}

// For the basis Q' = (Q + R^T C) L^(-T), where L L^T is the Gram matrix I + C^T R R^T C, computes L^(-T) and,
// in `small`, the matrix of Q D Q^T + X^T X in this basis: D + F^T F with F = X (Q + R^T C) = Y + R R^T C,
// divided by L on both sides. Returns false unless all eigenvalues of `small` are above the bound.
bool find_basis(const LeadingUpdate& update, double shift, double bound, const LeadingMatrices& s) {
  multiply(s.f.stride, s.k, s.b, s.rest, s.c, kNone, 1.0, s.f);
  add_scaled(s.k, s.f, shift, s.c, s.f);
  transpose(s.b, s.k, s.c, s.other_t);
  multiply(s.inner.stride, s.k, s.b, s.other_t, s.f, kNone, 1.0, s.inner, {.symmetric = true});
  const double growth = norm_bound(s.k, s.inner);
  add_to_diagonal(s.k, 1.0, s.inner);
  add_scaled(s.k, s.f, 1.0, s.y, s.f);
  transpose(s.b, s.k, s.f, s.other_t);
  multiply(s.small.stride, s.k, s.b, s.other_t, s.f, {update.inner, update.stride}, 1.0, s.small,
           {.symmetric = true});
  if (!factorise(s.k, s.inner)) return false;
  invert(s.k, s.inner, s.normal);
  transpose(s.k, s.k, s.normal, s.turned);
  multiply(s.inner.stride, s.k, s.k, s.small, s.normal, kNone, 1.0, s.inner, {.upper_b = true});
  multiply(s.small.stride, s.k, s.k, s.turned, s.inner, kNone, 1.0, s.small,
           {.lower_a = true, .symmetric = true});
  // D + F^T F is at least D, and L L^T is at most 1 + growth.
  if (update.least > bound * (1.0 + growth)) return true;
  copy(s.k, s.small, s.inner);
  add_to_diagonal(s.k, -bound, s.inner);
  return factorise(s.k, s.inner);
}

// Computes, for each i, the distance of the rows of A from row i on from those of the identity, in the
// Frobenius norm, into `line`.
void distances_from_identity(Size n, Block a, double* line) {
  for (Size i = 0; i < a.stride; ++i) line[i] = 0.0;
  for (Size j = 0; j < n; ++j) {
    const double one = a(j, j);
    a(j, j) -= 1.0;
    for (Size i = 0; i < a.stride; i += kDoubles) {
      store(line + i, load(line + i) + load(a.column(j) + i) * load(a.column(j) + i));
    }
    a(j, j) = one;
  }
  for (Size i = n - 2; i >= 0; --i) line[i] += line[i + 1];
  for (Size i = 0; i < n; ++i) line[i] = root(line[i]);
}

// Returns the largest norm of a column.
double longest_column(Size n, Block a) {
  double longest = 0.0;
  for (Size j = 0; j < n; ++j) {
    Vec<double> squares = {};
    for (Size i = 0; i < a.stride; i += kDoubles) squares += load(a.column(j) + i) * load(a.column(j) + i);
    const double length = sum<double>(squares);
    longest = length <= longest ? longest : length;  // a NaN is kept
  }
  return root(longest);
}

void set_identity(Size n, Block a) {
  for (Size j = 0; j < n; ++j) {
    for (Size i = 0; i < a.stride; ++i) a(i, j) = i == j ? 1.0 : 0.0;
  }
}

// Sets X <- X A^(-1). Returns false, and leaves X unchanged, if A or its inverse may be far from the
// identity. `distance` is the distance of A.
bool divide_near_identity(Size n, Block a, double distance, const LeadingMatrices& s, Block x) {
  const Block factors = {s.factors.data, pad(n)};
  for (Size j = 0; j < n; ++j) {
    for (Size i = 0; i < factors.stride; ++i) factors(i, j) = i < n ? a(i, j) : 0.0;
  }
  factorise_near_identity(n, factors, s.line);
  if (distance > 1.0 - 1.0 / kFarthest) {
    const Block inverse = {s.inverse.data, pad(n)};
    set_identity(n, inverse);
    divide(n, factors, inverse);
    distances_from_identity(n, inverse, s.line);
    if (!(s.line[0] < kFarthest)) return false;  // also for NaN
  }
  divide(n, factors, x);
  return true;
}

// Expresses Q' = (Q E + X^T C) L^(-T), with E = I - Y^T C, by Z and X. With G = M E and
//
//     T = [[I, 0], [G_21, G_22]]^(-1),  Z' = (Z G + X^T C) T = Z + Z_1 ((G T)_1 - I) + X^T C T
//
// only the first columns of Z, Z_1, and the rows take part, and M' is T^(-1) L^(-T). Rows with a large part
// along leading components need a few columns of Z to remove that part again; otherwise Z' would not be well
// conditioned. Returns the number of columns of Z_1, or kNoStep if a column of E is long: the part of the
// rows within the components would then be added to a component many times over, and removed again except for
// its rounding.
Size express(const LeadingUpdate& update, const LeadingMatrices& s) {
  multiply(s.inner.stride, s.k, s.b, s.y_t, s.c, kNone, -1.0, s.inner);
  add_to_diagonal(s.k, 1.0, s.inner);
  if (!(longest_column(s.k, s.inner) < kFarthest)) return kNoStep;
  copy(s.k, s.small, {update.inner, update.stride});
  const Block m = {update.normal, update.stride};
  const Block g = s.turned;
  multiply(g.stride, s.k, s.k, m, s.inner, kNone, 1.0, g);
  distances_from_identity(s.k, g, s.line);
  Size first = 0;
  while (first < s.k && !(s.line[first] < 0.5 * kFarthest)) first += kFirstStep;
  if (first > s.k) first = s.k;
  const double distance = first < s.k ? s.line[first] : 0.0;

  for (bool done = false; !done;) {
    const Size others = s.k - first;
    const Block mixed = {s.mixed.data, pad(first + s.b)};  // coefficients of Z_1 and of the rows
    for (Size j = 0; j < s.k; ++j) {
      for (Size i = 0; i < first; ++i) mixed(i, j) = g(i, j) - (i == j ? 1.0 : 0.0);
      for (Size i = 0; i < s.b; ++i) mixed(first + i, j) = s.c(i, j);
      for (Size i = first + s.b; i < mixed.stride; ++i) mixed(i, j) = 0.0;
    }
    const Block lower = {g.data + first, g.stride};
    done = others == 0 || divide_near_identity(others, lower.from(first), distance, s, mixed.from(first));
    if (!done) {
      first = s.k;
      continue;
    }
    multiply(mixed.stride, first, others, mixed.from(first), lower, mixed, -1.0, mixed);
    for (Size j = 0; j < s.k; ++j) {
      double* column = update.coefficients + j * update.coefficients_stride;
      for (Size i = 0; i < first + s.b; ++i) column[i] = mixed(i, j);
      for (Size i = 0; i < first; ++i) g(i, j) = i == j ? 1.0 : 0.0;
    }
  }
  multiply(m.stride, s.k, s.k, g, s.normal, kNone, 1.0, m, {.upper_b = true});
  return first;
}

Size advance_leading(const LeadingUpdate& update) {
  if (!(update.least > 0x1p-900) || !(update.inner[0] < 0x1p900)) return kNoStep;
  LeadingMatrices s(update.k, update.b, update.work);
  project(update, s);
  const double shift = find_rest(update, s);
  const double spread = bound_rest(0.01 * (update.least - shift), s);
  // No eigenvalue after the k-th exceeds the norm of R R^T, and none of the first k is below the smallest of
  // D.
  const double bound = spread + magnitude(shift);
  if (!(bound < update.least) || !(spread < kSlowest * (update.least - shift))) return kNoStep;
  // A change of C moves a component by that change times the rows of R.
  const double rate = spread / (update.least - shift);
  if (!find_subspace(update, shift, rate, update.tolerance / root(bound + 0x1p-1000), s) ||
      !find_basis(update, shift, bound, s)) {
    return kNoStep;
  }
  return express(update, s);
}

}  // namespace
}  // namespace roipca::linalg::ROIPCA_LEVEL
