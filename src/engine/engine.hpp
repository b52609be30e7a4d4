/// The interface of every method to the estimator.
#pragma once

#include <memory>
#include <stdexcept>
#include <vector>

#include "intake/moments.hpp"
#include "intake/row_block.hpp"
#include "model/spectrum.hpp"
#include "state/archive.hpp"

namespace roipca {

/// Knows a scatter matrix, or its leading eigenpairs, and adds blocks of rows to it. The blocks come from an
/// Intake, which has done everything else to the rows; the eigenpairs leave as a Spectrum.
///
/// An engine for another kind of rows derives from this class and adds an overload of `absorb` for its block,
/// a BlockWeights with rows of its own.
///
/// Thread safety: const functions may run side by side.
template <typename T>
class Engine {
 public:
  virtual ~Engine() = default;
  virtual std::unique_ptr<Engine> clone() const = 0;

  /// The number of rows in a full block. Engines that take one row at a time get rows that are centred one by
  /// one.
  virtual Index block_rows() const = 0;

  /// Scatter <- decay * (rescale * scatter + X^T X) for the rows X of a closed block, which are scratch
  /// afterwards. Allocates nothing.
  void absorb(RowBlock<T>& block) {
    if (block.rescale != 1.0) rescale(block.rescale);
    add(block);
    if (block.decay != 1.0) rescale(block.decay);
  }

  /// Begins from known eigenpairs instead of from nothing.
  virtual void start(const Spectrum<T>& spectrum) = 0;

  /// Turns what the engine holds into eigenpairs, at most as many as it holds, and returns them. It may
  /// change the bits of everything that follows: call it on a copy that is not used afterwards.
  virtual Spectrum<T> settle() = 0;
  /// The eigenpairs as they stand. Changes nothing.
  virtual Spectrum<T> spectrum() const { return clone()->settle(); }

  /// Scatter <- rescale * scatter + factor * the other's scatter + step step^T. Both engines must keep the
  /// scatter itself.
  virtual void merge(const Engine& /*other*/, const typename Moments<T>::Joint& /*joint*/) {
    throw std::logic_error("this engine keeps no scatter matrix");
  }

  /// How many numbers a copy of the engine copies, about.
  virtual Index size() const = 0;
  /// See OnlinePca::learning_rates, in the unit of the blocks.
  virtual std::vector<double> learning_rates() const { return {}; }
  /// Lists everything that must outlive a stop: see state::Archive.
  virtual void visit_state(state::Archive& archive) = 0;

  /// Scatter <- scatter + diag(diagonal). An engine of eigenpairs takes it as spread over all directions that
  /// it does not hold.
  virtual void spread(const Vector<double>& diagonal) = 0;

 protected:
  Engine() = default;
  Engine(const Engine&) = default;
  Engine& operator=(const Engine&) = default;

  /// Scatter <- scatter + X^T X.
  virtual void add(RowBlock<T>& block) = 0;
  /// Scatter <- factor * scatter.
  virtual void rescale(double factor) = 0;
};

}  // namespace roipca
