/// The leading eigenpairs of a large symmetric matrix that is given by its products with vectors.
#pragma once

#include <cstdint>
#include <functional>

#include "linalg/symmetric_eigen.hpp"
#include "simd/aligned_rows.hpp"

namespace roipca {

/// Block Lanczos with full reorthogonalisation, for a positive semi-definite matrix. Vectors are rows here.
/// They are added eight at a time: the new parts of the last products. If nothing new is left, the search
/// continues in a random direction, so that multiple eigenvalues are found as well. The same matrix and the
/// same start always give the same bits.
///
/// The search ends when the residuals of the first half of the eigenpairs are below kResidual of their
/// values, on average, if it started from nothing; or when the sum of their values grows by less than
/// kTolerance while the basis grows by half the number of wanted eigenpairs; or when the basis has four
/// vectors for each wanted eigenpair. The error of an eigenvalue is about the square of its residual. In any
/// case, the result is orthonormal and diagonalises the matrix, to rounding.
class BlockLanczos {
 public:
  static constexpr Index kAtOnce = 8;
  static constexpr double kTolerance = 0x1p-7;
  static constexpr double kResidual = 0x1p-9;

  /// `products(v, p, count)` sets the first `count` rows of p to the products of the matrix with those of v.
  using Products =
      std::function<void(const simd::AlignedRows<double>&, simd::AlignedRows<double>&, Index count)>;

  BlockLanczos(Index length, Index wanted);

  /// Adds vectors to start from, at most `wanted` in all, before `solve`: estimates of the eigenvectors.
  void start(const simd::AlignedRows<double>& vectors, Index count, const Products& products);

  void solve(const Products& products);

  /// Returns the number of eigenpairs found: `wanted`, or the length of the vectors if that is smaller.
  Index count() const { return count_; }
  /// Returns the eigenvalues in descending order.
  Eigen::Ref<const Vector<double>> values() const { return eigen_.values(); }
  /// Returns the eigenvectors, one per row.
  const simd::AlignedRows<double>& vectors() const { return basis_; }
  simd::AlignedRows<double>& vectors() { return basis_; }

 private:
  void extend(const Products& products);
  void append(Index count, bool has_dots, const Products& products);
  bool are_orthogonal(Index count) const;
  std::uint64_t random_bits();
  void draw(double* row);
  double solve_projected();
  double residual() const;

  Index length_;
  Index wanted_;
  Index most_;
  Index size_ = 0;   // number of vectors of the basis
  Index added_ = 0;  // number of those that were added last
  Index count_ = 0;
  simd::AlignedRows<double> basis_;
  simd::AlignedRows<double> next_;    // vectors to be added
  simd::AlignedRows<double> images_;  // products of those that were added last
  simd::AlignedRows<double> sum_;     // of the products of all vectors to start from
  bool has_sum_ = false;
  Matrix<double> projected_;
  RowMatrix<double> dots_;  // of the basis with images_, after vectors were added
  Vector<double> panel_;
  linalg::SymmetricEigen eigen_;
  std::uint64_t random_ = 0x9E3779B97F4A7C15;  // any number but 0
};

}  // namespace roipca
