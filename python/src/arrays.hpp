/// NumPy arrays as Eigen sees them, and back, without copies.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>

#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include "roipca/types.hpp"

namespace roipca::python {

namespace nb = nanobind;

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
