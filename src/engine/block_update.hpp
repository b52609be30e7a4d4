/// Many rows at once: ROIPCA's answer at level 3.
#pragma once

#include "dense/symmetric_eigen.hpp"
#include "kernels/aligned_rows.hpp"
#include "roipca/options.hpp"

namespace roipca {

/// Leading eigenpairs of a scatter matrix, with the components as rows for the kernels.
template <typename T>
struct HeldPairs {
  HeldPairs(Index features, Index capacity)
      : components(capacity, features), values(Vector<double>::Zero(capacity)) {}

  Index features() const { return components.length(); }
  Index capacity() const { return values.size(); }

  kernels::AlignedRows<T> components;
  Vector<double> values;
  double trace = 0.0;
  Index rank = 0;
};

/// The scatter is taken to be mu I + Q (Lambda - mu I) Q^T. Rows X add X^T X, so the new eigenvectors are
/// those of H H^T, H = [Q h, X^T], h = (Lambda - mu)^(1/2), and the new eigenvalues are theirs plus mu. H H^T
/// and the small Gram matrix
///
///     G = H^T H = [[h^2, h Y^T], [Y h, K]],    Y = X Q,  K = X X^T,
///
/// have the same eigenvalues sigma^2, and with G's eigenvectors V the new components are H V / sigma. So one
/// product of X with Q, one with itself, an eigenproblem of order k + b and one product of H with V are all
/// it takes; the rows are never orthogonalised. Allocates at construction only.
template <typename T>
class BlockUpdate {
 public:
  BlockUpdate(Index capacity, Index max_rows, Index features);

  /// Adds the first `count` rows of `rows`, each times its entry of `factors`, and `shift` times the identity
  /// outside of what they and the components span. `weight` is that of the rows seen so far, in squared
  /// units: see Mu::fixed.
  void apply(HeldPairs<T>& pairs, const kernels::AlignedRows<T>& rows, const Vector<double>& factors,
             Index count, const Mu& mu, double weight, double shift = 0.0);

  /// Takes out what the components have drifted from orthonormality, where it passes 512 roundings.
  void restore(HeldPairs<T>& pairs);

 private:
  Index solve(const HeldPairs<T>& pairs, const kernels::AlignedRows<T>& rows, const Vector<double>& factors,
              Index count, double mu);
  void rotate(HeldPairs<T>& pairs, const kernels::AlignedRows<T>& rows, const Vector<double>& factors,
              Index count, Index kept);
  void keep_orthonormal(HeldPairs<T>& pairs);
  double measure_drift(const HeldPairs<T>& pairs);
  void orthonormalise(HeldPairs<T>& pairs);

  RowMatrix<double> projections_;  // Y
  RowMatrix<double> products_;     // K; or Q^T Q, to measure drift
  Vector<double> root_;            // h
  SymmetricEigen eigen_;
  RowMatrix<T> coefficients_;
  Vector<T> panel_;
  int since_check_ = 0;
};

extern template class BlockUpdate<float>;
extern template class BlockUpdate<double>;

}  // namespace roipca
