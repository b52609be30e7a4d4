/// One stream of dense rows: an intake followed by an engine.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "engine/engine.hpp"
#include "intake/given_rows.hpp"
#include "intake/imputation.hpp"
#include "intake/intake.hpp"
#include "intake/probe_sums.hpp"
#include "monitor/score_moments.hpp"
#include "roipca/model.hpp"

namespace roipca {

/// Turns rows into a model. Knows nothing of calls or of other streams.
template <typename T>
class DenseStream {
 public:
  DenseStream(const Options& options, Index features);
  /// Resumes from a model.
  explicit DenseStream(const Model<T>& model);

  DenseStream(const DenseStream& other);
  DenseStream(DenseStream&&) noexcept = default;
  DenseStream& operator=(const DenseStream&) = delete;
  DenseStream& operator=(DenseStream&&) noexcept = default;
  ~DenseStream() = default;

  /// Adds the rows [from, to), and checks those that have not been checked; rows of weight 0 are left out. If
  /// it throws DataError, the rows before the bad one have been added. Allocates nothing, apart from room
  /// for the first scores, what Engine::absorb allocates, and the filling of missing values.
  void absorb(const GivenRows<T>& given, Index from, Index to);

  /// Adds finite rows of positive weight (`weights` null: 1).
  void add(simd::RowsView<T> rows, const double* weights);

  /// Fills missing values with this model of `rows` rows, until the stream has more rows and a better model,
  /// or without end.
  void fill_by(const FillModel& model, std::int64_t rows);
  void fill_only_by(const FillModel& model);
  /// Returns the number of rows without any value.
  std::int64_t empty_rows() const { return empty_rows_; }

  /// Changes the rate of a rule that has one. The rule resumes from its eigenpairs.
  void set_learning_rate(const LearningRate& rate);

  /// Adds the rows of another stream, after the weight of all earlier rows was multiplied by `decay`. See
  /// adds_scatters.
  void merge(const DenseStream& other, double decay);

  /// Returns the number of rows of positive weight.
  std::int64_t rows() const { return intake_.rows(); }
  /// Returns the model. Reading changes nothing: rows that wait for a full block are added to a copy. Costs
  /// one copy of the engine and one update.
  Model<T> model() const;
  /// Returns a model with the reported components only, if that takes much less time. Their residuals are at
  /// most `tolerance` times the largest eigenvalue, or rounding. The model is for results along the
  /// components.
  std::optional<Model<T>> reported(double tolerance) const;
  std::vector<double> learning_rates() const;
  /// Returns about how many numbers a copy of the stream copies.
  Index size() const { return engine_->size() + probes_.size(); }

  /// Does not include the options, from which streams are made.
  void visit_state(state::Archive& archive) {
    archive(intake_, *engine_, scores_, probes_);
    if (imputation_) archive(*imputation_, empty_rows_);
  }

 private:
  void absorb_in_units(const GivenRows<T>& given, Index from, Index to);
  void absorb_checked(const GivenRows<T>& given, Index from, Index to);
  void absorb_with_gaps(const GivenRows<T>& given);
  void add_filled(T* row, double weight);
  void fill_gaps(T* row);
  void close_block();
  void absorb(RowBlock<T>& block, Engine<T>& engine, ScoreMoments& scores) const;
  void update_fill_model();
  static void add_covariance(Imputation& imputation, Intake<T>& intake, Engine<T>& engine);
  Model<T> written(const Intake<T>& intake, const Spectrum<T>& spectrum, const ScoreMoments& scores,
                   const ProbeSums<T>& probes) const;

  Options options_;
  std::unique_ptr<Engine<T>> engine_;
  Intake<T> intake_;
  std::optional<Imputation> imputation_;  // if missing values are filled
  std::int64_t empty_rows_ = 0;
  RowMatrix<T> in_units_;      // scratch
  Vector<double> deviations_;  // scratch
  ScoreMoments scores_;
  ProbeSums<T> probes_;
};

extern template class DenseStream<float>;
extern template class DenseStream<double>;

}  // namespace roipca
