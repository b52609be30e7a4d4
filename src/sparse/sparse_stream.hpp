/// One stream of sparse rows: from rows to blocks to components.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "monitor/score_moments.hpp"
#include "roipca/model.hpp"
#include "roipca/sparse.hpp"
#include "sparse/sparse_probe_sums.hpp"
#include "sparse/sparse_update.hpp"

namespace roipca {

/// Returns whether the method of the options adds rows of this width at the cost of their nonzeros.
bool has_sparse_engine(const Options& options, Index features);

/// Turns sparse rows into a model. Rows for which sparse arithmetic is not accurate enough are left to a
/// stream of dense rows: see `absorb`.
template <typename T>
class SparseStream {
 public:
  SparseStream(const Options& options, Index features);
  /// Resumes from a model.
  explicit SparseStream(const Model<T>& model);

  /// Adds row i, which has been checked and has a positive weight. Returns false if dense arithmetic must
  /// continue: the stream has then added all rows but those of `waiting`, of which this is the last.
  bool absorb(const SparseRows<T>& rows, Index i, double weight);
  /// Returns the rows that are not in a block yet, as they were given.
  const SparseBlock<T>& waiting() const { return block_; }

  /// Returns the number of rows.
  std::int64_t rows() const { return rows_; }
  /// Returns the model of all rows, or nothing if the waiting rows need dense arithmetic. Reading changes
  /// nothing.
  std::optional<Model<T>> model() const;
  /// Returns the same model without the components that are held beyond the reported ones, which takes half
  /// of the time and memory; or with them, if the reported ones depend on them; or nothing if there is no
  /// such short cut.
  std::optional<Model<T>> reported() const;
  /// Returns the model of all rows but the waiting ones.
  Model<T> model_without_waiting() const;
  /// Returns about how many numbers a copy copies.
  Index size() const { return features_ * held_; }

  void visit_state(state::Archive& archive);

 private:
  bool is_full() const;
  bool is_large() const { return block_.rows.count() > block_rows_; }
  bool close();
  bool close_in_pieces();
  bool absorb_block();
  void prepare_scores();
  double end_block();
  std::optional<Model<T>> read_large(Index components);
  void restore();

  Options options_;
  Index features_;
  Index held_;
  Index block_rows_;    // rows of a small block
  Index most_rows_;     // most rows of a large block
  Index most_entries_;  // number of entries at which a large block ends
  std::int64_t rows_ = 0;
  std::int64_t blocks_ = 0;
  SparseMoments<T> moments_;
  SparseBlock<T> block_;
  SparseUpdate<T> update_;
  ScoreMoments scores_;
  BlockScores block_scores_;
  SparseProbeSums<T> probes_;
};

extern template class SparseStream<float>;
extern template class SparseStream<double>;

}  // namespace roipca
