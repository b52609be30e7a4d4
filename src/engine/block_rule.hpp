/// What a method that adds rows by blocks is to the estimator.
#pragma once

#include <memory>

#include "intake/row_block.hpp"
#include "roipca/options.hpp"
#include "rules/rule.hpp"
#include "state/archive.hpp"

namespace roipca {

/// Like Rule, for blocks.
template <typename T>
class BlockRule {
 public:
  virtual ~BlockRule() = default;
  virtual std::unique_ptr<BlockRule> clone() const = 0;

  /// Scatter <- scatter + X^T X for the rows X of a closed block, which are scratch afterwards. Allocates
  /// nothing.
  virtual void absorb(RowBlock<T>& block) = 0;
  /// Scatter <- factor * scatter.
  virtual void rescale(double factor) = 0;
  /// Begins from known eigenpairs instead of from nothing.
  virtual void start(const Spectrum<T>& spectrum) = 0;
  /// The eigenpairs as they stand, at most as many as are held.
  virtual Spectrum<T> spectrum() const = 0;
  /// Shows what must outlive a stop: see state::Archive.
  virtual void visit_state(state::Archive& archive) = 0;

 protected:
  BlockRule() = default;
  BlockRule(const BlockRule&) = default;
  BlockRule& operator=(const BlockRule&) = default;
};

/// Whether the options ask for such a method.
bool by_blocks(const Options& options, Index features);

/// The rule that they ask for, and the number of rows that it takes at a time.
template <typename T>
std::unique_ptr<BlockRule<T>> make_block_rule(const Options& options, Index features);
Index block_rows(const Options& options, Index features);

}  // namespace roipca
