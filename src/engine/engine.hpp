/// The interface of every method to the estimator.
#pragma once

#include <memory>
#include <optional>
#include <stdexcept>
#include <vector>

#include "intake/moments.hpp"
#include "intake/row_block.hpp"
#include "model/spectrum.hpp"
#include "state/archive.hpp"

namespace roipca {

/// Keeps a scatter matrix, or its leading eigenpairs, and adds blocks of rows to it. The blocks come from an
/// Intake, which has done everything else to the rows; the eigenpairs are returned as a Spectrum.
///
/// An engine for another kind of rows derives from this class and adds an overload of `absorb` for its block,
/// a BlockWeights with rows of its own.
///
/// Thread safety: const functions may run concurrently.
template <typename T>
class Engine {
 public:
  virtual ~Engine() = default;
  virtual std::unique_ptr<Engine> clone() const = 0;

  /// Returns the number of rows in a full block. Engines that take one row at a time get rows that are
  /// centred one by one.
  virtual Index block_rows() const = 0;

  /// Adds the rows X of a closed block: scatter <- decay * (rescale * scatter + X^T X). The rows are scratch
  /// afterwards. Allocates nothing, apart from readings of the components to score rows by and room for the
  /// first scores: if memory ends there, the block is added without scores.
  void absorb(RowBlock<T>& block) {
    if (block.rescale != 1.0) rescale(block.rescale);
    add(block);
    if (block.decay != 1.0) rescale(block.decay);
  }

  /// Starts from known eigenpairs instead of from nothing.
  virtual void start(const Spectrum<T>& spectrum) = 0;

  /// Settles the engine and returns its eigenpairs, at most as many as it holds. This may change the bits of
  /// everything that follows: call it on a copy that is not used afterwards.
  virtual Spectrum<T> settle() = 0;
  /// Returns the present eigenpairs. Changes nothing.
  virtual Spectrum<T> spectrum() const { return clone()->settle(); }
  /// Returns whether `reported_spectrum` may take much less time than `spectrum`.
  virtual bool has_reported_spectrum(double /*tolerance*/) const { return false; }
  /// Returns the eigenpairs that are reported, without the others, or nothing if they cannot be found alone.
  /// Their residuals are at most `tolerance` times the largest eigenvalue, or rounding if that is larger.
  virtual std::optional<Spectrum<T>> reported_spectrum(double /*tolerance*/) const { return std::nullopt; }

  /// Merges another scatter: scatter <- rescale * scatter + factor * the other's scatter + step step^T. Both
  /// engines must keep the scatter itself.
  virtual void merge(const Engine& /*other*/, const typename Moments<T>::Joint& /*joint*/) {
    throw std::logic_error("this engine keeps no scatter matrix");
  }

  /// Returns about how many numbers a copy of the engine copies.
  virtual Index size() const = 0;
  /// Returns OnlinePca::learning_rates, in the unit of the blocks.
  virtual std::vector<double> learning_rates() const { return {}; }
  /// Lists the members that must survive a stop: see state::Archive.
  virtual void visit_state(state::Archive& archive) = 0;

  /// Adds a diagonal: scatter <- scatter + diag(diagonal). An engine of eigenpairs spreads it over all
  /// directions that it does not hold.
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
