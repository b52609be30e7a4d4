/// GHA, the generalised Hebbian algorithm (Sanger 1989).
#pragma once

#include <algorithm>
#include <cmath>

#include "rules/gradient_rule.hpp"

namespace roipca {

/// q_i <- q_i + eta z_i (v - sum_{k <= i} z_k q_k), then normalised. O(k d) a row. Orthonormal only in the
/// limit, and made so when read. The eigenvalue of a component is the sum of what it has taken off the rows
/// beyond the components before it: where two of them point the same way, the squared projections count twice
/// and would come to more than the rows have.
template <typename T>
class GhaRule final : public GradientRule<T, GhaRule<T>> {
 public:
  using GradientRule<T, GhaRule<T>>::GradientRule;

  void climb(Eigen::Ref<Vector<T>> v, const Eigen::Ref<const Vector<T>>& z, double rate) {
    double left = v.template cast<double>().squaredNorm();
    for (Index i = 0; i < this->rank_; ++i) {
      auto q = this->basis().col(i);
      const double squares = take_off(v, z[i], q.data());
      this->values_[i] += std::max(left - squares, 0.0);
      left = std::min(left, squares);
      q += static_cast<T>(rate * static_cast<double>(z[i])) * v;
      q *= static_cast<T>(1.0 / std::sqrt(q.template cast<double>().squaredNorm()));
    }
  }

  Spectrum<T> spectrum() const override { return this->orthonormal_spectrum(); }

 private:
  // v <- v - z q. Returns |v|^2, in the same pass.
  static double take_off(Eigen::Ref<Vector<T>> v, T z, const T* q) {
    constexpr Index kLanes = 16;
    using Lanes = Eigen::Array<T, kLanes, 1>;
    Lanes squares = Lanes::Zero();
    const Index whole = v.size() / kLanes * kLanes;
    for (Index i = 0; i < whole; i += kLanes) {
      const Lanes left = v.template segment<kLanes>(i).array() - z * Eigen::Map<const Lanes>(q + i);
      v.template segment<kLanes>(i) = left;
      squares += left.square();
    }
    auto end = v.tail(v.size() - whole);
    end -= z * Eigen::Map<const Vector<T>>(q + whole, end.size());
    return squares.template cast<double>().sum() + end.template cast<double>().squaredNorm();
  }
};

}  // namespace roipca
