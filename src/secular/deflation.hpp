#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "secular/normal_form.hpp"

namespace roipca::secular {

/// A plane rotation of the basis: row `dropped` becomes c e_dropped - s e_kept, in which z has no part, and
/// row `kept` becomes s e_dropped + c e_kept. Row numbers are the caller's.
struct Rotation {
  std::size_t dropped;
  std::size_t kept;
  double cosine;
  double sine;
};

/// One row of the problem: its pole in the caller's units, its entry of z, and its number among the
/// caller's rows.
struct Row {
  double pole;
  double z;
  std::size_t place;
};

/// Splits a problem into rows that already are eigenpairs, to rounding, and rows that need the secular
/// equation. The poles of the latter are bounded away from each other, and their weights from zero, as the
/// root finder requires.
class Deflation {
 public:
  void reserve(std::size_t max_order);

  /// O(order), plus O(deflated^2) in the worst case to keep the deflated rows sorted.
  void run(const NormalForm& form);

  /// Poles strictly descending after scaling, with gaps of several roundings of the smaller one.
  std::span<const Row> survivors() const { return survivors_; }
  /// Descending; the pole is the eigenvalue.
  std::span<const Row> deflated() const { return deflated_; }
  /// In the order in which they were applied.
  std::span<const Rotation> rotations() const { return rotations_; }

 private:
  void retire(const Row& row);
  bool merge_with_last(const Row& row, const NormalForm& form);

  std::vector<Row> survivors_;
  std::vector<Row> deflated_;
  std::vector<Rotation> rotations_;
};

}  // namespace roipca::secular
