/// Singular values and right singular vectors of a dense square matrix.
#pragma once

#include "linalg/eigen_types.hpp"

namespace roipca::linalg {

struct RightVectors {
  Vector<double> values;   // singular values, descending
  Matrix<double> vectors;  // one per column
};

/// Takes the eigenvectors of a^T a, in which small singular values are lost, and rotates pairs of columns of
/// `a` times them until all are orthogonal (one-sided Jacobi). Values are right to rounding of the largest,
/// and vectors orthonormal to rounding, also where values are equal or 0. O(order^3). The largest entry of
/// `a` should be about 1, since its squares are formed.
RightVectors right_vectors(const Matrix<double>& a);

}  // namespace roipca::linalg
