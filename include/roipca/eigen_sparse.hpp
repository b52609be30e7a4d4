/// Views Eigen's sparse matrices as SparseRows. This is a separate header because not every program needs
/// Eigen's sparse matrices.
///
///     Eigen::SparseMatrix<double, Eigen::RowMajor> matrix;
///     pca.partial_fit(roipca::sparse_rows(matrix));
#pragma once

#include <Eigen/SparseCore>
#include <stdexcept>

#include "roipca/sparse.hpp"

namespace roipca {

/// Returns a view of a row-major Eigen::SparseMatrix, of a Map of one, or of some of its rows (middleRows),
/// with indices of 32 or 64 bits. Copies nothing: the matrix must outlive the view. Throws
/// std::invalid_argument if the matrix is not compressed.
template <typename Matrix>
SparseRows<typename Matrix::Scalar> sparse_rows(const Eigen::SparseCompressedBase<Matrix>& matrix) {
  static_assert(Matrix::IsRowMajor, "rows are needed: convert to Eigen::SparseMatrix<T, Eigen::RowMajor>");
  if (!matrix.isCompressed()) {
    throw std::invalid_argument("the sparse matrix is not compressed: call makeCompressed() first");
  }
  return {matrix.rows(), matrix.cols(), matrix.outerIndexPtr(), matrix.innerIndexPtr(), matrix.valuePtr()};
}

}  // namespace roipca
