/// Eigenpairs and rows to try the rules on.
#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <functional>
#include <limits>
#include <random>
#include <vector>

#include "engine/make_rule.hpp"

namespace roipca::testing {

using Random = std::mt19937_64;

inline Eigen::MatrixXd normal_matrix(Random& random, Index rows, Index columns) {
  std::normal_distribution<double> normal;
  Eigen::MatrixXd x(rows, columns);
  for (double& entry : x.reshaped()) entry = normal(random);
  return x;
}

inline Eigen::VectorXd normal_vector(Random& random, Index size) { return normal_matrix(random, size, 1); }

inline double uniform(Random& random, double low, double high) {
  return std::uniform_real_distribution<double>(low, high)(random);
}

inline Index pick(Random& random, Index low, Index high) {
  return std::uniform_int_distribution<Index>(low, high)(random);
}

inline Eigen::MatrixXd orthonormal_columns(Random& random, Index d, Index k) {
  return Eigen::HouseholderQR<Eigen::MatrixXd>(normal_matrix(random, d, k)).householderQ() *
         Eigen::MatrixXd::Identity(d, k);
}

inline Eigen::VectorXd descending(Eigen::VectorXd x) {
  std::sort(x.data(), x.data() + x.size(), std::greater<>());
  return x;
}

/// Eigenpairs with well separated values from `high` down.
inline Spectrum<double> separated_spectrum(Random& random, Index d, Index k, double high) {
  Spectrum<double> s;
  s.basis = orthonormal_columns(random, d, k);
  s.values = Eigen::VectorXd(k);
  for (Index i = 0; i < k; ++i) s.values[i] = high * static_cast<double>(k - i) * uniform(random, 0.9, 1.0);
  s.trace = s.values.sum();
  return s;
}

inline Eigen::MatrixXd low_rank_matrix(const Spectrum<double>& s) {
  return s.basis * s.values.asDiagonal() * s.basis.transpose();
}

/// Eigenpairs of a symmetric matrix, descending.
inline Spectrum<double> dense_spectrum(const Eigen::MatrixXd& a, Index k) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(a);
  return {eigen.eigenvectors().rowwise().reverse().leftCols(k), eigen.eigenvalues().reverse().head(k),
          a.trace()};
}

template <typename T>
void absorb(Rule<T>& rule, const Eigen::VectorXd& row, double weight_before = 0.0) {
  Vector<T> v = row.cast<T>();
  const double squared = v.template cast<double>().squaredNorm();
  rule.absorb(v, {.weight_before = weight_before,
                  .weight = 1.0,
                  .squared_norm = squared,
                  .unit = 1.0,
                  .rows_before = static_cast<std::int64_t>(weight_before)});
}

template <typename T>
void start(Rule<T>& rule, const Spectrum<double>& s) {
  rule.start({s.basis.cast<T>(), s.values, s.trace});
}

template <typename T>
Spectrum<double> read(const Rule<T>& rule) {
  const auto s = rule.spectrum();
  return {s.basis.template cast<double>(), s.values, s.trace};
}

/// A tolerance that is `in_double` for double and as many roundings for float.
template <typename T>
double tolerance(double in_double) {
  return in_double * (double{std::numeric_limits<T>::epsilon()} / std::numeric_limits<double>::epsilon());
}

inline double drift(const Eigen::MatrixXd& q) {
  return (q.transpose() * q - Eigen::MatrixXd::Identity(q.cols(), q.cols())).cwiseAbs().maxCoeff();
}

inline Eigen::MatrixXd polar_factor(const Eigen::MatrixXd& a) {
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(a, Eigen::ComputeThinU | Eigen::ComputeThinV);
  return svd.matrixU() * svd.matrixV().transpose();
}

}  // namespace roipca::testing
