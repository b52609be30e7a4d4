/// An update rule as an engine.
#pragma once

#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "engine/engine.hpp"
#include "rules/rule.hpp"

namespace roipca {

/// Passes the row of each block to a rule.
template <typename T>
class RowByRow final : public Engine<T> {
 public:
  RowByRow(std::unique_ptr<Rule<T>> rule, Index size) : rule_(std::move(rule)), size_(size) {}

  std::unique_ptr<Engine<T>> clone() const override {
    return std::make_unique<RowByRow>(rule_->clone(), size_);
  }
  Index block_rows() const override { return 1; }

  void start(const Spectrum<T>& spectrum) override { rule_->start(spectrum); }
  Spectrum<T> settle() override { return rule_->spectrum(); }
  Spectrum<T> spectrum() const override { return rule_->spectrum(); }

  void spread(const Vector<double>& /*diagonal*/) override {
    throw std::logic_error("row-by-row rules do not fill missing values");
  }

  Index size() const override { return size_; }
  std::vector<double> learning_rates() const override { return rule_->learning_rates(); }
  void visit_state(state::Archive& archive) override { archive(*rule_); }

 protected:
  void add(RowBlock<T>& block) override {
    if (block.squared_norm == 0.0) return;
    rule_->absorb(block.rows.columns(1).col(0), {.weight_before = block.weight_before,
                                                 .weight = block.weight,
                                                 .squared_norm = block.squared_norm,
                                                 .unit = block.unit,
                                                 .rows_before = block.rows_before});
  }
  void rescale(double factor) override { rule_->rescale(factor); }

 private:
  std::unique_ptr<Rule<T>> rule_;
  Index size_;
};

}  // namespace roipca
