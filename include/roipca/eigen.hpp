/// Converts between Eigen and the library's own types. Only programs that include this header need Eigen,
/// and they may compile it with any options: the library shares no Eigen code with them.
///
/// Functions that take rows accept Eigen's row-major matrices, Maps and blocks as they are. For the others:
///
///     pca.partial_fit(roipca::to_rows(column_major));
///     Eigen::VectorXd variance = roipca::as_eigen(model.explained_variance());
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <vector>

#include "roipca/types.hpp"

namespace roipca {

template <typename T>
using EigenVector = Eigen::Matrix<T, Eigen::Dynamic, 1>;
template <typename T>
using EigenColumns = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;
template <typename T>
using EigenRows = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Return an Eigen view of the numbers, without a copy. For a temporary, they return a matrix that owns its
/// numbers.
template <typename T>
Eigen::Map<EigenVector<T>> as_eigen(std::vector<T>& numbers) {
  return {numbers.data(), static_cast<Index>(numbers.size())};
}
template <typename T>
Eigen::Map<const EigenVector<T>> as_eigen(const std::vector<T>& numbers) {
  return {numbers.data(), static_cast<Index>(numbers.size())};
}
template <typename T>
EigenVector<T> as_eigen(std::vector<T>&& numbers) {
  return as_eigen(numbers);
}
template <typename T>
Eigen::Map<const EigenVector<T>> as_eigen(Row<T> row) {
  return {row.data(), row.size()};
}
template <typename T>
Eigen::Map<const EigenRows<T>, 0, Eigen::OuterStride<>> as_eigen(Rows<T> rows) {
  return {rows.data(), rows.rows(), rows.cols(), Eigen::OuterStride<>(rows.stride())};
}
template <typename T>
Eigen::Map<EigenRows<T>> as_eigen(OwnedRows<T>& rows) {
  return {rows.data(), rows.rows(), rows.cols()};
}
template <typename T>
Eigen::Map<const EigenRows<T>> as_eigen(const OwnedRows<T>& rows) {
  return {rows.data(), rows.rows(), rows.cols()};
}
template <typename T>
EigenRows<T> as_eigen(OwnedRows<T>&& rows) {
  return as_eigen(rows);
}

/// Return the transpose of as_eigen(rows) as a column-major matrix: each row becomes a column.
template <typename T>
Eigen::Map<EigenColumns<T>> as_columns(OwnedRows<T>& rows) {
  return {rows.data(), rows.cols(), rows.rows()};
}
template <typename T>
Eigen::Map<const EigenColumns<T>> as_columns(const OwnedRows<T>& rows) {
  return {rows.data(), rows.cols(), rows.rows()};
}
template <typename T>
EigenColumns<T> as_columns(OwnedRows<T>&& rows) {
  return as_columns(rows);
}

/// Copies any Eigen matrix or expression.
template <typename Matrix>
OwnedRows<typename Matrix::Scalar> to_rows(const Eigen::DenseBase<Matrix>& matrix) {
  OwnedRows<typename Matrix::Scalar> rows(matrix.rows(), matrix.cols());
  as_eigen(rows) = matrix.derived();
  return rows;
}

/// Copies any Eigen vector or vector expression.
template <typename Vector>
std::vector<typename Vector::Scalar> to_vector(const Eigen::DenseBase<Vector>& vector) {
  std::vector<typename Vector::Scalar> numbers(static_cast<std::size_t>(vector.size()));
  as_eigen(numbers) = vector.derived();
  return numbers;
}

}  // namespace roipca
