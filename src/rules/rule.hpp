/// What every update rule is to the estimator.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "roipca/options.hpp"
#include "roipca/types.hpp"
#include "simd/aligned_rows.hpp"
#include "state/archive.hpp"

namespace roipca {

/// What a rule knows of the scatter matrix: leading eigenpairs, descending, and the trace.
template <typename T>
struct Spectrum {
  Matrix<T> basis;  // features x rank, orthonormal columns
  Vector<double> values;
  double trace = 0.0;
};

/// The circumstances of one update. The row v that comes with it is centred and weighted so that the scatter
/// changes by exactly v v^T, whatever the weights; `unit` is the power of two it was scaled by to keep its
/// squares in range.
struct Step {
  double weight_before = 0.0;  // of all rows so far
  double weight = 0.0;         // of this row; positive
  double squared_norm = 0.0;   // |v|^2; positive
  double unit = 1.0;
  std::int64_t rows_before = 0;

  double weight_after() const { return weight_before + weight; }
};

template <typename T>
class Rule {
 public:
  virtual ~Rule() = default;
  virtual std::unique_ptr<Rule> clone() const = 0;

  /// Where the next row for `absorb` is to be written.
  virtual T* slot() { return scratch_.row(0); }
  /// Scatter <- scatter + v v^T for the row v in the slot, which is scratch afterwards. Allocates nothing.
  void absorb_slot(const Step& step) { absorb(Eigen::Map<Vector<T>>(slot(), features_), step); }
  /// The same for a row that may lie elsewhere.
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
  explicit Rule(Index features) : features_(features), scratch_(1, features) {}
  Rule(const Rule&) = default;
  Rule& operator=(const Rule&) = default;

 private:
  Index features_;
  simd::AlignedRows<T> scratch_;
};

}  // namespace roipca
