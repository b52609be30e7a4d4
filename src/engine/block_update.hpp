/// Many rows at once: ROIPCA's answer at level 3.
#pragma once

#include "dense/symmetric_eigen.hpp"
#include "engine/row_block.hpp"
#include "roipca/options.hpp"
#include "state/archive.hpp"

namespace roipca {

/// Leading eigenpairs of a scatter matrix, with the components as rows for the kernels.
template <typename T>
struct HeldPairs {
  HeldPairs(Index features, Index capacity)
      : components(capacity, features), values(Vector<double>::Zero(capacity)) {}

  Index features() const { return components.length(); }
  Index capacity() const { return values.size(); }

  void visit_state(state::Archive& archive) {
    archive.count(rank, capacity());
    archive(components.columns(rank), values, trace);
  }

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
/// it takes; the rows are never orthogonalised. In the long run the rows of a block weigh little against
/// Lambda, and the eigenproblem of order k + b gives way to products of small matrices and one of order k:
/// see kernels::LeadingSolver. Allocates at construction only.
template <typename T>
class BlockUpdate {
 public:
  BlockUpdate(Index capacity, Index max_rows);

  /// Adds the block's rows X, and `shift` times the identity outside of what they and the components span.
  void apply(HeldPairs<T>& pairs, const RowBlock<T>& block, const Mu& mu, double shift = 0.0);

  /// Takes out what the components have drifted from orthonormality, where it passes 512 roundings.
  void restore(HeldPairs<T>& pairs);

  void visit_state(state::Archive& archive) { archive(since_check_); }

 private:
  void measure(const HeldPairs<T>& pairs, const RowBlock<T>& block);
  bool solve_by_iteration(const HeldPairs<T>& pairs, Index count, double mu);
  Index solve(const HeldPairs<T>& pairs, Index count, double mu);
  void rotate(HeldPairs<T>& pairs, const RowBlock<T>& block, Index kept);
  void keep_orthonormal(HeldPairs<T>& pairs, bool squared);
  double measure_drift(const HeldPairs<T>& pairs);
  void orthonormalise(HeldPairs<T>& pairs);

  RowMatrix<double> projections_;  // Y
  RowMatrix<double> products_;     // K; or Q^T Q, to measure drift
  Vector<double> root_;            // h
  Vector<double> along_;           // products with the roots of the rows' weights
  SymmetricEigen eigen_;
  Vector<double> values_;   // the new eigenvalues, less mu
  Matrix<double> vectors_;  // of [Q, X^T], the new components
  Vector<double> work_;
  RowMatrix<T> coefficients_;
  Vector<T> panel_;
  int since_check_ = 0;
};

extern template class BlockUpdate<float>;
extern template class BlockUpdate<double>;

}  // namespace roipca
