/// CCIPCA (Weng, Zhang and Hwang 2003).
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "rules/basis_rule.hpp"

namespace roipca {

/// Each component, scaled by its eigenvalue, is a running mean of (u . q) u. The part of the row that it
/// explains is subtracted before the next component sees the row. The amnesic parameter l gives the new row
/// the share (1 + l) / n instead of 1 / n. O(k d) per row. Components are orthonormal only in the limit; a
/// reading makes them so.
///
/// Lengths that favour late rows are compared with a trace that favours them as much: if late rows are
/// larger, a length exceeds the scatter of all rows. A reading returns the lengths as shares of that trace,
/// times the trace itself.
template <typename T>
class CcipcaRule final : public BasisRule<T, CcipcaRule<T>> {
 public:
  CcipcaRule(const Options& options, Index features, Index capacity)
      : BasisRule<T, CcipcaRule<T>>(features, capacity), amnesia_(options.amnesia) {}

  void absorb(Eigen::Ref<Vector<T>> u, const Step& step) override {
    this->trace_ += step.squared_norm;
    // The paper's shares (n - 1 - l) / n and (1 + l) / n of a mean, as factors of a sum. At first, l is
    // smaller, because a row would otherwise wipe out the few rows before it. Written so that weights of very
    // different size cancel nothing.
    const double amnesia = std::min(amnesia_ * step.weight, kEarlyAmnesia * step.weight_before);
    const double keep = step.weight_before > 0.0 ? 1.0 - amnesia / step.weight_before : 0.0;
    const double gain = 1.0 + amnesia / step.weight;
    amnesic_trace_ = keep * amnesic_trace_ + gain * step.squared_norm;
    const double whole = std::sqrt(step.squared_norm);
    for (Index i = 0; i < this->rank_; ++i) {
      auto q = this->basis().col(i);
      const auto along = static_cast<double>(u.dot(q));
      q = static_cast<T>(keep * this->values_[i]) * q + static_cast<T>(gain * along) * u;
      const double length = std::sqrt(q.template cast<double>().squaredNorm());
      if (length > 0.0) {
        q *= static_cast<T>(1.0 / length);
      } else {
        q.setUnit(i);
      }
      this->values_[i] = length;
      u -= u.dot(q) * q;
    }
    const double rest = std::sqrt(u.template cast<double>().squaredNorm());
    if (this->rank_ < this->capacity() && rest > kNoise * whole) {
      this->basis().col(this->rank_) = u * static_cast<T>(1.0 / rest);
      this->values_[this->rank_] = rest * rest;
      ++this->rank_;
    }
    this->keep_sorted();
  }

  void rescale(double factor) override {
    Base::rescale(factor);
    amnesic_trace_ *= factor;
  }

  void start(const Spectrum<T>& spectrum) override {
    Base::start(spectrum);
    amnesic_trace_ = this->trace_;
  }

  Spectrum<T> spectrum() const override {
    auto spectrum = this->orthonormal_spectrum();
    if (amnesic_trace_ > 0.0) spectrum.values *= this->trace_ / amnesic_trace_;
    return spectrum;
  }

  void visit_state(state::Archive& archive) override {
    Base::visit_state(archive);
    archive(amnesic_trace_);
  }

 private:
  using Base = BasisRule<T, CcipcaRule<T>>;

  // Below this fraction of the row, the remainder is rounding.
  static constexpr double kNoise = 16.0 * double{std::numeric_limits<T>::epsilon()};

  // Largest fraction of the earlier rows that a row may replace.
  static constexpr double kEarlyAmnesia = 0.1;

  double amnesia_;
  double amnesic_trace_ = 0.0;
};

}  // namespace roipca
