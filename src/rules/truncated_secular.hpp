/// The common part of ROIPCA and fROIPCA: the truncated secular equation.
#pragma once

#include <algorithm>

#include "rules/mu.hpp"
#include "secular/rank_one_eigen.hpp"

namespace roipca {

/// With v = Q z + r, the paper's truncated secular equation (eq. TSE) is the secular equation of the small
/// matrix diag(lambda_1 .. lambda_k, mu) + w w^T, w = (z, |r|), in the orthonormal basis [Q, r/|r|]; its
/// eigenvectors are the paper's truncated eigenvector formula (eq. TEF). Allocates at construction only.
class TruncatedSecular {
 public:
  TruncatedSecular(const Mu& mu, Index features, Index capacity)
      : mu_(mu),
        features_(features),
        capacity_(capacity),
        poles_(Vector<double>::Zero(capacity + 1)),
        w_(Vector<double>::Zero(capacity + 1)),
        eigen_(static_cast<std::size_t>(capacity) + 1) {}

  /// Solves for one row. Takes the eigenvalues before the row and the sum of those that are not held, the
  /// row's coordinates z, |r|, which is 0 if there is no residual, and the weight of the rows before it, in
  /// squared units.
  void solve(const Eigen::Ref<const Vector<double>>& values, double unheld, double weight,
             const Eigen::Ref<const Vector<double>>& z, double residual) {
    rank_ = values.size();
    order_ = rank_ + (residual > 0.0 ? 1 : 0);
    poles_.head(rank_) = values;
    poles_[rank_] = unheld_eigenvalue(mu_, values, capacity_, features_, values.sum() + unheld, weight);
    w_.head(rank_) = z;
    w_[rank_] = residual;
    const auto order = static_cast<std::size_t>(order_);
    eigen_.compute({poles_.data(), order}, {w_.data(), order}, 1.0);
  }

  /// Returns the number of eigenpairs to hold now.
  Index kept() const { return order_ < capacity_ ? order_ : capacity_; }
  /// Returns by how much the sum of the eigenvalues that are not held grows: the dropped root takes the place
  /// of mu. In exact arithmetic, the trace minus the held eigenvalues is the same. But components of T
  /// determine the largest of them only to epsilon times itself, which may exceed the sum of all that are not
  /// held.
  double growth_of_unheld() const {
    return order_ > capacity_
               ? std::max(eigen_.values()[static_cast<std::size_t>(capacity_)] - poles_[rank_], 0.0)
               : 0.0;
  }
  auto values() const { return Eigen::Map<const Vector<double>>(eigen_.values().data(), kept()); }
  /// Returns the eigenvectors, one per column, in the basis [Q, r/|r|], or Q if there is no residual.
  auto vectors() const { return Eigen::Map<const Matrix<double>>(eigen_.vectors().data(), order_, kept()); }

 private:
  Mu mu_;
  Index features_;
  Index capacity_;
  Index rank_ = 0;
  Index order_ = 0;
  Vector<double> poles_;
  Vector<double> w_;
  secular::RankOneEigen eigen_;
};

}  // namespace roipca
