/// How far apart two subspaces are.
#pragma once

#include "roipca/types.hpp"

namespace roipca {

/// The paper's error |U U^T - V V^T|_F^2 / |U U^T|_F^2 between the spans of orthonormal rows U^T and V^T; 0
/// when they are the same, 2 when they are orthogonal and of one size. O(d m^2). Computed without the
/// difference of large numbers, so that small errors are right to rounding.
double subspace_error(const Rows<double>& u, const Rows<double>& v);

}  // namespace roipca
