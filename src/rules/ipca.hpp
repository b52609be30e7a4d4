/// IPCA (Arora, Cotter, Livescu and Srebro 2012).
#pragma once

#include <algorithm>
#include <limits>

#include "basis/orthonormal.hpp"
#include "basis/rotation.hpp"
#include "basis/split.hpp"
#include "linalg/symmetric_eigen.hpp"
#include "rules/basis_rule.hpp"

namespace roipca {

/// The scatter is assumed to have rank k: [[Lambda + z z^T, |r| z], [|r| z^T, |r|^2]] in the basis [Q,
/// r/|r|], solved by a dense eigensolver. O(k^2 d + k^3) per row.
template <typename T>
class IpcaRule final : public BasisRule<T, IpcaRule<T>> {
 public:
  IpcaRule(Index features, Index capacity)
      : BasisRule<T, IpcaRule<T>>(features, capacity),
        splitter_(capacity),
        rotation_(capacity + 1),
        guard_(capacity, kRowsBetweenLooks),
        small_(capacity + 1, capacity + 1),
        eigen_(capacity + 1) {}

  void absorb(Eigen::Ref<Vector<T>> row, const Step& step) override {
    Eigen::Map<Vector<T>> v(this->slot(), this->features());
    v = row;
    this->trace_ += step.squared_norm;
    const Index rank = this->rank_;
    const double residual =
        splitter_.split(this->rows_.view(rank), this->rows_.padded_length(), step.squared_norm, v.data());
    const Index order = rank + (residual > 0.0 ? 1 : 0);
    const auto w = splitter_.coordinates().head(order);
    auto small = small_.topLeftCorner(order, order);
    small.noalias() = w * w.transpose();
    small.diagonal().head(rank) += this->values_.head(rank);
    eigen_.compute(small);

    const Index kept = std::min(order, this->capacity());
    if (residual > 0.0) v *= static_cast<T>(1.0 / residual);
    rotation_.apply(this->rows_, residual > 0.0 ? v.data() : nullptr, eigen_.vectors(kept));
    this->rank_ = kept;
    this->values_.head(kept) = eigen_.values().head(kept).cwiseMax(0.0);
    guard_.watch(this->components(), step.rows_before);
  }

  /// Leaves out the eigenpairs that the dense eigensolver cannot tell from rounding of the largest. The rule
  /// keeps them, because the contributions of later rows to them add up.
  Spectrum<T> spectrum() const override {
    const auto values = this->values_.head(this->rank_);
    const double rounding = static_cast<double>(this->rank_ + 1) * std::numeric_limits<double>::epsilon();
    const Index told = this->rank_ > 0 ? (values.array() > rounding * values[0]).count() : 0;
    return {this->components().leftCols(told), values.head(told), this->trace_};
  }

 private:
  // The vectors of the dense eigensolver are off orthonormal by several roundings at every row. A check costs
  // a small part of the 64 rotations before it.
  static constexpr Index kRowsBetweenLooks = 64;

  Splitter<T> splitter_;
  Rotation<T> rotation_;
  DriftGuard<T> guard_;
  Matrix<double> small_;
  linalg::SymmetricEigen eigen_;
};

}  // namespace roipca
