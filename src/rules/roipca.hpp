/// ROIPCA (the paper's algorithm 1).
#pragma once

#include "basis/rotation.hpp"
#include "basis/split.hpp"
#include "rules/basis_rule.hpp"
#include "rules/truncated_secular.hpp"

namespace roipca {

/// Updates eigenvalues by the truncated secular equation and components by the truncated eigenvector formula:
/// O(k^2 d) a row.
template <typename T>
class RoipcaRule final : public BasisRule<T, RoipcaRule<T>> {
 public:
  RoipcaRule(const Options& options, Index features, Index capacity)
      : BasisRule<T, RoipcaRule<T>>(features, capacity),
        secular_(options.mu, features, capacity),
        splitter_(capacity),
        rotation_(capacity + 1),
        guard_(capacity) {}

  void absorb(Eigen::Ref<Vector<T>> row, const Step& step) override {
    const Index rank = this->rank_;
    Eigen::Map<Vector<T>> v(this->slot(), this->features());
    if (row.data() != v.data()) v = row;
    const double residual =
        splitter_.split(this->rows_.view(rank), this->rows_.padded_length(), step.squared_norm, v.data());
    secular_.solve(this->values_.head(rank), this->trace_, step.weight_before * step.unit * step.unit,
                   splitter_.coordinates().head(rank), residual);
    this->trace_ += step.squared_norm;
    if (residual > 0.0) v *= static_cast<T>(1.0 / residual);
    rotation_.apply(this->basis(), v.head(residual > 0.0 ? v.size() : 0), secular_.vectors());
    this->rank_ = secular_.kept();
    this->values_.head(this->rank_) = secular_.values();
    guard_.watch(this->components(), step.rows_before);
  }

 private:
  TruncatedSecular secular_;
  Splitter<T> splitter_;
  Rotation<T> rotation_;
  DriftGuard<T> guard_;
};

}  // namespace roipca
