/// Adds many rows at once: the result of ROIPCA by products of matrices.
#pragma once

#include <stdexcept>
#include <string>

#include "engine/block_split.hpp"
#include "linalg/operations.hpp"
#include "linalg/symmetric_eigen.hpp"
#include "roipca/options.hpp"
#include "state/archive.hpp"

namespace roipca {

/// The leading subspace of a scatter matrix, with its basis as aligned rows. When settled, the basis consists
/// of the eigenvectors, and `values` are their eigenvalues. Between updates it may be any well-conditioned
/// basis Z: then Q = Z `normal` is orthonormal, the scatter on the subspace is Q `inner` Q^T, and none of its
/// eigenvalues is below the last of `values`, because rows only add to them.
template <typename T>
struct HeldPairs {
  HeldPairs(Index features, Index capacity)
      : components(capacity, features),
        values(Vector<double>::Zero(capacity)),
        inner(Matrix<double>::Zero((capacity + 7) / 8 * 8, capacity)),
        normal(inner) {}
  /// Takes components that already exist; `given` has room for `capacity` of them.
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
    if (!settled && rank < capacity()) {
      throw std::invalid_argument("invalid state: has " + std::to_string(rank) + " of " +
                                  std::to_string(capacity()) +
                                  " components, but a basis that is not settled has all of them");
    }
    if (!settled) archive(inner, normal);
  }

  simd::AlignedRows<T> components;
  Vector<double> values;
  Matrix<double> inner;   // padded as linalg requires
  Matrix<double> normal;  // padded in the same way
  double trace = 0.0;
  Index rank = 0;
  bool settled = true;
};

/// The scatter is assumed to be mu I + Q (Lambda - mu I) Q^T. Rows X = Y Q^T + W P^T (see BlockSplit) add X^T
/// X, so that in the basis [Q, P] the new scatter minus mu is
///
///     A = [[Lambda - mu, 0], [0, 0]] + [Y, W]^T [Y, W].
///
/// With the leading eigenvectors V of A, the new components are [Q, P] V, and the new eigenvalues are those
/// of A plus mu. This takes one product of X with Q, one of X with itself, an eigenproblem of order k + b and
/// one product of [Q, X^T] with a small matrix.
///
/// Later in a stream, the rows of a block weigh little compared with Lambda. The new subspace is then a small
/// step from the old one, which is computed by products of small matrices and applied by adding combinations
/// of the rows to the components, without an eigenproblem and without rotating the components. Eigenvectors
/// are computed when they are read, and every few blocks. See linalg::LeadingUpdate.
///
/// Allocates at construction only.
template <typename T>
class BlockUpdate {
 public:
  /// `features` is the number of features if products may be computed in single precision, or 0.
  BlockUpdate(Index capacity, Index max_rows, Index features = 0);

  /// Adds the rows X of the block, and `shift` times the identity. The rows are scratch afterwards. If scores
  /// are wanted, `scorer` scores the rows first.
  void apply(HeldPairs<T>& pairs, RowBlock<T>& block, const Mu& mu, double shift = 0.0,
             BlockScorer* scorer = nullptr);

  /// Computes the eigenpairs, and orthonormalises them if they have drifted by more than 512 roundings.
  void settle(HeldPairs<T>& pairs);

  void visit_state(state::Archive& archive) {
    archive(since_settled_, advanced_);
    copies_.outdate();
  }

 private:
  bool may_round(const HeldPairs<T>& pairs, const RowBlock<T>& block);
  void measure(const HeldPairs<T>& pairs, const RowBlock<T>& block, bool rounds);
  double square_of_all(const RowBlock<T>& block, bool rounds) const;
  void score(const HeldPairs<T>& pairs, RowBlock<T>& block, BlockScorer& scorer);
  double mu_of(const HeldPairs<T>& pairs, const RowBlock<T>& block, const Mu& mu) const;
  bool advance(HeldPairs<T>& pairs, const RowBlock<T>& block, double mu, double shift, bool rounds);
  void solve(HeldPairs<T>& pairs, RowBlock<T>& block, double mu, double shift);
  Index solve_small(const HeldPairs<T>& pairs, Index count, double mu);
  void express_by_rows(Index count, Index rank, Index kept);
  void take_coefficients(const RowBlock<T>& block, Index count, Index rank, Index kept);
  void rotate(HeldPairs<T>& pairs, simd::RowsView<T> rows, Index kept);
  void find_gram(const HeldPairs<T>& pairs);
  double drift_of_gram(Index rank) const;
  double find_drift_after_turn(const HeldPairs<T>& pairs, Index found);
  void divide_turn(Index count);
  void apply_turn(HeldPairs<T>& pairs, Index count);
  void restore(HeldPairs<T>& pairs);

  BlockSplit<T> split_;
  RoundedCopies copies_;
  simd::AlignedRows<double> coordinates_;  // [Y, W], one row per component or direction
  RowMatrix<double> small_;                // [Y, W]^T [Y, W]
  simd::AlignedRows<double> of_rows_;      // coefficients of X^T in the new components, one row per component
  RowMatrix<double> of_components_;        // their contribution to the coefficients of Q
  linalg::SymmetricEigen eigen_;
  Vector<double> values_;   // the new eigenvalues minus mu
  Matrix<double> vectors_;  // the new components in the basis [Q, P], then as combinations of [Q, X^T]
  Vector<double> work_;
  RowMatrix<T> coefficients_;
  Vector<T> panel_;
  simd::AlignedRows<double> gram_;    // Z^T Z, or that of Z turn_; its lower triangle row by row
  simd::AlignedRows<double> turn_;    // the eigenvectors as combinations of Z, one row per eigenvector
  simd::AlignedRows<double> turned_;  // Z^T Z times them
  double cancellation_ = 0.0;         // in Z turn_: see kMostCancellation
  Vector<double> variances_;          // along the components, for scores
  int since_settled_ = 0;
  bool advanced_ = false;  // whether the last block was a small step
};

extern template class BlockUpdate<float>;
extern template class BlockUpdate<double>;

}  // namespace roipca
