// The leading subspace of Q D Q^T + X^T X where D outweighs X, for one level: see simd/vectors.hpp.
#pragma once

#include "linalg/matrix_loops.hpp"
#include "linalg/operations.hpp"

namespace roipca::linalg::ROIPCA_LEVEL {
namespace {

constexpr int kMostSteps = 40;
constexpr double kSlowest = 0.9;  // rate of convergence beyond which the iteration is not worth it
// Of M from the identity, in the Frobenius norm: products with Z lose no more than three bits to those with
// Q.
constexpr double kFarthest = 8.0;

// The matrices of one update: those over the components, of k x k numbers, those over the rows, b x b, and
// those between, b x k and k x b (_t).
struct LeadingMatrices {
  Size k;
  Size b;
  Block y, c, f, scratch;
  Block y_t, other_t;
  Block rest;                 // R R^T - shift I
  Block power, higher_power;  // of it
  Block inverse, inner, small, normal, turned;
  double* line;  // k numbers

  LeadingMatrices(Size components, Size rows, double* work) : k(components), b(rows) {
    y = take(b, k, work);
    c = take(b, k, work);
    f = take(b, k, work);
    scratch = take(b, k, work);
    y_t = take(k, b, work);
    other_t = take(k, b, work);
    rest = take(b, b, work);
    power = take(b, b, work);
    higher_power = take(b, b, work);
    inverse = take(k, k, work);
    inner = take(k, k, work);
    small = take(k, k, work);
    normal = take(k, k, work);
    turned = take(k, k, work);
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
  return 4 * pad(b) * k + 2 * pad(k) * b + 3 * pad(b) * b + 5 * pad(k) * k + pad(k);
}

// Y = X Q = (X Z) M and Y^T.
void project(const LeadingUpdate& update, const LeadingMatrices& s) {
  for (Size j = 0; j < s.k; ++j) {
    double* column = s.scratch.column(j);
    for (Size i = 0; i < s.b; ++i) column[i] = update.dots[i * update.dots_stride + j];
    for (Size i = s.b; i < s.scratch.stride; ++i) column[i] = 0.0;
  }
  multiply(s.y.stride, s.k, s.k, s.scratch, {update.normal, update.stride}, kNone, 1.0, s.y);
  transpose(s.b, s.k, s.y, s.y_t);
}

// R R^T = X X^T - Y Y^T for R = X - Y Q^T, what the rows have outside of the components, less a multiple of
// the identity. Rows that have little in common outside of the components leave R R^T nearly diagonal.
// Returns that multiple.
double find_rest(const LeadingUpdate& update, const LeadingMatrices& s) {
  for (Size i = 0; i < s.b; ++i) {
    const double* row = update.products + i * update.products_stride;
    for (Size j = 0; j <= i; ++j) s.rest(i, j) = s.rest(j, i) = row[j];
    for (Size j = s.b; j < s.rest.stride; ++j) s.rest(j, i) = 0.0;
  }
  multiply(s.rest.stride, s.b, s.k, s.y, s.y_t, s.rest, -1.0, s.rest);
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

// One step for the columns of C from `first` on. Returns the largest change of an entry, and in `moved` the
// first column that changed by more than the tolerance.
double iterate(Size first, double tolerance, LeadingMatrices& s, Size& moved) {
  const Size active = s.k - first;
  const Block c = s.c.from(first);
  const Block inner = s.inner.from(first);
  const Block f = s.f.from(first);
  multiply(inner.stride, active, s.b, s.other_t, c, kNone, 1.0, inner);
  multiply(f.stride, active, s.b, s.rest, c, s.y.from(first), 1.0, f);
  multiply(f.stride, active, s.k, s.c, inner, f, -1.0, f);
  multiply(s.scratch.stride, active, s.k, s.f, s.inverse.from(first), kNone, 1.0, s.scratch);
  double largest_change = 0.0;
  for (Size j = 0; j < active; ++j) {
    const Block column = {s.scratch.column(j), s.scratch.stride};
    const double change = take_step(column, c.from(j));
    largest_change = change <= largest_change ? largest_change : change;
    if (moved == s.k && !(change <= tolerance)) moved = first + j;
  }
  return largest_change;
}

// Of the norm of R R^T - shift I. Bounds of a matrix by its entries are too wide by up to the root of its
// order, those by its fourth power by much less; worth the products where the rough one would slow the
// iteration.
double bound_rest(double wanted, const LeadingMatrices& s) {
  const double rough = norm_bound(s.b, s.rest);
  if (rough <= wanted) return rough;
  multiply(s.rest.stride, s.b, s.b, s.rest, s.rest, kNone, 1.0 / (rough * rough), s.power);
  multiply(s.rest.stride, s.b, s.b, s.power, s.power, kNone, 1.0, s.higher_power);
  return rough * root(root(norm_bound(s.b, s.higher_power)));
}

// Solves C (D + Y^T Y + Y^T R R^T C) = Y + R R^T C by iteration, for which Q + R^T C spans an invariant
// subspace. Each step leaves about `rate` of the error, or more where the quadratic term counts.
bool find_subspace(const LeadingUpdate& update, double shift, double rate, double tolerance,
                   LeadingMatrices& s) {
  // The inverse of D + Y^T Y - shift I.
  multiply(s.inner.stride, s.k, s.b, s.y_t, s.y, {update.inner, update.stride}, 1.0, s.inner);
  add_to_diagonal(s.k, -shift, s.inner);
  if (!factorise(s.k, s.inner)) return false;
  invert(s.k, s.inner, s.normal);
  transpose(s.k, s.k, s.normal, s.turned);
  multiply(s.inverse.stride, s.k, s.k, s.normal, s.turned, kNone, 1.0, s.inverse);

  multiply(s.c.stride, s.k, s.k, s.y, s.inverse, kNone, 1.0, s.c);
  multiply(s.f.stride, s.k, s.b, s.rest, s.y, kNone, 1.0, s.f);
  add_scaled(s.k, s.f, shift, s.y, s.f);
  transpose(s.b, s.k, s.f, s.other_t);  // Y^T R R^T
  Size first = 0;
  double last = largest(s.k, s.c);  // C is what one step makes of 0
  for (int step = 0; step < kMostSteps; ++step) {
    Size moved = s.k;
    const double change = iterate(first, tolerance, s, moved);
    if (change == 0.0 && first == 0) return true;
    const double seen = change / last > rate ? change / last : rate;
    if (!(seen < 1.0)) return false;
    const bool done = change * seen <= tolerance * (1.0 - seen);
    if (done && first == 0) return true;
    // Columns of a large D converge first. Where others take long, those are left alone until the others have
    // converged as well.
    first = done || step == 0 || moved == s.k ? 0 : moved;
    if (change == 0.0) continue;
    last = change;
  }
  return false;
}

// Of the basis Q' = (Q + R^T C) L^(-T), where L L^T is the Gram matrix I + C^T R R^T C: L^(-T), and in
// `small` what Q D Q^T + X^T X is in it. With F = X (Q + R^T C) = Y + R R^T C that is D + F^T F before L.
bool find_basis(const LeadingUpdate& update, double shift, const LeadingMatrices& s) {
  multiply(s.f.stride, s.k, s.b, s.rest, s.c, kNone, 1.0, s.f);
  add_scaled(s.k, s.f, shift, s.c, s.f);
  transpose(s.b, s.k, s.c, s.other_t);
  multiply(s.inner.stride, s.k, s.b, s.other_t, s.f, kNone, 1.0, s.inner);
  add_to_diagonal(s.k, 1.0, s.inner);
  add_scaled(s.k, s.f, 1.0, s.y, s.f);
  transpose(s.b, s.k, s.f, s.other_t);
  multiply(s.small.stride, s.k, s.b, s.other_t, s.f, {update.inner, update.stride}, 1.0, s.small);
  if (!factorise(s.k, s.inner)) return false;
  invert(s.k, s.inner, s.normal);
  transpose(s.k, s.k, s.normal, s.turned);
  multiply(s.inner.stride, s.k, s.k, s.small, s.normal, kNone, 1.0, s.inner);
  multiply(s.small.stride, s.k, s.k, s.turned, s.inner, kNone, 1.0, s.small);
  return true;
}

// Whether all eigenvalues of `small` are above the bound.
bool all_above(double bound, const LeadingMatrices& s) {
  copy(s.k, s.small, s.inner);
  add_to_diagonal(s.k, -bound, s.inner);
  return factorise(s.k, s.inner);
}

// In the Frobenius norm.
double distance_from_identity(Size n, Block a) {
  Vec<double> squares = {};
  double others = 0.0;
  for (Size j = 0; j < n; ++j) {
    for (Size i = 0; i < a.stride; i += kDoubles) squares += load(a.column(j) + i) * load(a.column(j) + i);
    others += 1.0 - 2.0 * a(j, j);
  }
  return root(magnitude(sum<double>(squares) + others));
}

// The largest norm of a column.
double longest_column(Size n, Block a) {
  double longest = 0.0;
  for (Size j = 0; j < n; ++j) {
    Vec<double> squares = {};
    for (Size i = 0; i < a.stride; i += kDoubles) squares += load(a.column(j) + i) * load(a.column(j) + i);
    const double length = sum<double>(squares);
    longest = length <= longest ? longest : length;  // also NaN
  }
  return root(longest);
}

// A^(-1), where A becomes its factors; anything, NaN included, where it is nearly singular.
void invert_near_identity(Size n, Block a, double* line, Block inverse) {
  factorise_near_identity(n, a, line);
  for (Size j = 0; j < n; ++j) {
    for (Size i = 0; i < inverse.stride; ++i) inverse(i, j) = i == j ? 1.0 : 0.0;
  }
  divide(n, a, inverse);
}

// Q' = (Q E + X^T C) L^(-T) for E = I - Y^T C, in terms of Z and X. None where a column of E is
// long: what rows have within the components would be added that many times over to a component, and taken
// off again but for its rounding.
LeadingStep express(const LeadingUpdate& update, const LeadingMatrices& s) {
  const Block m = {update.normal, update.stride};
  multiply(s.inner.stride, s.k, s.b, s.y_t, s.c, kNone, -1.0, s.inner);
  add_to_diagonal(s.k, 1.0, s.inner);
  if (!(longest_column(s.k, s.inner) < kFarthest)) return LeadingStep::kNone;
  multiply(s.turned.stride, s.k, s.k, m, s.inner, kNone, 1.0, s.turned);        // M E
  multiply(s.inner.stride, s.k, s.k, s.turned, s.normal, kNone, 1.0, s.inner);  // M E L^(-T)
  bool adds = distance_from_identity(s.k, s.turned) < kFarthest;
  if (adds) {
    invert_near_identity(s.k, s.turned, s.line, s.inverse);
    adds = distance_from_identity(s.k, s.inverse) < kFarthest;  // false for NaN
  }
  multiply(s.scratch.stride, s.k, s.k, s.c, adds ? s.inverse : s.normal, kNone, 1.0, s.scratch);
  if (adds) copy(s.k, s.inner, m);
  for (Size j = 0; j < s.k; ++j) {
    double* column = update.coefficients + j * update.coefficients_stride;
    for (Size i = 0; i < s.k; ++i) column[i] = s.inner(i, j);
    for (Size i = 0; i < s.b; ++i) column[s.k + i] = s.scratch(i, j);
  }
  copy(s.k, s.small, {update.inner, update.stride});
  if (adds) return LeadingStep::kAdd;
  for (Size j = 0; j < s.k; ++j) {
    for (Size i = 0; i < m.stride; ++i) m(i, j) = i == j ? 1.0 : 0.0;
  }
  return LeadingStep::kRotate;
}

LeadingStep advance_leading(const LeadingUpdate& update) {
  if (!(update.least > 0x1p-900) || !(update.inner[0] < 0x1p900)) return LeadingStep::kNone;
  LeadingMatrices s(update.k, update.b, update.work);
  project(update, s);
  const double shift = find_rest(update, s);
  const double spread = bound_rest(0.01 * (update.least - shift), s);
  // No eigenvalue behind the k-th is larger than the norm of R R^T, and none of the first k smaller than D's.
  const double bound = spread + magnitude(shift);
  if (!(bound < update.least) || !(spread < kSlowest * (update.least - shift))) return LeadingStep::kNone;
  // A change of C moves a component by that times rows of R.
  const double rate = spread / (update.least - shift);
  if (!find_subspace(update, shift, rate, update.tolerance / root(bound + 0x1p-1000), s) ||
      !find_basis(update, shift, s) || !all_above(bound, s)) {
    return LeadingStep::kNone;
  }
  return express(update, s);
}

}  // namespace
}  // namespace roipca::linalg::ROIPCA_LEVEL
