/// Computes better eigenpairs of S from S Q.
#pragma once

#include "linalg/eigen_types.hpp"

namespace roipca {

/// The products of a scatter matrix S after one more pass.
struct PassProducts {
  Matrix<double> basis;     // Q: features x rank, orthonormal columns
  Matrix<double> products;  // S Q
  double trace = 0.0;       // of S
};

/// The eigenpairs after a pass.
struct RefinedPairs {
  Matrix<double> basis;   // features x rank, orthonormal columns; may be fewer than before
  Vector<double> values;  // descending
  double shift = 0.0;     // alpha
  Vector<double> turns;  // tangent of the angle by which the pass turned each eigenvector out of the old span
};

/// Computes the Ritz pairs (theta, y) of S in the span of Q, and then the eigenpairs of
///
///     alpha I + W (Q^T W)^(-1) W^T,   W = S Q - alpha Q,
///
/// the Nystroem approximation with a shift. An error along an eigenvector of S outside the span, of
/// eigenvalue l, shrinks by |l - alpha| / (theta_i - alpha) in component i.
///
/// `pass` is the number of passes before, at least 1. It decides where alpha lies between the mean eigenvalue
/// outside the span and the last Ritz value: at the mean, half-way, at three quarters, and so on in turn, so
/// that the product of a few factors is small for all l. Alpha stays at most half-way between the
/// `reported`-th Ritz value and the least eigenvalue that S may have outside: beyond that, errors along small
/// eigenvalues would grow. It also stays so far below the Ritz values that no component turns far.
/// Eigenvalues below `noise` times the largest count as rounding and are left out. Takes the memory of one
/// more basis.
RefinedPairs refine(PassProducts known, Index pass, Index reported, double noise);

}  // namespace roipca
