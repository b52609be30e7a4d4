/// Singular values and right singular vectors of a dense square matrix.
#pragma once

#include "linalg/eigen_types.hpp"

namespace roipca::linalg {

struct RightVectors {
  Vector<double> values;   // singular values, descending
  Matrix<double> vectors;  // one per column
};

/// Computes the eigenvectors of a^T a, in which small singular values are lost, and then rotates pairs of
/// columns of `a` times these vectors until all are orthogonal (one-sided Jacobi). Values are accurate to
/// rounding of the largest, and vectors are orthonormal to rounding, also if values are equal or 0. Costs
/// O(order^3). The largest entry of `a` should be about 1, because its squares are formed.
RightVectors right_vectors(const Matrix<double>& a);

}  // namespace roipca::linalg
