/// Operations on small matrices, compiled once per level of simd/levels.hpp.
#pragma once

#include <cstddef>

#include "simd/levels.hpp"

namespace roipca::linalg {

/// Rounds an order up to a multiple of the doubles in the longest vector register.
constexpr std::ptrdiff_t padded(std::ptrdiff_t order) { return (order + 7) / 8 * 8; }

/// Number of columns of scratch that an EigenSolver needs.
constexpr std::ptrdiff_t kEigenWork = 5;

/// Computes the eigenpairs of a symmetric matrix of order n. `a` has its lower triangle, column-major with
/// `stride` (a multiple of 8, at least n), and is replaced by the eigenvectors, one per column. `values` are
/// in the same order, which is arbitrary. `work` is scratch of kEigenWork * stride numbers. All are 64-byte
/// aligned.
using EigenSolver = void (*)(std::ptrdiff_t n, double* a, std::ptrdiff_t stride, double* values,
                             double* work);

/// Computes a basis Q' of the leading k-dimensional invariant subspace of Q D Q^T + X^T X, for orthonormal
/// columns Q and b rows X, if D outweighs the part of the rows outside of Q. Instead of Q, Z with Q = Z M is
/// stored, so that an update only adds to Z. All k x k matrices are column-major with a `stride` that is a
/// multiple of 8.
struct LeadingUpdate {
  std::ptrdiff_t k;
  std::ptrdiff_t b;
  double least;      // lower bound on the eigenvalues of D
  double unheld;     // mean eigenvalue of the part that earlier updates left out, which limits the accuracy
  double tolerance;  // accuracy of the subspace; Q' is orthonormal to rounding in any case
  double* inner;     // D, positive definite; replaced by that of Q'
  double* normal;    // M; replaced by that of Z' and Q'
  std::ptrdiff_t stride;
  const double* dots;  // X Z, row by row
  std::ptrdiff_t dots_stride;
  const double* products;  // the lower triangle of X X^T, row by row
  std::ptrdiff_t products_stride;
  double* coefficients;  // column-major, with room for k + b rows
  std::ptrdiff_t coefficients_stride;
  double* work;  // leading_work(k, b) numbers
};

/// Returns the number f of leading columns Z_1 of Z that take part: Z' = Z + [Z_1, X^T] times the first f + b
/// rows of the coefficients. It is 0 unless Z would become badly conditioned. Returns kNoStep, and changes
/// nothing, if D does not outweigh the rest enough.
using LeadingSolver = std::ptrdiff_t (*)(const LeadingUpdate& update);
constexpr std::ptrdiff_t kNoStep = -1;
/// Returns the number of scratch numbers that a LeadingSolver needs.
using LeadingWork = std::ptrdiff_t (*)(std::ptrdiff_t k, std::ptrdiff_t b);

/// Reduces a symmetric matrix of order n, given as for an EigenSolver, to the tridiagonal Q^T A Q with the
/// diagonal d and the off-diagonal e, n numbers each. The reflectors of Q stay in the matrix, and their
/// factors in h.
using Tridiagonaliser = void (*)(std::ptrdiff_t n, double* a, std::ptrdiff_t stride, double* d, double* e,
                                 double* h, double* work);
/// Multiplies `columns` columns of x, which has the same stride, by Q.
using Reflectors = void (*)(std::ptrdiff_t n, const double* a, std::ptrdiff_t stride, const double* h,
                            double* x, std::ptrdiff_t columns, double* work);
/// Returns the number of scratch numbers that both need, 64-byte aligned.
using ReflectorWork = std::ptrdiff_t (*)(std::ptrdiff_t n, std::ptrdiff_t columns);

/// Computes out = A B, column-major, with strides that are multiples of 8; A has `rows` rows and `depth`
/// columns. The padding of its columns must be finite, and that of `out` is overwritten.
using Multiplier = void (*)(std::ptrdiff_t rows, std::ptrdiff_t columns, std::ptrdiff_t depth,
                            const double* a, std::ptrdiff_t a_stride, const double* b,
                            std::ptrdiff_t b_stride, double* out, std::ptrdiff_t out_stride);

struct Operations {
  EigenSolver eigen_solver;
  Tridiagonaliser tridiagonaliser;
  Reflectors reflectors;
  ReflectorWork reflector_work;
  Multiplier multiplier;
  LeadingWork leading_work;
  LeadingSolver leading_solver;
};

/// Return the operations of a level, which the machine must have, and those of the level in use.
const Operations& operations(simd::Level level);
const Operations& operations();

}  // namespace roipca::linalg
