/// GHA, the generalised Hebbian algorithm (Sanger 1989).
#pragma once

#include <cmath>

#include "rules/gradient_rule.hpp"

namespace roipca {

/// q_i <- q_i + eta z_i (v - sum_{k <= i} z_k q_k), then normalised. O(k d) per row. Components are
/// orthonormal only in the limit; a reading makes them so.
template <typename T>
class GhaRule final : public GradientRule<T, GhaRule<T>> {
 public:
  GhaRule(const Options& options, Index features, Index capacity)
      : GradientRule<T, GhaRule<T>>(options, features, capacity),
        orthonormal_(capacity, features),
        unused_(capacity) {}

  /// Returns an orthonormal basis of the span of the components.
  simd::RowsView<T> span() {
    orthonormal_.columns(this->rank_) = this->components();
    const Index kept =
        orthonormalise_independent<T>(orthonormal_.columns(this->rank_), unused_.head(this->rank_));
    return orthonormal_.view(kept);
  }

  void climb(Eigen::Ref<Vector<T>> v, const Eigen::Ref<const Vector<T>>& z, double rate) {
    for (Index i = 0; i < this->rank_; ++i) {
      auto q = this->basis().col(i);
      v -= z[i] * q;
      q += static_cast<T>(rate * static_cast<double>(z[i])) * v;
      q *= static_cast<T>(1.0 / std::sqrt(q.template cast<double>().squaredNorm()));
    }
  }

  Spectrum<T> spectrum() const override { return this->orthonormal_spectrum(); }

 private:
  simd::AlignedRows<T> orthonormal_;
  Vector<double> unused_;  // values that go with its columns
};

}  // namespace roipca
