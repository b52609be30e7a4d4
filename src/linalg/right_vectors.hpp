/// Singular values and right singular vectors of a dense square matrix.
#pragma once

#include "linalg/eigen_types.hpp"

namespace roipca::linalg {

struct RightVectors {
  Vector<double> values;   // singular values, descending
  Matrix<double> vectors;  // one per column
};

/// Computes the leading `wanted` singular values and their vectors, from the eigenvectors of a^T a, in which
/// small singular values are lost. Pairs of columns of `a` times these vectors are then rotated until each of
/// the wanted columns is orthogonal to all others (one-sided Jacobi). Values are accurate to rounding of the
/// largest, and vectors are orthonormal to rounding, also if values are equal or 0. Costs O(order^2 wanted)
/// beside the eigenproblem, or O(order^3) if a wanted value is below SymmetricEigen::kGraded^(1/2) times the
/// largest. The largest entry of `a` should be about 1, because its squares are formed.
RightVectors right_vectors(const Matrix<double>& a, Index wanted);

}  // namespace roipca::linalg
