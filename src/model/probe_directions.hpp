/// Random directions that are the same on every machine.
#pragma once

#include "linalg/eigen_types.hpp"

namespace roipca {

/// Returns `count` directions of independent standard normal numbers, features x count. Each number is a
/// function of its place alone, by integer arithmetic and IEEE operations: no machine, instruction set or
/// mathematical library changes a bit, directions do not depend on `count`, and nothing has to be stored. In
/// float they are rounded.
template <typename T>
Matrix<T> probe_directions(Index features, Index count);

extern template Matrix<float> probe_directions(Index, Index);
extern template Matrix<double> probe_directions(Index, Index);

}  // namespace roipca
