/// Oja's rule for several components (Oja and Karhunen's stochastic gradient ascent).
#pragma once

#include "rules/gradient_rule.hpp"

namespace roipca {

/// Q <- Q + eta v z^T, orthonormalised by Gram-Schmidt in the components' order. O(k^2 d) per row.
template <typename T>
class OjaRule final : public GradientRule<T, OjaRule<T>> {
 public:
  using GradientRule<T, OjaRule<T>>::GradientRule;

  /// Returns an orthonormal basis of the span of the components.
  simd::RowsView<T> span() const { return this->rows_.view(this->rank_); }

  void climb(const Eigen::Ref<const Vector<T>>& v, const Eigen::Ref<const Vector<T>>& z, double rate) {
    for (Index i = 0; i < this->rank_; ++i) {
      this->basis().col(i) += static_cast<T>(rate * static_cast<double>(z[i])) * v;
    }
    orthonormalise<T>(this->components());
  }
};

}  // namespace roipca
