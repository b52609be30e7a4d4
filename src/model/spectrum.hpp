/// The eigenpairs of a scatter matrix.
#pragma once

#include "linalg/eigen_types.hpp"

namespace roipca {

/// The leading eigenpairs of a scatter matrix, in descending order, and its trace. Eigenpairs enter and leave
/// an engine or a rule only in this form.
template <typename T>
struct Spectrum {
  Matrix<T> basis;  // features x rank, orthonormal columns
  Vector<double> values;
  double trace = 0.0;
};

}  // namespace roipca
