/// Divides the rows of a call among several streams.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/paced_check.hpp"
#include "estimator/stream.hpp"
#include "intake/given_rows.hpp"

namespace roipca {

/// One stream for each thread that the options ask for. Rows go to the streams in turn, a fixed number at a
/// time, counted from the first row of all: neither the end of a call nor the scheduling of threads matters.
/// The model is the merged model of all streams.
template <typename T>
class Shards {
 public:
  /// Has no streams until the width of the rows is known.
  Shards() = default;
  Shards(const Options& options, Index features);
  /// The first stream resumes from the model, the others are empty.
  explicit Shards(const Model<T>& model);

  bool empty() const { return streams_.empty(); }

  /// Adds the rows [from, to) of a call (GivenRows or GivenSparseRows). The first row of the call is row
  /// `position` of all given rows, whatever their weights. The calling thread calls `interrupt` every few
  /// rows; an exception from it ends the call. After an exception, some rows have been added: use a copy. Of
  /// several bad rows, the first is reported.
  template <typename Given>
  void absorb(const Given& given, Index from, Index to, std::int64_t position, PacedCheck& interrupt);

  /// Fills missing values with this model of `rows` rows until a stream has more rows.
  void fill_by(const FillModel& model, std::int64_t rows) {
    for (Stream<T>& stream : streams_) stream.fill_by(model, rows);
  }

  void set_learning_rate(const LearningRate& rate);

  /// Adds the rows of other shards, after the weight of all earlier rows was multiplied by `decay`. Both must
  /// have rows: see adds_scatters.
  void merge(const Shards& other, double decay);

  /// Returns the number of rows of positive weight.
  std::int64_t rows() const;
  /// Returns the model. There must be at least one row.
  Model<T> model() const;
  /// See Stream::reported.
  std::optional<Model<T>> reported(double tolerance) const;
  std::vector<double> learning_rates() const;
  /// Returns about how many numbers a copy copies.
  Index size() const;

  void visit_state(state::Archive& archive);

 private:
  Stream<T> joined() const;
  void add_streams(const Options& options, Index features);
  template <typename Given>
  void absorb_in_parallel(const Given& given, Index from, Index to, std::int64_t position,
                          PacedCheck& interrupt);
  template <typename Given, typename Between>
  void absorb_turns(std::size_t turn, const Given& given, Index from, Index to, std::int64_t position,
                    Between&& between);

  std::vector<Stream<T>> streams_;
};

extern template class Shards<float>;
extern template class Shards<double>;

}  // namespace roipca
