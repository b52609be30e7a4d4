/// What ROIPCA and fROIPCA share: the truncated secular equation.
#pragma once

#include "basis/orthonormal.hpp"
#include "basis/rotation.hpp"
#include "basis/split.hpp"
#include "rules/basis_rule.hpp"
#include "rules/mu.hpp"
#include "secular/rank_one_eigen.hpp"

namespace roipca {

/// With v = Q z + r, the paper's truncated secular equation (eq. TSE) is the secular equation of the small
/// matrix diag(lambda_1 .. lambda_k, mu) + w w^T, w = (z, |r|), in the orthonormal basis [Q, r/|r|]; its
/// eigenvectors are the paper's truncated eigenvector formula (eq. TEF).
template <typename T, typename Derived>
class RankOneRule : public BasisRule<T, Derived> {
 public:
  RankOneRule(const Options& options, Index features, Index capacity)
      : BasisRule<T, Derived>(features, capacity),
        mu_(options.mu),
        splitter_(capacity),
        poles_(Vector<double>::Zero(capacity + 1)),
        eigen_(static_cast<std::size_t>(capacity) + 1),
        rotation_(capacity + 1),
        guard_(capacity) {}

 protected:
  using Base = BasisRule<T, Derived>;
  using Base::values_, Base::trace_, Base::rank_;

  /// Solves the small problem for the row v, which becomes the unit residual r/|r|, or of no meaning where
  /// |r| is 0. Returns |r|.
  double solve(Eigen::Ref<Vector<T>> v, const Step& step) {
    const double mu = unheld_eigenvalue(mu_, values_.head(rank_), this->capacity(), this->features(), trace_,
                                        step.weight_before * step.unit * step.unit);
    trace_ += step.squared_norm;
    const double residual = splitter_.split(this->components(), step.squared_norm, v);
    order_ = rank_ + (residual > 0.0 ? 1 : 0);
    poles_.head(rank_) = values_.head(rank_);
    poles_[rank_] = mu;
    const auto order = static_cast<std::size_t>(order_);
    eigen_.compute({poles_.data(), order}, {splitter_.coordinates().data(), order}, 1.0);
    if (residual > 0.0) v *= static_cast<T>(1.0 / residual);
    return residual;
  }

  /// The leading eigenvectors of the small matrix, one a column.
  Eigen::Map<const Matrix<double>> small_vectors(Index count) const {
    return {eigen_.vectors().data(), order_, count};
  }

  /// Turns the components into the updated ones, [Q, r/|r|] V: exact, O(k^2 d).
  void rotate(const Eigen::Ref<const Vector<T>>& unit_residual) {
    const Index kept = std::min(order_, this->capacity());
    const auto no_residual = unit_residual.head(0);
    this->rotation_.apply(this->basis_, order_ > rank_ ? unit_residual : no_residual, small_vectors(kept));
    rank_ = kept;
  }

  void take_values() {
    values_.head(rank_) = Eigen::Map<const Vector<double>>(eigen_.values().data(), rank_);
  }

  Mu mu_;
  Splitter<T> splitter_;
  Vector<double> poles_;
  secular::RankOneEigen eigen_;
  Rotation<T> rotation_;
  DriftGuard<T> guard_;
  Index order_ = 0;
};

}  // namespace roipca
