/// One stream of rows: centring and a way to add rows to what is known.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "roipca/model.hpp"
#include "simd/table.hpp"
#include "state/archive.hpp"

namespace roipca {

/// Rows go in, a model comes out. Knows nothing of checks, of calls or of other shards.
template <typename T>
class Shard {
 public:
  virtual ~Shard() = default;
  virtual std::unique_ptr<Shard> clone() const = 0;

  /// Adds rows, which must be finite, of positive weights (null: 1). Allocates nothing.
  virtual void absorb(simd::RowsView<T> rows, const double* weights) = 0;

  /// Another rate for a rule that has one; it goes on from where it is.
  virtual void set_learning_rate(const LearningRate& /*rate*/) {}

  virtual std::int64_t rows() const = 0;
  /// On a copy of what has to be settled first: reading changes nothing.
  virtual Model<T> model() const = 0;
  virtual std::vector<double> learning_rates() const { return {}; }
  /// Shows what must outlive a stop: see state::Archive. Not the options, from which shards are made.
  virtual void visit_state(state::Archive& archive) = 0;

 protected:
  Shard() = default;
  Shard(const Shard&) = default;
  Shard& operator=(const Shard&) = default;
};

/// The kind of shard that the options ask for, empty or from where a model stopped.
template <typename T>
std::unique_ptr<Shard<T>> make_shard(const Options& options, Index features);
template <typename T>
std::unique_ptr<Shard<T>> make_shard(const Model<T>& model);

}  // namespace roipca
