/// The distance between two subspaces.
#pragma once

#include "roipca/types.hpp"

namespace roipca {

/// Returns the paper's error |U U^T - V V^T|_F^2 / |U U^T|_F^2 between the spans of the orthonormal rows U^T
/// and V^T: 0 if they are the same, 2 if they are orthogonal and of one size. It is computed without the
/// difference of large numbers, so that small errors are right to rounding. Costs O(d m^2).
double subspace_error(const Rows<double>& u, const Rows<double>& v);

}  // namespace roipca
