/// ROIPCA (and IPCA, with mu = 0) by blocks.
#pragma once

#include <algorithm>
#include <memory>

#include "engine/block_rule.hpp"
#include "engine/block_update.hpp"

namespace roipca {

template <typename T>
class LeadingPairs final : public BlockRule<T> {
 public:
  LeadingPairs(const Options& options, Index features, Index block_rows)
      : mu_(options.method == Method::kIpca ? Mu::zero() : options.mu),
        pairs_(features, capacity(options, features).held),
        update_(pairs_.capacity(), block_rows + 1) {}

  std::unique_ptr<BlockRule<T>> clone() const override { return std::make_unique<LeadingPairs>(*this); }

  void absorb(RowBlock<T>& block) override { update_.apply(pairs_, block, mu_); }

  void rescale(double factor) override { pairs_.rescale(factor); }

  void start(const Spectrum<T>& spectrum) override {
    pairs_.rank = std::min(spectrum.basis.cols(), pairs_.capacity());
    pairs_.components.columns(pairs_.rank) = spectrum.basis.leftCols(pairs_.rank);
    pairs_.values.head(pairs_.rank) = spectrum.values.head(pairs_.rank);
    pairs_.trace = spectrum.trace;
    pairs_.settled = true;
  }

  Spectrum<T> spectrum() const override {
    LeadingPairs settled(*this);
    auto& pairs = settled.pairs_;
    settled.update_.settle(pairs);
    return {pairs.components.columns(pairs.rank), pairs.values.head(pairs.rank), pairs.trace};
  }

  void visit_state(state::Archive& archive) override { archive(pairs_, update_); }

 private:
  Mu mu_;
  HeldPairs<T> pairs_;
  BlockUpdate<T> update_;
};

}  // namespace roipca
