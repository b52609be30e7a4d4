/// Random rows, the same for the same seed.
#pragma once

#include "linalg/eigen_types.hpp"

namespace roipca::support {

/// Standard normal numbers.
RowMatrix<double> normal_rows(Index n, Index d, unsigned seed);

/// Random orthonormal columns.
Matrix<double> orthonormal_columns(Index d, Index k, unsigned seed);

/// Normal rows whose standard deviations along d random orthonormal axes are 1, ratio, ratio^2 ...
RowMatrix<double> decaying_rows(Index n, Index d, double ratio, unsigned seed);

/// Rows on a plane of dimension `rank` that does not contain the origin. They have that rank to rounding: the
/// last bits are noise.
RowMatrix<double> low_rank_rows(Index n, Index d, Index rank, unsigned seed);

/// Numbers in [0, 1).
Vector<double> uniform_numbers(Index n, unsigned seed);

}  // namespace roipca::support
