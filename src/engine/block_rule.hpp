/// ROIPCA (and IPCA, with mu = 0) by blocks.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>

#include "engine/block_update.hpp"
#include "rules/rule.hpp"

namespace roipca {

/// Collects rows until a block is full and adds them all at once. Reading works on a copy, so that it does
/// not move the borders of blocks.
template <typename T>
class BlockRule final : public Rule<T> {
 public:
  BlockRule(const Options& options, Index features, Index capacity, Index block_rows)
      : Rule<T>(features),
        mu_(options.method == Method::kIpca ? Mu::zero() : options.mu),
        pairs_(features, capacity),
        update_(capacity, block_rows, features),
        block_(block_rows, features),
        factors_(Vector<double>::Ones(block_rows)) {}

  std::unique_ptr<Rule<T>> clone() const override { return std::make_unique<BlockRule>(*this); }

  T* slot() override { return block_.row(filled_); }

  void absorb(Eigen::Ref<Vector<T>> v, const Step& step) override {
    if (filled_ == 0) weight_ = step.weight_before * step.unit * step.unit;
    if (v.data() != slot()) block_.columns(filled_ + 1).col(filled_) = v;
    factors_[filled_] = 1.0;
    if (++filled_ == factors_.size()) flush();
  }

  void rescale(double factor) override {
    pairs_.values *= factor;
    pairs_.trace *= factor;
    weight_ *= factor;
    factors_.head(filled_) *= std::sqrt(factor);
  }

  void start(const Spectrum<T>& spectrum) override {
    pairs_.rank = std::min(spectrum.basis.cols(), pairs_.capacity());
    pairs_.components.columns(pairs_.rank) = spectrum.basis.leftCols(pairs_.rank);
    pairs_.values.head(pairs_.rank) = spectrum.values.head(pairs_.rank);
    pairs_.trace = spectrum.trace;
    filled_ = 0;
  }

  Spectrum<T> spectrum() const override {
    BlockRule settled(*this);
    if (settled.filled_ > 0) settled.flush();
    settled.update_.restore(settled.pairs_);
    const auto& [components, values, trace, rank] = settled.pairs_;
    return {components.columns(rank), values.head(rank), trace};
  }

 private:
  void flush() {
    update_.apply(pairs_, block_, factors_, filled_, mu_, weight_);
    filled_ = 0;
  }

  Mu mu_;
  HeldPairs<T> pairs_;
  BlockUpdate<T> update_;
  kernels::AlignedRows<T> block_;
  Vector<double> factors_;  // by which forgetting has scaled each row since it came
  Index filled_ = 0;
  double weight_ = 0.0;  // of the rows before the block
};

}  // namespace roipca
