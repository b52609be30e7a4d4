/// One stream of rows: centring and an update rule.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/moments.hpp"
#include "roipca/model.hpp"
#include "rules/rule.hpp"

namespace roipca {

/// Rows go in one at a time, a model comes out. Knows nothing of checks, of calls or of other shards.
template <typename T>
class Shard {
 public:
  Shard(const Options& options, Index features);
  /// Goes on from a model, with the model's options.
  explicit Shard(const Model<T>& model);
  Shard(const Shard& other);
  Shard(Shard&&) noexcept = default;
  Shard& operator=(const Shard&) = delete;
  Shard& operator=(Shard&&) noexcept = default;
  ~Shard() = default;

  /// The row must be finite and the weight positive. Allocates nothing.
  void absorb(const T* row, double weight);

  /// Another rate for a rule that has one; it goes on from where it is.
  void set_learning_rate(const LearningRate& rate);

  std::int64_t rows() const { return rows_; }
  Model<T> model() const;
  std::vector<double> learning_rates() const;

 private:
  Options options_;
  std::int64_t rows_ = 0;
  Moments<T> moments_;
  std::unique_ptr<Rule<T>> rule_;
};

extern template class Shard<float>;
extern template class Shard<double>;

}  // namespace roipca
