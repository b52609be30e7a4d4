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

/// A list that never allocates between calls of `reserve`, also if it is a copy: the copy of a std::vector
/// has no more room than elements.
template <typename T>
class ReservedList {
 public:
  void reserve(std::size_t most) { items_.resize(most); }
  void clear() { size_ = 0; }
  void push_back(const T& item) { items_[size_++] = item; }
  T& back() { return items_[size_ - 1]; }
  std::span<T> span() { return {items_.data(), size_}; }
  std::span<const T> span() const { return {items_.data(), size_}; }

 private:
  std::vector<T> items_;
  std::size_t size_ = 0;
};

/// Splits a problem into rows that already are eigenpairs, to rounding, and rows that need the secular
/// equation. The poles of the latter are bounded away from each other, and their weights from zero, as the
/// root finder requires.
class Deflation {
 public:
  void reserve(std::size_t max_order);

  /// O(order), plus O(deflated^2) in the worst case to keep the deflated rows sorted. Requires that memory
  /// has been reserved.
  void run(const NormalForm& form);

  /// Poles strictly descending after scaling, with gaps of several roundings of the smaller one.
  std::span<const Row> survivors() const { return survivors_.span(); }
  /// Descending; the pole is the eigenvalue.
  std::span<const Row> deflated() const { return deflated_.span(); }
  /// In the order in which they were applied.
  std::span<const Rotation> rotations() const { return rotations_.span(); }

 private:
  void retire(const Row& row);
  bool merge_with_last(const Row& row, const NormalForm& form);

  ReservedList<Row> survivors_;
  ReservedList<Row> deflated_;
  ReservedList<Rotation> rotations_;
};

}  // namespace roipca::secular
