/// Scores of sparse rows, without making them dense.
#pragma once

#include "linalg/eigen_types.hpp"
#include "roipca/model.hpp"

namespace roipca {

/// Scores on the first `columns` components held, a line per row: O(nonzeros columns) and, once per call,
/// O(features columns). Throws std::invalid_argument for a wrong width, and DataError for a column out of
/// range.
template <typename T>
RowMatrix<double> sparse_scores(const Model<T>& model, Index columns, const SparseRows<T>& x);

/// |x - mean|^2 of each row, whose columns were checked.
template <typename T>
std::vector<double> sparse_squared_lengths(const Model<T>& model, const SparseRows<T>& x);

}  // namespace roipca
