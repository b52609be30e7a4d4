/// One stream of rows, dense or sparse.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/dense_stream.hpp"
#include "engine/mergeable.hpp"
#include "intake/given_sparse_rows.hpp"
#include "sparse/sparse_stream.hpp"

namespace roipca {

/// Turns rows into a model. Sparse rows cost their nonzeros as long as all rows are sparse, the method has a
/// sparse engine, and sparse arithmetic is accurate enough for them; otherwise they are expanded. When dense
/// rows follow sparse ones, or sparse rows follow dense ones, the stream resumes from its model. All of this
/// depends on the rows alone, never on how they were divided into calls.
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

  /// Adds the rows [from, to); rows of weight 0 are left out. If it throws DataError for a row that was not
  /// checked, the rows before it have been added.
  void absorb(const GivenRows<T>& given, Index from, Index to);
  void absorb(const GivenSparseRows<T>& given, Index from, Index to);

  /// Fills missing values with this model of `rows` rows until the stream has more rows.
  void fill_by(const FillModel& model, std::int64_t rows) { dense().fill_by(model, rows); }
  /// Returns the number of rows without any value.
  std::int64_t empty_rows() const { return dense_ ? dense_->empty_rows() : 0; }

  /// Changes the rate of a rule that has one. The rule resumes from its eigenpairs.
  void set_learning_rate(const LearningRate& rate);

  /// Adds the rows of another stream, after the weight of all earlier rows was multiplied by `decay`. See
  /// adds_scatters.
  void merge(const Stream& other, double decay) { dense().merge(*other.dense_, decay); }
  /// Returns a stream of the same kind without rows.
  Stream without_rows() const { return Stream(options_, features_); }
  bool adds_scatters() const { return roipca::adds_scatters(options_, features_); }

  /// Returns the number of rows of positive weight.
  std::int64_t rows() const;
  /// Returns the model. Reading changes nothing: rows that wait for a full block are added to a copy.
  Model<T> model() const;
  /// Returns a model with the reported components only, if that takes much less time or memory, or that of
  /// `model`, if it had to be found: see the two kinds of streams.
  std::optional<Model<T>> reported(double tolerance) const;
  std::vector<double> learning_rates() const;
  /// Returns about how many numbers a copy of the stream copies.
  Index size() const;

  /// Does not include the options, from which streams are made.
  void visit_state(state::Archive& archive);

 private:
  DenseStream<T>& dense();
  SparseStream<T>& sparse();
  DenseStream<T> expanded(const SparseStream<T>& from) const;
  void expand(const GivenSparseRows<T>& given, Index i);

  Options options_;
  Index features_;
  // At most one of the two has rows, and neither before the first row.
  std::unique_ptr<DenseStream<T>> dense_;
  std::unique_ptr<SparseStream<T>> sparse_;
  bool sparse_suffices_;  // whether sparse rows are added without expanding them
};

extern template class Stream<float>;
extern template class Stream<double>;

}  // namespace roipca
