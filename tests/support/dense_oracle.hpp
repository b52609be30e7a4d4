/// Textbook PCA: the scatter matrix and its eigenpairs, in long double.
#pragma once

#include "linalg/eigen_types.hpp"

namespace roipca::support {

struct DensePca {
  double weight = 0.0;
  Vector<double> mean;
  Matrix<double> scatter;
  Vector<double> values;   // descending
  Matrix<double> vectors;  // one per column
};

/// Empty `weights` means 1 for each row. It makes two passes over the rows, in long double (80 bits).
DensePca dense_pca(const RowMatrix<double>& rows, const Vector<double>& weights = {}, bool center = true);

}  // namespace roipca::support
