/// One stream of rows: an intake and an engine behind it.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/engine.hpp"
#include "intake/given_rows.hpp"
#include "intake/intake.hpp"
#include "roipca/model.hpp"

namespace roipca {

/// Rows go in, a model comes out. Knows nothing of calls or of other streams.
template <typename T>
class Stream {
 public:
  Stream(const Options& options, Index features);
  /// Resumes from a model.
  explicit Stream(const Model<T>& model);

  Stream(const Stream& other);
  Stream(Stream&&) noexcept = default;
  Stream& operator=(const Stream&) = delete;
  Stream& operator=(Stream&&) noexcept = default;
  ~Stream() = default;

  /// Adds the rows [from, to) after checking those that were not; rows of weight 0 are left out. Throws
  /// DataError, and then has added those before. Allocates nothing.
  void absorb(const GivenRows<T>& given, Index from, Index to);

  /// Changes the rate of a rule that has one. It goes on from its eigenpairs.
  void set_learning_rate(const LearningRate& rate);

  /// Number of rows of positive weight.
  std::int64_t rows() const { return intake_.rows(); }
  /// Reading changes nothing: rows that wait for their block to fill are added to a copy. Costs one copy of
  /// the engine and one step.
  Model<T> model() const;
  std::vector<double> learning_rates() const;
  /// How many numbers a copy of the stream copies, about.
  Index size() const { return engine_->size(); }

  /// Not the options, from which streams are made.
  void visit_state(state::Archive& archive) { archive(intake_, *engine_); }

 private:
  void add(simd::RowsView<T> rows, const double* weights);

  Options options_;
  std::unique_ptr<Engine<T>> engine_;
  Intake<T> intake_;
};

extern template class Stream<float>;
extern template class Stream<double>;

}  // namespace roipca
