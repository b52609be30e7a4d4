/// The common part of the rules that hold the components themselves.
#pragma once

#include <algorithm>
#include <memory>
#include <utility>

#include "basis/orthonormal.hpp"
#include "rules/rule.hpp"
#include "simd/aligned_rows.hpp"

namespace roipca {

/// Components and eigenvalues, growing from none to `capacity()` columns.
template <typename T, typename Derived>
class BasisRule : public Rule<T> {
 public:
  /// `spare_rows` follow the rows of the components, for the rule's own use.
  BasisRule(Index features, Index capacity, Index spare_rows = 0)
      : Rule<T>(features), rows_(capacity + spare_rows, features), values_(Vector<double>::Zero(capacity)) {}

  std::unique_ptr<Rule<T>> clone() const final {
    return std::make_unique<Derived>(static_cast<const Derived&>(*this));
  }

  void rescale(double factor) override {
    values_ *= factor;
    trace_ *= factor;
  }

  void start(const Spectrum<T>& spectrum) override {
    rank_ = std::min(spectrum.basis.cols(), capacity());
    components() = spectrum.basis.leftCols(rank_);
    values_.head(rank_) = spectrum.values.head(rank_);
    trace_ = spectrum.trace;
  }

  Spectrum<T> spectrum() const override { return {components(), values_.head(rank_), trace_}; }

  void visit_state(state::Archive& archive) override {
    archive.count(rank_, capacity());
    archive(components(), values_, trace_);
  }

 protected:
  Index features() const { return rows_.length(); }
  Index capacity() const { return values_.size(); }
  /// All columns, and the columns in use.
  auto basis() { return rows_.columns(capacity()); }
  auto components() { return rows_.columns(rank_); }
  auto components() const { return rows_.columns(rank_); }

  /// Returns the spectrum of a rule whose unit columns are orthonormal only in the limit.
  Spectrum<T> orthonormal_spectrum() const {
    Spectrum<T> spectrum{components(), values_.head(rank_), trace_};
    const Index kept = orthonormalise_independent<T>(spectrum.basis, spectrum.values);
    spectrum.basis.conservativeResize(Eigen::NoChange, kept);
    spectrum.values.conservativeResize(kept);
    return spectrum;
  }

  /// Keeps the eigenvalues in descending order if a rule only estimates them: neighbours change places, with
  /// their columns.
  void keep_sorted() {
    for (Index i = 1; i < rank_; ++i) {
      for (Index j = i; j > 0 && values_[j] > values_[j - 1]; --j) {
        std::swap(values_[j], values_[j - 1]);
        basis().col(j).swap(basis().col(j - 1));
      }
    }
  }

  simd::AlignedRows<T> rows_;  // the components, then spare rows
  Vector<double> values_;
  double trace_ = 0.0;
  Index rank_ = 0;
};

}  // namespace roipca
