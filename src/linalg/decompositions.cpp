#include "linalg/decompositions.hpp"

#include <Eigen/LU>
#include <Eigen/SVD>
#include <utility>

#include "linalg/products.hpp"

namespace roipca::linalg {

HouseholderQr::HouseholderQr(Matrix<double> a) : factors_(std::move(a)), qr_(factors_) {}

Matrix<double> HouseholderQr::triangle() const {
  return qr_.matrixQR().topRows(qr_.cols()).triangularView<Eigen::Upper>();
}

Matrix<double> HouseholderQr::times(const Matrix<double>& small) const {
  Matrix<double> result = Matrix<double>::Zero(qr_.rows(), small.cols());
  result.topRows(small.rows()) = small;
  result.applyOnTheLeft(qr_.householderQ());
  return result;
}

Cholesky::Cholesky(const Matrix<double>& a) : factor_(a) {}

double Cholesky::log_determinant() const { return 2.0 * factor_.matrixLLT().diagonal().array().log().sum(); }

double Cholesky::least_pivot() const {
  const double root = factor_.matrixLLT().diagonal().minCoeff();
  return root * root;
}

Matrix<double> Cholesky::inverse() const {
  return factor_.solve(Matrix<double>::Identity(factor_.rows(), factor_.cols()));
}

Matrix<double> Cholesky::inverse_of_factor() const {
  return factor_.matrixL().solve(Matrix<double>::Identity(factor_.rows(), factor_.cols()));
}

Matrix<double> inverse(const Matrix<double>& a) { return a.partialPivLu().inverse(); }

Matrix<double> polar_factor(const Matrix<double>& a) {
  const Eigen::JacobiSVD<Matrix<double>, Eigen::NoQRPreconditioner> svd(
      a, Eigen::ComputeFullU | Eigen::ComputeFullV);
  return product(svd.matrixU(), svd.matrixV().transpose());
}

}  // namespace roipca::linalg
