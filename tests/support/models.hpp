/// Properties of models, for tests.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <string>

#include "linalg/eigen_types.hpp"
#include "roipca/model.hpp"
#include "roipca/subspace.hpp"
#include "support/same_bits.hpp"

namespace roipca::support {

using Scalars = ::testing::Types<float, double>;

inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kInf = std::numeric_limits<double>::infinity();

/// A method and, if it has two, its way of adding rows.
struct Way {
  Method method;
  UpdateEvery update_every = UpdateEvery::kBlock;

  constexpr Way(Method of, UpdateEvery by = UpdateEvery::kBlock)
      : method(of), update_every(by) {}  // NOLINT: a method is a way
  friend constexpr bool operator==(const Way& way, Method method) { return way.method == method; }
};

inline std::string name(const Way& way) {
  return std::string(roipca::name(way.method)) +
         (way.update_every == UpdateEvery::kRow ? ", row by row" : "");
}

inline constexpr std::array kAllMethods = {Way(Method::kRoipca),
                                           Way(Method::kRoipca, UpdateEvery::kRow),
                                           Way(Method::kFroipca),
                                           Way(Method::kIpca),
                                           Way(Method::kIpca, UpdateEvery::kRow),
                                           Way(Method::kCcipca),
                                           Way(Method::kGha),
                                           Way(Method::kOja),
                                           Way(Method::kFrequentDirections),
                                           Way(Method::kExact)};

/// Returns whether `fit` begins with the first row instead of a batch.
inline bool starts_from_nothing(const Way& way) {
  const bool by_blocks =
      way.update_every == UpdateEvery::kBlock && (way == Method::kRoipca || way == Method::kIpca);
  return by_blocks || way == Method::kExact;
}

/// The methods that lose nothing if they can hold the rank of the rows.
inline constexpr std::array kLosslessMethods = {Way(Method::kRoipca),
                                                Way(Method::kRoipca, UpdateEvery::kRow),
                                                Way(Method::kIpca),
                                                Way(Method::kIpca, UpdateEvery::kRow),
                                                Way(Method::kFrequentDirections),
                                                Way(Method::kExact)};

template <typename T>
inline constexpr double kEpsilon = double{std::numeric_limits<T>::epsilon()};

inline Options options_for(const Way& way, Index n_components) {
  Options options;
  options.method = way.method;
  options.update_every = way.update_every;
  options.n_components = n_components;
  return options;
}

/// max |Q^T Q - I|.
template <typename Columns>
double orthonormality_error(const Eigen::MatrixBase<Columns>& q) {
  const auto wide = q.template cast<double>().eval();
  return (wide.transpose() * wide - Matrix<double>::Identity(q.cols(), q.cols())).cwiseAbs().maxCoeff();
}

template <typename T>
Matrix<double> reported_basis(const Model<T>& model) {
  return as_columns(model.basis).leftCols(model.n_components).template cast<double>();
}

/// Q Lambda Q^T: eigenvalues and eigenvectors in one matrix, which rounding changes little even where it
/// turns the eigenvectors of close eigenvalues.
template <typename T>
Matrix<double> modelled_scatter(const Model<T>& model) {
  const Matrix<double> q = as_columns(model.basis).template cast<double>();
  return q * as_eigen(model.eigenvalues).asDiagonal() * q.transpose();
}

/// |A - B|_F relative to |B|_F, without overflow for entries beyond 1e154.
inline double relative_difference(const Matrix<double>& a, const Matrix<double>& b) {
  return (a - b).stableNorm() / b.stableNorm();
}

/// roipca::subspace_error, of orthonormal columns.
template <typename U, typename V>
double subspace_error(const Eigen::MatrixBase<U>& u, const Eigen::MatrixBase<V>& v) {
  return roipca::subspace_error(to_rows(u.transpose()), to_rows(v.transpose()));
}

/// The sine of the angle between two subspaces (Frobenius norm over all angles), not its square.
inline double subspace_angle(const Matrix<double>& u, const Matrix<double>& v) {
  return std::sqrt(subspace_error(u, v));
}

template <typename T>
bool all_finite(const Model<T>& model) {
  return std::isfinite(model.weight) && std::isfinite(model.weight_pairs) &&
         as_eigen(model.mean).allFinite() && as_eigen(model.mean_tail).allFinite() &&
         as_eigen(model.scatter).allFinite() && as_eigen(model.eigenvalues).allFinite() &&
         as_eigen(model.basis).allFinite();
}

}  // namespace roipca::support
