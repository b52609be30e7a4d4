/// Many rows at once: ROIPCA's answer at level 3.
#pragma once

#include <stdexcept>

#include "engine/block_split.hpp"
#include "linalg/operations.hpp"
#include "linalg/symmetric_eigen.hpp"
#include "roipca/options.hpp"
#include "state/archive.hpp"

namespace roipca {

/// The leading subspace of a scatter matrix, with its basis as aligned rows. When settled, the basis
/// consists of the eigenvectors, and `values` are their eigenvalues. Between, it is any well conditioned
/// basis Z, Q = Z `normal` is an orthonormal one, the scatter is Q `inner` Q^T on the subspace, and none of
/// its eigenvalues is below the last of `values`: rows only add to them.
template <typename T>
struct HeldPairs {
  HeldPairs(Index features, Index capacity)
      : components(capacity, features),
        values(Vector<double>::Zero(capacity)),
        inner(Matrix<double>::Zero((capacity + 7) / 8 * 8, capacity)),
        normal(inner) {}
  /// Components that are there already, with room for `components.count()`.
  HeldPairs(simd::AlignedRows<T> given, Index capacity)
      : components(std::move(given)),
        values(Vector<double>::Zero(capacity)),
        inner(Matrix<double>::Zero((capacity + 7) / 8 * 8, capacity)),
        normal(inner) {}

  Index features() const { return components.length(); }
  Index capacity() const { return values.size(); }
  double sum() const { return settled ? values.head(rank).sum() : inner.diagonal().sum(); }

  void rescale(double factor) {
    values *= factor;
    inner *= factor;
    trace *= factor;
  }

  void visit_state(state::Archive& archive) {
    archive.count(rank, capacity());
    archive(components.columns(rank), values, trace, settled);
    if (!settled && rank < capacity()) throw std::invalid_argument("a state that no estimator was in");
    if (!settled) archive(inner, normal);
  }

  simd::AlignedRows<T> components;
  Vector<double> values;
  Matrix<double> inner;   // padded as linalg wants it
  Matrix<double> normal;  // the same
  double trace = 0.0;
  Index rank = 0;
  bool settled = true;
};

/// The scatter is taken to be mu I + Q (Lambda - mu I) Q^T. Rows X = Y Q^T + W P^T (see BlockSplit) add X^T
/// X, so that in the basis [Q, P] the new scatter less mu is
///
///     A = [[Lambda - mu, 0], [0, 0]] + [Y, W]^T [Y, W].
///
/// With its leading eigenvectors V, the new components are [Q, P] V, and the new eigenvalues its own plus mu:
/// one product of X with Q, one with itself, an eigenproblem of order k + b and one product of [Q, X^T] with
/// a small matrix.
///
/// In the long run the rows of a block weigh little against Lambda. Then the new subspace is a small step
/// from the old one, which products of small matrices find, and which is taken by adding combinations of the
/// rows to the components: no eigenproblem, and no rotation of the components. Eigenvectors are found when
/// somebody reads them, and every few blocks. See simd::LeadingUpdate.
///
/// Allocates at construction only.
template <typename T>
class BlockUpdate {
 public:
  BlockUpdate(Index capacity, Index max_rows);

  /// Adds the block's rows X, and `shift` times the identity. The rows are scratch afterwards. A scorer
  /// scores them first if that is wanted.
  void apply(HeldPairs<T>& pairs, RowBlock<T>& block, const Mu& mu, double shift = 0.0,
             BlockScorer* scorer = nullptr);

  /// Finds the eigenpairs, and orthonormalises them where they have drifted by more than 512 roundings.
  void settle(HeldPairs<T>& pairs);

  void visit_state(state::Archive& archive) { archive(since_settled_); }

 private:
  void score(const HeldPairs<T>& pairs, RowBlock<T>& block, BlockScorer& scorer);
  double mu_of(const HeldPairs<T>& pairs, const RowBlock<T>& block, const Mu& mu) const;
  bool advance(HeldPairs<T>& pairs, const RowBlock<T>& block, double mu, double shift);
  void solve(HeldPairs<T>& pairs, RowBlock<T>& block, double mu, double shift);
  Index solve_small(const HeldPairs<T>& pairs, Index count, double mu);
  void express_by_rows(Index count, Index rank, Index kept);
  void take_coefficients(const RowBlock<T>& block, Index count, Index rank, Index kept);
  void rotate(HeldPairs<T>& pairs, simd::RowsView<T> rows, Index kept);
  double measure_drift(const HeldPairs<T>& pairs);
  void restore(HeldPairs<T>& pairs);
  void orthonormalise(HeldPairs<T>& pairs);

  BlockSplit<T> split_;
  simd::AlignedRows<double> coordinates_;  // [Y, W], a row per component or direction
  RowMatrix<double> small_;                // [Y, W]^T [Y, W]
  simd::AlignedRows<double> of_rows_;      // coefficients of X^T in the new components, a row per component
  RowMatrix<double> of_components_;        // what these add to those of Q
  linalg::SymmetricEigen eigen_;
  Vector<double> values_;   // the new eigenvalues, less mu
  Matrix<double> vectors_;  // the new components in the basis [Q, P], then as combinations of [Q, X^T]
  Vector<double> work_;
  RowMatrix<T> coefficients_;
  Vector<T> panel_;
  RowMatrix<double> gram_;    // Q^T Q
  Vector<double> column_;     // of the inverse of its factor
  Vector<double> variances_;  // along the components, for scores
  int since_settled_ = 0;
};

extern template class BlockUpdate<float>;
extern template class BlockUpdate<double>;

}  // namespace roipca
