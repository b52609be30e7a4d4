/// Operations on small matrices, compiled once per level of simd/levels.hpp.
#pragma once

#include <cstddef>

#include "simd/levels.hpp"

namespace roipca::linalg {

/// Eigenpairs of a symmetric matrix of order n: `a` holds its lower triangle, column-major with `stride` (a
/// multiple of 8, at least n), and is replaced by the eigenvectors, one a column; `values` come in the same
/// order, which is none in particular. `work` is scratch of 3 * stride numbers. All 64-byte aligned.
using EigenSolver = void (*)(std::ptrdiff_t n, double* a, std::ptrdiff_t stride, double* values,
                             double* work);

/// Q' of the leading k eigenvectors' subspace of Q D Q^T + X^T X, for orthonormal columns Q and b rows X
/// where D outweighs what the rows have outside of Q. Q is not kept itself, but Z with Q = Z M, so that an
/// update only needs to add to Z. All matrices of k x k numbers are column-major with a `stride` that is a
/// multiple of 8.
struct LeadingUpdate {
  std::ptrdiff_t k;
  std::ptrdiff_t b;
  double least;      // no eigenvalue of D is smaller
  double tolerance;  // to which the subspace is found; Q' is orthonormal to rounding in any case
  double* inner;     // D, positive definite; becomes that of Q'
  double* normal;    // M; becomes that of Z' and Q'
  std::ptrdiff_t stride;
  const double* dots;  // X Z, row by row
  std::ptrdiff_t dots_stride;
  const double* products;  // the lower triangle of X X^T, row by row
  std::ptrdiff_t products_stride;
  double* coefficients;  // of Z and X^T in Z', column-major, of k + b rows
  std::ptrdiff_t coefficients_stride;
  double* work;  // leading_work(k, b) numbers
};

enum class LeadingStep {
  kNone,    // D does not outweigh the rest by enough, and nothing was done
  kAdd,     // Z' = Z + X^T times the last b rows of the coefficients
  kRotate,  // Z' = Q' = [Z, X^T] times the coefficients: Z would no longer be well conditioned
};

using LeadingSolver = LeadingStep (*)(const LeadingUpdate& update);
/// Numbers of scratch that it needs.
using LeadingWork = std::ptrdiff_t (*)(std::ptrdiff_t k, std::ptrdiff_t b);

struct Operations {
  EigenSolver eigen_solver;
  LeadingWork leading_work;
  LeadingSolver leading_solver;
};

/// Those of a level, which the machine must have, and those of the level in use.
const Operations& operations(simd::Level level);
const Operations& operations();

}  // namespace roipca::linalg
