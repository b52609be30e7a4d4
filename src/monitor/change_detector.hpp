/// Detects changes of a stream.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "monitor/change_chart.hpp"
#include "monitor/change_reference.hpp"
#include "roipca/model.hpp"

namespace roipca {

/// Compares rows, before they are learned, with a model of earlier rows: the mean logarithms of T^2 and SPE
/// of groups of 16 rows each go to a ChangeChart. The first 64 groups after the beginning or after a change
/// are compared, because they determine what is usual. Later, only one group in 16 is compared, because a
/// comparison costs a good part of an update; but all groups are while the charts suspect a change (a chart
/// with variable sampling intervals: Reynolds, Amin and Arnold 1990) or the next model is tried.
///
/// The model stays the same until the rows that it covers have doubled, or, if old rows are forgotten, have
/// all been replaced: with a model that learns, scores would fall for a long time in a stream that does not
/// change. Its successor is first used beside it, until the level of its scores is known, and not while the
/// charts suspect a change, so that no change is missed meanwhile.
///
///     for (Index i = 0; i < rows; ) {
///       if (detector.wants_model()) detector.use(model of the rows so far);
///       Index end = detector.compare(rows from i on); learn the rows [i, end); i = end;
///     }
///
/// The result depends on the rows alone, never on how they were divided into calls.
template <typename T>
class ChangeDetector {
 public:
  ChangeDetector() = default;
  /// `reading_costs` is the number of rows that take as long to learn as a model takes to read.
  ChangeDetector(const Options& options, Index features, Index reading_costs);
  /// Resumes with the changes that were found before.
  void resume(const Change& known) { change_ = known; }

  /// Returns whether the next row must be compared with a model of all `rows` rows before it.
  bool wants_model(std::int64_t rows) const;
  void use(const Model<T>& model, std::int64_t rows);
  /// Waits for as many rows as until the model after that one: memory has ended while it was read or taken.
  /// If the stream has just changed, rows are compared with nothing until then.
  void do_without(std::int64_t rows);

  /// Compares the rows [from, to) (GivenRows or GivenSparseRows), after `rows` earlier rows. Returns the
  /// number of the first row that needs another model, or `to`.
  template <typename Given>
  Index compare(const Given& given, Index from, Index to, std::int64_t rows);

  Change value() const;
  void visit_state(state::Archive& archive);

 private:
  static constexpr Index kGroup = 16;
  static constexpr std::int64_t kScoredAtFirst = 64;  // groups
  static constexpr std::int64_t kScoredEvery = 16;

  // Number of groups that determine the level of the scores of the next model.
  static constexpr std::int64_t kGroupsForLevel = 16;

  using Logs = typename ChangeReference<T>::Logs;

  bool is_in_turn() const { return group_ < kScoredAtFirst || group_ % kScoredEvery == 0; }
  bool is_scored() const { return is_in_turn() || next_ || sum() > ChangeChart::kUsual; }
  bool is_due(std::int64_t rows, std::int64_t numbers) const {
    return rows >= model_at_ && numbers >= numbers_at_;
  }
  bool is_ready() const { return charts_[0].is_ready() && charts_[1].is_ready(); }
  double sum() const;
  void plan_next(std::int64_t rows);
  void end_group(std::int64_t rows);
  void compare_group(std::int64_t rows);
  void report_change();
  void visit_reference(state::Archive& archive, std::optional<ChangeReference<T>>& reference);

  Index features_ = 0;
  Index most_filling_ = 0;
  bool has_gaps_ = false;
  std::int64_t memory_ = 0;           // number of rows after which all are replaced; 0: never
  std::int64_t least_between_ = 0;    // least number of rows between two models; 0: there is no model
  std::int64_t model_at_ = 0;         // number of rows at which another model is wanted
  std::int64_t numbers_between_ = 0;  // the same for the numbers in rows since the last model
  std::int64_t numbers_at_ = 0;
  std::int64_t numbers_ = 0;  // number of numbers in rows since the last model
  std::optional<ChangeReference<T>> reference_;
  std::optional<ChangeReference<T>> next_;  // replaces the model as soon as its level is known
  std::int64_t group_ = 0;                  // number of the group since the beginning or the last change
  Index in_group_ = 0;                      // number of rows
  std::int64_t compared_ = 0;               // the number of rows up to the last group that was compared
  Logs sums_ = {};
  Logs next_sums_ = {};
  Logs next_levels_ = {};         // sums of the values of the next model
  std::int64_t next_groups_ = 0;  // number of these values
  std::array<ChangeChart, 2> charts_;
  bool has_changed_ = false;  // just now: the next row needs another model
  Change change_;
};

extern template class ChangeDetector<float>;
extern template class ChangeDetector<double>;

}  // namespace roipca
