#include "secular/deflation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace roipca::secular {

namespace {

// As in LAPACK's dlaed2: eight units of rounding. The neglected part then perturbs the matrix no more than
// storing it did.
constexpr double kTolerance = 8.0 * (std::numeric_limits<double>::epsilon() / 2.0);

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
  const double tolerance = kTolerance * std::max(form.largest_pole, form.largest_z);
  for (std::size_t j = 0; j < form.order; ++j) {
    const Row row{form.poles[j], form.z[j], form.in_caller_order(j)};
    if (form.rho * std::fabs(row.z) <= tolerance) {
      retire(row);
    } else if (!merge_with_last(row, form, tolerance)) {
      survivors_.push_back(row);
    }
  }
}

void Deflation::retire(const Row& row) {
  // Rows arrive almost sorted: only a rotation can move one slightly out of order.
  const auto after = [](const Row& a, const Row& b) { return a.pole > b.pole; };
  deflated_.insert(std::upper_bound(deflated_.begin(), deflated_.end(), row, after), row);
}

bool Deflation::merge_with_last(const Row& row, const NormalForm& form, double tolerance) {
  if (survivors_.empty()) return false;
  Row& last = survivors_.back();
  const double gap = form.scale(last.pole) - form.scale(row.pole);
  const double squares = last.z * last.z + row.z * row.z;
  // Rotating z into one row leaves the off-diagonal entry gap * c * s, c and s being the two z over their
  // norm.
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
