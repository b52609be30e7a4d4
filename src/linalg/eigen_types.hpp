/// Short names for Eigen's types, which the library uses internally. Its build renames their namespace, so
/// that they never conflict with those of a program that is compiled with other options: see the top
/// CMakeLists.txt.
#pragma once

#include "roipca/eigen.hpp"

namespace roipca {

template <typename T>
using Matrix = EigenColumns<T>;
template <typename T>
using RowMatrix = EigenRows<T>;
template <typename T>
using Vector = EigenVector<T>;

}  // namespace roipca
