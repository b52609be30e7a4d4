/// ROIPCA (and IPCA, with mu = 0) by blocks of dense rows.
#pragma once

#include <algorithm>
#include <memory>

#include "engine/block_update.hpp"
#include "engine/engine.hpp"

namespace roipca {

template <typename T>
class DenseBlocks final : public Engine<T> {
 public:
  DenseBlocks(const Options& options, Index features, Index block_rows)
      : block_rows_(block_rows),
        mu_(options.method == Method::kIpca ? Mu::zero() : options.mu),
        pairs_(features, capacity(options, features).held),
        update_(pairs_.capacity(), block_rows + 1, features),
        scorer_(pairs_.capacity(), block_rows + 1) {}

  std::unique_ptr<Engine<T>> clone() const override { return std::make_unique<DenseBlocks>(*this); }
  Index block_rows() const override { return block_rows_; }

  void start(const Spectrum<T>& spectrum) override {
    pairs_.rank = std::min(spectrum.basis.cols(), pairs_.capacity());
    pairs_.components.columns(pairs_.rank) = spectrum.basis.leftCols(pairs_.rank);
    pairs_.values.head(pairs_.rank) = spectrum.values.head(pairs_.rank);
    pairs_.trace = spectrum.trace;
    pairs_.settled = true;
  }

  Spectrum<T> settle() override {
    update_.settle(pairs_);
    return {pairs_.components.columns(pairs_.rank), pairs_.values.head(pairs_.rank), pairs_.trace};
  }

  void spread(const Vector<double>& diagonal) override { pairs_.trace += diagonal.sum(); }

  Index size() const override { return pairs_.capacity() * pairs_.features(); }

  void visit_state(state::Archive& archive) override { archive(pairs_, update_); }

 protected:
  void add(RowBlock<T>& block) override { update_.apply(pairs_, block, mu_, 0.0, &scorer_); }
  void rescale(double factor) override { pairs_.rescale(factor); }

 private:
  Index block_rows_;
  Mu mu_;
  HeldPairs<T> pairs_;
  BlockUpdate<T> update_;
  BlockScorer scorer_;
};

}  // namespace roipca
