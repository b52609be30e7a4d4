/// ROIPCA (the paper's algorithm 1).
#pragma once

#include "rules/rank_one_rule.hpp"

namespace roipca {

/// Updates eigenvalues by the truncated secular equation and components by the truncated eigenvector formula:
/// O(k^2 d) a row.
template <typename T>
class RoipcaRule final : public RankOneRule<T, RoipcaRule<T>> {
 public:
  using RankOneRule<T, RoipcaRule<T>>::RankOneRule;

  void absorb(Eigen::Ref<Vector<T>> v, const Step& step) override {
    this->solve(v, step);
    this->rotate(v);
    this->take_values();
    this->guard_.watch(this->components(), step.rows_before);
  }
};

}  // namespace roipca
