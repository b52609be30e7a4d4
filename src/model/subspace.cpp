#include "roipca/subspace.hpp"

#include <stdexcept>

#include "linalg/eigen_types.hpp"
#include "linalg/products.hpp"

namespace roipca {

// With C = U^T V, |UU^T - VV^T|^2 = |U - V C^T|^2 + |V - U C|^2: both terms are small where the spans are
// close, while the textbook form m + m' - 2 |C|^2 subtracts numbers of size m.
double subspace_error(const Rows<double>& u_rows, const Rows<double>& v_rows) {
  const auto u = as_eigen(u_rows);
  const auto v = as_eigen(v_rows);
  if (u.cols() != v.cols()) throw std::invalid_argument("subspaces of spaces of different dimensions");
  if (u.rows() == 0)
    throw std::invalid_argument("the error is relative to the first subspace, which is empty");
  const Matrix<double> c = linalg::product(u, v.transpose());
  RowMatrix<double> u_outside = u;
  linalg::add_product(-1.0, c, v, u_outside);
  RowMatrix<double> v_outside = v;
  linalg::add_product(-1.0, c.transpose(), u, v_outside);
  return (u_outside.squaredNorm() + v_outside.squaredNorm()) / static_cast<double>(u.rows());
}

}  // namespace roipca
