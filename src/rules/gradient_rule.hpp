/// The common part of GHA and Oja's rule: the learning rate, and eigenvalues as running sums.
#pragma once

#include <algorithm>
#include <vector>

#include "basis/orthonormal.hpp"
#include "basis/split.hpp"
#include "rules/basis_rule.hpp"

namespace roipca {

/// Components start as the first independent rows, orthonormalised. The eigenvalue of a component is the sum
/// of the squared projections of the rows on it.
template <typename T, typename Derived>
class GradientRule : public BasisRule<T, Derived> {
 public:
  GradientRule(const Options& options, Index features, Index capacity)
      : BasisRule<T, Derived>(features, capacity),
        c_(options.learning_rate.kind == LearningRate::Kind::kFixed ? options.learning_rate.c : 0.0),
        splitter_(capacity),
        z_(capacity) {}

  void absorb(Eigen::Ref<Vector<T>> v, const Step& step) final {
    this->trace_ += step.squared_norm;
    if (this->rank_ < this->capacity() && grow(v, step)) return;
    auto z = z_.head(this->rank_);
    z.noalias() = this->components().transpose() * v;
    this->values_.head(this->rank_) += z.template cast<double>().cwiseAbs2();
    last_ = rate(step);
    static_cast<Derived*>(this)->climb(v, z, last_);
    this->keep_sorted();
  }

  std::vector<double> learning_rates() const final {
    if (last_ == 0.0) return {};
    return std::vector<double>(static_cast<std::size_t>(this->rank_), last_);
  }

  void visit_state(state::Archive& archive) final {
    BasisRule<T, Derived>::visit_state(archive);
    archive(last_);
  }

 private:
  // A rate so large that the row replaces the component; a larger one would do the same until it overflows.
  static constexpr double kReplaces = 1e6;

  // c / n, or the inverse of the mean eigenvalue: fROIPCA's optimal rate for component i is close to 1 /
  // lambda_i.
  double rate(const Step& step) const {
    const double most = kReplaces / step.squared_norm;
    if (c_ > 0.0) return std::min(c_ / step.weight_after() / step.unit / step.unit, most);
    const double sum = this->values_.head(this->rank_).sum();
    return std::min(static_cast<double>(this->rank_) / sum, most);
  }

  // Adds the part of v outside the components as a new component. Returns false, and leaves v unchanged, if
  // there is no such part.
  bool grow(Eigen::Ref<Vector<T>> v, const Step& step) {
    auto fresh = this->basis().col(this->rank_);
    fresh = v;
    const Index rank = this->rank_;
    const simd::RowsView<T> span = static_cast<Derived*>(this)->span();
    const double residual =
        splitter_.split(span, this->rows_.padded_length(), step.squared_norm, fresh.data());
    if (residual == 0.0) return false;
    fresh *= static_cast<T>(1.0 / residual);
    this->values_.head(span.count) += splitter_.coordinates().head(span.count).cwiseAbs2();
    this->values_[rank] = residual * residual;
    ++this->rank_;
    this->keep_sorted();
    return true;
  }

  double c_;  // of the rate c / n; 0 for the scale-free rate
  Splitter<T> splitter_;
  Vector<T> z_;
  double last_ = 0.0;
};

}  // namespace roipca
