// The operations of operations.hpp for one level: compiled once per level, with ROIPCA_LEVEL defined.
#include "linalg/leading_update.hpp"
#include "linalg/operations.hpp"
#include "linalg/reflectors.hpp"
#include "linalg/tridiagonal_eigen.hpp"

namespace roipca::linalg::ROIPCA_LEVEL {

extern const Operations operations;
const Operations operations = {solve_eigen,       tridiagonalise_blocked, apply_reflectors, reflector_work,
                               multiply_matrices, leading_work,           advance_leading};

}  // namespace roipca::linalg::ROIPCA_LEVEL
