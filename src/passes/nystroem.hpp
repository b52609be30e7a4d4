/// From S Q to better eigenpairs of S.
#pragma once

#include "linalg/eigen_types.hpp"

namespace roipca {

/// What is known of a scatter matrix S after one more pass.
struct PassProducts {
  Matrix<double> basis;     // Q: features x rank, orthonormal columns
  Matrix<double> products;  // S Q
  double trace = 0.0;       // of S
};

/// Eigenpairs that a pass gives.
struct RefinedPairs {
  Matrix<double> basis;   // features x rank, orthonormal columns; may be fewer than before
  Vector<double> values;  // descending
  double shift = 0.0;     // alpha
  Vector<double> turns;  // how far the pass turned each pair, as the tangent of the angle out of the old span
};

/// Takes the Ritz pairs (theta, y) of S in the span of Q, and then the eigenpairs of
///
///     alpha I + W (Q^T W)^(-1) W^T,   W = S Q - alpha Q,
///
/// the Nystroem approximation with a shift. An error along an eigenvector of S outside the span, of
/// eigenvalue l, shrinks by |l - alpha| / (theta_i - alpha) in component i.
///
/// `pass` is the number of passes before, from 1 on. It decides where alpha lies between the mean eigenvalue
/// outside the span and the last Ritz value: at the mean, half-way, at three quarters, and again, so that
/// the product of a few factors is small for all l. Alpha stays at most half-way between the `reported`-th
/// Ritz value and the least eigenvalue that S may have outside: beyond, errors along small eigenvalues would
/// grow. And it stays so far below the Ritz values that no component turns far. Eigenvalues below `noise`
/// times the largest count as rounding and are left out.
RefinedPairs refine(const PassProducts& known, Index pass, Index reported, double noise);

}  // namespace roipca
