/// The matrix types that cross the library's border.
#pragma once

#if __cplusplus < 202002L
#error "roipca needs C++20: compile with -std=c++20"
#endif

#include <Eigen/Core>

// The library's own allocations assume it (see EIGEN_MAX_ALIGN_BYTES in its CMake and pkg-config files).
static_assert(EIGEN_DEFAULT_ALIGN_BYTES == 64, "compile with -DEIGEN_MAX_ALIGN_BYTES=64, as roipca was");

namespace roipca {

using Index = Eigen::Index;

template <typename T>
using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;

template <typename T>
using RowMatrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

template <typename T>
using Vector = Eigen::Matrix<T, Eigen::Dynamic, 1>;

/// Rows of data, one a line, each contiguous. Row-major matrices, blocks of their rows and Eigen::Map bind
/// without a copy; other layouts are copied on the way in.
template <typename T>
using Rows = Eigen::Ref<const RowMatrix<T>, 0, Eigen::OuterStride<>>;

/// One row of data, contiguous.
template <typename T>
using Row = Eigen::Ref<const Vector<T>>;

/// One weight per row: 0, or between 1e-100 and 1e100. Empty stands for 1 each. Only the product of a weight
/// and a squared number must stay in range: see OnlinePca for the largest numbers. Weights and squares whose
/// product is below 1e-300 lose digits, and count as 0 below 1e-323.
using Weights = Eigen::Ref<const Eigen::VectorXd>;

}  // namespace roipca
