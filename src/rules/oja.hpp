/// Oja's rule for several components (Oja and Karhunen's stochastic gradient ascent).
#pragma once

#include "rules/gradient_rule.hpp"

namespace roipca {

/// Q <- Q + eta v z^T, orthonormalised by Gram-Schmidt in the components' order. O(k^2 d) a row. The
/// eigenvalue of a component is the sum of the squared projections of the rows on it.
template <typename T>
class OjaRule final : public GradientRule<T, OjaRule<T>> {
 public:
  using GradientRule<T, OjaRule<T>>::GradientRule;

  void climb(const Eigen::Ref<const Vector<T>>& v, const Eigen::Ref<const Vector<T>>& z, double rate) {
    this->values_.head(this->rank_) += z.template cast<double>().cwiseAbs2();
    for (Index i = 0; i < this->rank_; ++i) {
      this->basis().col(i) += static_cast<T>(rate * static_cast<double>(z[i])) * v;
    }
    orthonormalise<T>(this->components());
  }
};

}  // namespace roipca
