#include "secular/deflation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace roipca::secular {

namespace {

// Eight units of rounding, as in LAPACK's dlaed2, but relative to the two diagonal entries next to an
// off-diagonal one instead of the norm of the matrix. The neglected part then changes each eigenvalue by
// rounding of itself, and small eigenvalues to which many updates add can grow even if a single update is
// below the rounding of the largest.
constexpr double kTolerance = 8.0 * (std::numeric_limits<double>::epsilon() / 2.0);

// For a matrix whose norm is about 1. Smaller weights are negligible, and their powers would leave double's
// range.
constexpr double kLeastWeight = 0x1p-300;
constexpr double kLeastPole = 0x1p-250;

}  // namespace

void Deflation::reserve(std::size_t max_order) {
  survivors_.reserve(max_order);
  deflated_.reserve(max_order);
  rotations_.reserve(max_order);
}

void Deflation::run(const NormalForm& form) {
  survivors_.clear();
  deflated_.clear();
  rotations_.clear();
  // Off-diagonal entries are products of roots of weights, and diagonal ones poles plus weights.
  double most = 0.0;  // largest fraction that a weight has of its diagonal entry
  for (std::size_t j = 0; j < form.order; ++j) {
    const double weight = form.rho * form.z[j] * form.z[j];
    if (weight > kLeastWeight)
      most = std::max(most, weight / (std::fabs(form.scale(form.poles[j])) + weight));
  }
  for (std::size_t j = 0; j < form.order; ++j) {
    const Row row{form.poles[j], form.z[j], form.in_caller_order(j)};
    const double weight = form.rho * row.z * row.z;
    const double entry = std::fabs(form.scale(row.pole)) + weight;
    if (weight <= kLeastWeight || weight * most <= kTolerance * kTolerance * entry) {
      retire(row);
    } else if (!merge_with_last(row, form)) {
      survivors_.push_back(row);
    }
  }
}

void Deflation::retire(const Row& row) {
  // Rows arrive almost sorted: only a rotation can move one slightly out of order.
  const auto after = [](const Row& a, const Row& b) { return a.pole > b.pole; };
  deflated_.push_back(row);
  const std::span<Row> rows = deflated_.span();
  const auto place = std::upper_bound(rows.begin(), rows.end() - 1, row, after);
  std::rotate(place, rows.end() - 1, rows.end());
}

bool Deflation::merge_with_last(const Row& row, const NormalForm& form) {
  if (survivors_.span().empty()) return false;
  Row& last = survivors_.back();
  const double upper = form.scale(last.pole);
  const double lower = form.scale(row.pole);
  const double gap = upper - lower;
  const double tolerance = kTolerance * std::max(std::min(std::fabs(upper), std::fabs(lower)), kLeastPole);
  const double squares = last.z * last.z + row.z * row.z;
  // Rotating z into one row leaves the off-diagonal entry gap * c * s, where c and s are the two entries of z
  // divided by their norm.
  if (gap * std::fabs(last.z * row.z) > tolerance * squares) return false;

  const double norm = std::sqrt(squares);
  const double c = row.z / norm;
  const double s = last.z / norm;
  // Convex combinations, never differences: in the caller's units two merging poles may still be 1e308 apart.
  // The clamp keeps equal poles equal.
  const double dropped_pole = std::clamp(c * c * last.pole + s * s * row.pole, row.pole, last.pole);
  const double kept_pole = std::clamp(s * s * last.pole + c * c * row.pole, row.pole, last.pole);
  rotations_.push_back({last.place, row.place, c, s});
  retire({dropped_pole, 0.0, last.place});
  last = {kept_pole, norm, row.place};
  return true;
}

}  // namespace roipca::secular
