/// Views NumPy arrays as rows and turns rows into NumPy arrays, without copies. Also bytes, and work without
/// the GIL.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>

#include <cstddef>
#include <cstring>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "roipca/types.hpp"

namespace roipca::python {

namespace nb = nanobind;

/// Returns work(), called without the GIL.
template <typename F>
auto without_gil(F&& work) {
  const nb::gil_scoped_release release;
  return work();
}

inline std::span<const std::byte> bytes_of(const nb::bytes& bytes) {
  return {static_cast<const std::byte*>(bytes.data()), bytes.size()};
}

inline nb::bytes to_python(std::span<const std::byte> bytes) {
  const nb::bytes result(nullptr, bytes.size());
  char* to = PyBytes_AsString(result.ptr());
  without_gil([&] { std::memcpy(to, bytes.data(), bytes.size()); });  // no other thread knows the object yet
  return result;
}

template <typename T>
using Array = nb::ndarray<const T, nb::c_contig, nb::device::cpu>;

template <typename T>
Rows<T> rows_of(const Array<T>& array) {
  if (array.ndim() != 2) {
    throw std::invalid_argument("Expected 2D array, got " + std::to_string(array.ndim()) + "D array instead");
  }
  return {array.data(), static_cast<Index>(array.shape(0)), static_cast<Index>(array.shape(1))};
}

template <typename T>
Row<T> vector_of(const Array<T>& array) {
  if (array.ndim() != 1) {
    throw std::invalid_argument("Expected 1D array, got " + std::to_string(array.ndim()) + "D array instead");
  }
  return {array.data(), static_cast<Index>(array.shape(0))};
}

inline Weights weights_of(const std::optional<Array<double>>& weights) {
  return weights ? vector_of(*weights) : Weights();
}

/// Moves the numbers to a NumPy array.
template <typename T>
auto to_numpy(std::vector<T> numbers) {
  auto* kept = new std::vector<T>(std::move(numbers));
  const nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return nb::ndarray<nb::numpy, T, nb::ndim<1>>(kept->data(), {kept->size()}, owner);
}

template <typename T>
auto to_numpy(OwnedRows<T> rows) {
  auto* kept = new OwnedRows<T>(std::move(rows));
  const nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<OwnedRows<T>*>(p); });
  const auto shape = {static_cast<std::size_t>(kept->rows()), static_cast<std::size_t>(kept->cols())};
  return nb::ndarray<nb::numpy, T, nb::ndim<2>>(kept->data(), shape, owner);
}

}  // namespace roipca::python
