#include "dense/symmetric_eigen.hpp"

#include <utility>

#include "kernels/kernels.hpp"

namespace roipca {
namespace {

Index padded(Index order) {
  constexpr Index kVector = 8;  // doubles in the longest vector register
  return (order + kVector - 1) / kVector * kVector;
}

// Brings eigenvalues, and the columns that belong to them, into descending order.
void sort_descending(Eigen::Ref<Vector<double>> values, Eigen::Ref<Matrix<double>> vectors) {
  for (Index i = 0; i + 1 < values.size(); ++i) {
    Index largest = 0;
    values.tail(values.size() - i).maxCoeff(&largest);
    if (largest == 0) continue;
    std::swap(values[i], values[i + largest]);
    vectors.col(i).swap(vectors.col(i + largest));
  }
}

}  // namespace

SymmetricEigen::SymmetricEigen(Index max_order)
    : vectors_(Matrix<double>::Zero(padded(max_order), max_order)),
      values_(Vector<double>::Zero(padded(max_order))),
      work_(Vector<double>::Zero(3 * padded(max_order))) {}

void SymmetricEigen::compute(const Eigen::Ref<const Matrix<double>>& matrix) {
  this->matrix(matrix.rows()) = matrix;
  solve(matrix.rows());
}

void SymmetricEigen::solve(Index order) {
  order_ = order;
  kernels::active().eigen_solver(order, vectors_.data(), vectors_.rows(), values_.data(), work_.data());
  sort_descending(values_.head(order), vectors_.leftCols(order));
}

}  // namespace roipca
