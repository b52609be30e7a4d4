/// Compares models and numbers to the last bit, so that 0 and -0 differ.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "roipca/model.hpp"

namespace roipca::support {

template <typename Array>
bool same_bits(const Array& a, const Array& b) {
  if constexpr (requires { a.rows(); }) {
    if (a.rows() != b.rows() || a.cols() != b.cols()) return false;
  }
  if (a.size() != b.size()) return false;
  const auto size = static_cast<std::size_t>(a.size()) * sizeof(*a.data());
  return size == 0 || std::memcmp(a.data(), b.data(), size) == 0;
}

inline bool same_bits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

/// Returns the name of the first field that differs; empty if none does.
template <typename T>
std::string first_difference(const Model<T>& a, const Model<T>& b) {
  if (!(a.options == b.options)) return "options";
  if (!(a.resolved == b.resolved)) return "resolved";
  if (a.n_components != b.n_components) return "n_components";
  if (a.rows != b.rows) return "rows";
  if (!same_bits(a.weight, b.weight)) return "weight";
  if (!same_bits(a.weight_pairs, b.weight_pairs)) return "weight_pairs";
  if (!same_bits(a.scatter_trace, b.scatter_trace)) return "scatter_trace";
  if (!same_bits(a.mean, b.mean)) return "mean";
  if (!same_bits(a.mean_tail, b.mean_tail)) return "mean_tail";
  if (!same_bits(a.scatter, b.scatter)) return "scatter";
  if (!same_bits(a.eigenvalues, b.eigenvalues)) return "eigenvalues";
  if (!same_bits(a.basis, b.basis)) return "basis";
  if (a.feature_names != b.feature_names) return "feature_names";
  if (a.parameters != b.parameters) return "parameters";
  return {};
}

}  // namespace roipca::support
