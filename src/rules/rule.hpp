/// The interface of every update rule.
#pragma once

#include <memory>
#include <vector>

#include "intake/step.hpp"
#include "model/spectrum.hpp"
#include "roipca/options.hpp"
#include "simd/aligned_rows.hpp"
#include "state/archive.hpp"

namespace roipca {

template <typename T>
class Rule {
 public:
  virtual ~Rule() = default;
  virtual std::unique_ptr<Rule> clone() const = 0;

  /// Adds the row v: scatter <- scatter + v v^T. The row is scratch afterwards. Allocates nothing.
  virtual void absorb(Eigen::Ref<Vector<T>> v, const Step& step) = 0;
  /// Scales the scatter, for forgetting or another unit: scatter <- factor * scatter.
  virtual void rescale(double factor) = 0;
  /// Starts from known eigenpairs instead of from nothing.
  virtual void start(const Spectrum<T>& spectrum) = 0;
  /// Returns the present eigenpairs, at most as many as are held.
  virtual Spectrum<T> spectrum() const = 0;
  /// Lists the members that must survive a stop: see state::Archive.
  virtual void visit_state(state::Archive& archive) = 0;
  /// Returns OnlinePca::learning_rates, in the rule's unit.
  virtual std::vector<double> learning_rates() const { return {}; }

 protected:
  explicit Rule(Index features) : scratch_(1, features) {}
  Rule(const Rule&) = default;
  Rule& operator=(const Rule&) = default;

  /// Returns an aligned and padded place for one row, for rules that need their row in one.
  T* slot() { return scratch_.row(0); }

 private:
  simd::AlignedRows<T> scratch_;
};

}  // namespace roipca
