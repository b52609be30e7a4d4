/// One centred row, as the row-by-row update rules see it.
#pragma once

#include <cstdint>

namespace roipca {

/// The values that belong to one update. The row v that comes with it is centred and weighted so that the
/// scatter changes by exactly v v^T, whatever the weights; `unit` is the power of two by which it was scaled
/// to keep its squares in range.
struct Step {
  double weight_before = 0.0;  // of all rows so far
  double weight = 0.0;         // of this row; positive
  double squared_norm = 0.0;   // |v|^2; positive
  double unit = 1.0;
  std::int64_t rows_before = 0;

  double weight_after() const { return weight_before + weight; }
};

}  // namespace roipca
