#include "roipca/subspace.hpp"

#include <stdexcept>

#include "linalg/eigen_types.hpp"

namespace roipca {

// With C = U^T V, |UU^T - VV^T|^2 = |U - V C^T|^2 + |V - U C|^2: both terms are small where the spans are
// close, while the textbook form m + m' - 2 |C|^2 subtracts numbers of size m.
double subspace_error(const Rows<double>& u_rows, const Rows<double>& v_rows) {
  const auto u = as_eigen(u_rows).transpose();
  const auto v = as_eigen(v_rows).transpose();
  if (u.rows() != v.rows()) throw std::invalid_argument("subspaces of spaces of different dimensions");
  if (u.cols() == 0)
    throw std::invalid_argument("the error is relative to the first subspace, which is empty");
  const Eigen::MatrixXd c = u.transpose() * v;
  const double u_outside = (u - v * c.transpose()).squaredNorm();
  const double v_outside = (v - u * c).squaredNorm();
  return (u_outside + v_outside) / static_cast<double>(u.cols());
}

}  // namespace roipca
