/// Compares models and numbers to the last bit, so that 0 and -0 differ.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

#include "model/fields.hpp"
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
  std::string first = a.options == b.options ? "" : "options";
  const auto note = [&](std::string_view name, bool is_same) {
    if (first.empty() && !is_same) first = name;
  };
  visit_values(
      [&](const ValueField& field, const auto& x, const auto& y) {
        if constexpr (std::is_same_v<decltype(x), const double&>) {
          note(field.name, same_bits(x, y));
        } else {
          note(field.name, x == y);
        }
      },
      a, b);
  visit_arrays(
      [&](const ArrayField& field, const auto& x, const auto& y) { note(field.name, same_bits(x, y)); }, a,
      b);
  return first;
}

}  // namespace roipca::support
