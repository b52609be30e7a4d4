/// An update rule as an engine.
#pragma once

#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "engine/engine.hpp"
#include "engine/reported_spectrum.hpp"
#include "monitor/row_scoring.hpp"
#include "rules/rule.hpp"

namespace roipca {

/// Passes the row of each block to a rule, after it was scored.
template <typename T>
class RowByRow final : public Engine<T> {
 public:
  /// The rule holds up to `held` components.
  RowByRow(std::unique_ptr<Rule<T>> rule, Index features, Index held)
      : rule_(std::move(rule)), features_(features), held_(held), scoring_(features, held) {}
  RowByRow(const RowByRow& other)
      : Engine<T>(other),
        rule_(other.rule_->clone()),
        features_(other.features_),
        held_(other.held_),
        scoring_(other.scoring_) {}
  RowByRow& operator=(const RowByRow&) = delete;

  std::unique_ptr<Engine<T>> clone() const override { return std::make_unique<RowByRow>(*this); }
  Index block_rows() const override { return 1; }

  void start(const Spectrum<T>& spectrum) override {
    rule_->start(spectrum);
    scoring_ = RowScoring<T>(features_, held_);
  }
  Spectrum<T> settle() override { return rule_->spectrum(); }
  Spectrum<T> spectrum() const override { return rule_->spectrum(); }

  void spread(const Vector<double>& /*diagonal*/) override {
    throw std::logic_error("row-by-row rules do not fill missing values");
  }

  Index size() const override { return 2 * held_ * features_; }
  std::vector<double> learning_rates() const override { return rule_->learning_rates(); }
  void visit_state(state::Archive& archive) override { archive(*rule_, scoring_); }

 protected:
  void add(RowBlock<T>& block) override {
    score_if_wanted(block.scores, [&] { score(block); });
    if (block.squared_norm == 0.0) return;
    rule_->absorb(block.rows.columns(1).col(0), {.weight_before = block.weight_before,
                                                 .weight = block.weight,
                                                 .squared_norm = block.squared_norm,
                                                 .unit = block.unit,
                                                 .rows_before = block.rows_before});
  }
  void rescale(double factor) override { rule_->rescale(factor); }

 private:
  void score(RowBlock<T>& block) {
    if (scoring_.is_due(block)) {
      Spectrum<T> spectrum = rule_->spectrum();
      // Reports the spectrum as a model does. The scorer leaves out what the rounding of the rows explains.
      make_reportable(spectrum, {.mean_squares = Vector<double>::Zero(features_),
                                 .freedom = block.freedom,
                                 .rows = static_cast<double>(block.rows_before)});
      scoring_.refresh(spectrum, block);
    }
    scoring_.score(block);
  }

  std::unique_ptr<Rule<T>> rule_;
  Index features_;
  Index held_;
  RowScoring<T> scoring_;
};

}  // namespace roipca
