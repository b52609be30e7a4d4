/// What tests ask of models.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>

#include "roipca/model.hpp"
#include "roipca/subspace.hpp"

namespace roipca::support {

using Scalars = ::testing::Types<float, double>;

inline constexpr std::array kAllMethods = {Method::kRoipca,
                                           Method::kFroipca,
                                           Method::kIpca,
                                           Method::kCcipca,
                                           Method::kGha,
                                           Method::kOja,
                                           Method::kFrequentDirections,
                                           Method::kExact};

/// The methods that lose nothing of rows whose rank they can hold.
inline constexpr std::array kLosslessMethods = {Method::kRoipca, Method::kIpca, Method::kFrequentDirections,
                                                Method::kExact};

template <typename T>
inline constexpr double kEpsilon = double{std::numeric_limits<T>::epsilon()};

inline Options options_for(Method method, Index n_components) {
  Options options;
  options.method = method;
  options.n_components = n_components;
  return options;
}

template <typename Array>
bool same_bits(const Array& a, const Array& b) {
  if (a.rows() != b.rows() || a.cols() != b.cols()) return false;
  const auto size = static_cast<std::size_t>(a.size()) * sizeof(typename Array::Scalar);
  return size == 0 || std::memcmp(a.data(), b.data(), size) == 0;
}

inline bool same_bits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

/// Names the first field that differs; empty where none does.
template <typename T>
std::string first_difference(const Model<T>& a, const Model<T>& b) {
  if (!(a.options == b.options)) return "options";
  if (a.n_components != b.n_components) return "n_components";
  if (a.rows != b.rows) return "rows";
  if (!same_bits(a.weight, b.weight)) return "weight";
  if (!same_bits(a.weight_squares, b.weight_squares)) return "weight_squares";
  if (!same_bits(a.scatter_trace, b.scatter_trace)) return "scatter_trace";
  if (!same_bits(a.mean, b.mean)) return "mean";
  if (!same_bits(a.mean_tail, b.mean_tail)) return "mean_tail";
  if (!same_bits(a.scatter, b.scatter)) return "scatter";
  if (!same_bits(a.eigenvalues, b.eigenvalues)) return "eigenvalues";
  if (!same_bits(a.basis, b.basis)) return "basis";
  return {};
}

/// max |Q^T Q - I|.
template <typename T>
double orthonormality_error(const Matrix<T>& q) {
  const Matrix<double> wide = q.template cast<double>();
  return (wide.transpose() * wide - Matrix<double>::Identity(q.cols(), q.cols())).cwiseAbs().maxCoeff();
}

template <typename T>
Matrix<double> reported_basis(const Model<T>& model) {
  return model.basis.leftCols(model.n_components).template cast<double>();
}

/// Q Lambda Q^T: eigenvalues and eigenvectors in one matrix, which rounding changes little even where it
/// turns the eigenvectors of close eigenvalues.
template <typename T>
Matrix<double> modelled_scatter(const Model<T>& model) {
  const Matrix<double> q = model.basis.template cast<double>();
  return q * model.eigenvalues.asDiagonal() * q.transpose();
}

/// |A - B|_F relative to |B|_F, without overflow for entries beyond 1e154.
inline double relative_difference(const Matrix<double>& a, const Matrix<double>& b) {
  return (a - b).stableNorm() / b.stableNorm();
}

/// The sine of an angle between two subspaces (Frobenius norm over all angles), and not its square.
inline double subspace_angle(const Matrix<double>& u, const Matrix<double>& v) {
  return std::sqrt(subspace_error(u, v));
}

template <typename T>
bool all_finite(const Model<T>& model) {
  return std::isfinite(model.weight) && std::isfinite(model.weight_squares) && model.mean.allFinite() &&
         model.mean_tail.allFinite() && model.scatter.allFinite() && model.eigenvalues.allFinite() &&
         model.basis.allFinite();
}

}  // namespace roipca::support
