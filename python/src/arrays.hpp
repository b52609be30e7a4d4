/// NumPy arrays as Eigen sees them, and back, without copies; bytes; work that needs no interpreter.
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
#include <type_traits>
#include <utility>

#include "roipca/types.hpp"

namespace roipca::python {

namespace nb = nanobind;

/// Returns work(), with the interpreter free for other threads.
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
  without_gil([&] { std::memcpy(to, bytes.data(), bytes.size()); });  // nobody else knows the object yet
  return result;
}

template <typename T>
using Array = nb::ndarray<const T, nb::c_contig, nb::device::cpu>;

template <typename T>
Eigen::Map<const RowMatrix<T>> rows_of(const Array<T>& array) {
  if (array.ndim() != 2) {
    throw std::invalid_argument("Expected 2D array, got " + std::to_string(array.ndim()) + "D array instead");
  }
  return {array.data(), static_cast<Index>(array.shape(0)), static_cast<Index>(array.shape(1))};
}

template <typename T>
Eigen::Map<const Vector<T>> vector_of(const Array<T>& array) {
  if (array.ndim() != 1) {
    throw std::invalid_argument("Expected 1D array, got " + std::to_string(array.ndim()) + "D array instead");
  }
  return {array.data(), static_cast<Index>(array.shape(0))};
}

inline Eigen::Map<const Eigen::VectorXd> weights_of(const std::optional<Array<double>>& weights) {
  if (!weights) return {nullptr, 0};
  return vector_of(*weights);
}

/// NumPy takes the matrix over.
template <typename M>
auto to_numpy(M&& matrix) {
  using Owned = std::remove_cvref_t<M>;
  using T = typename Owned::Scalar;
  constexpr int kDimensions = Owned::ColsAtCompileTime == 1 ? 1 : 2;
  auto* kept = new Owned(std::forward<M>(matrix));
  const nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<Owned*>(p); });
  const std::size_t shape[2] = {static_cast<std::size_t>(kept->rows()),
                                static_cast<std::size_t>(kept->cols())};
  return nb::ndarray<nb::numpy, T, nb::ndim<kDimensions>>(kept->data(), kDimensions, shape, owner);
}

}  // namespace roipca::python
