/// What every update rule is to the estimator.
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

  /// Scatter <- scatter + v v^T for the row v, which is scratch afterwards. Allocates nothing.
  virtual void absorb(Eigen::Ref<Vector<T>> v, const Step& step) = 0;
  /// Scatter <- factor * scatter: forgetting, or another unit.
  virtual void rescale(double factor) = 0;
  /// Begins from known eigenpairs instead of from nothing.
  virtual void start(const Spectrum<T>& spectrum) = 0;
  /// The eigenpairs as they stand, at most as many as are held.
  virtual Spectrum<T> spectrum() const = 0;
  /// Shows what must outlive a stop: see state::Archive.
  virtual void visit_state(state::Archive& archive) = 0;
  /// See OnlinePca::learning_rates, in the rule's unit.
  virtual std::vector<double> learning_rates() const { return {}; }

 protected:
  explicit Rule(Index features) : scratch_(1, features) {}
  Rule(const Rule&) = default;
  Rule& operator=(const Rule&) = default;

  /// Room for one row, aligned and padded, for rules that need their row so.
  T* slot() { return scratch_.row(0); }

 private:
  simd::AlignedRows<T> scratch_;
};

}  // namespace roipca
