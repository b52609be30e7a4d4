/// Scores of sparse rows, without making them dense.
#pragma once

#include "linalg/eigen_types.hpp"
#include "roipca/model.hpp"

namespace roipca {

/// Returns the scores on the first `columns` held components, one line per row. Costs O(nonzeros columns)
/// and, once per call, O(features columns). Throws std::invalid_argument for a wrong width, and DataError for
/// a column out of range.
template <typename T>
RowMatrix<double> sparse_scores(const Model<T>& model, Index columns, const SparseRows<T>& x);

/// Returns |x - mean|^2 of each row. The columns must have been checked.
template <typename T>
std::vector<double> sparse_squared_lengths(const Model<T>& model, const SparseRows<T>& x);

}  // namespace roipca
