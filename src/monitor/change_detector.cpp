#include "monitor/change_detector.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "monitor/score_moments.hpp"

namespace roipca {
namespace {

constexpr std::int64_t kFewestBetweenModels = 64;
// Number of rows between two models, in multiples of the rows that take as long to learn as a model takes to
// read. Rows count by their numbers, of which sparse rows have few.
constexpr std::int64_t kReadingsCost = 16;

std::int64_t memory_of(const Options& options) {
  if (options.window) return *options.window;
  return options.forgetting < 1.0 ? static_cast<std::int64_t>(1.0 / (1.0 - options.forgetting)) : 0;
}

}  // namespace

template <typename T>
ChangeDetector<T>::ChangeDetector(const Options& options, Index features, Index reading_costs)
    : features_(features),
      most_filling_(fill_components(options, features)),
      has_gaps_(options.missing == Missing::kImpute),
      memory_(memory_of(options)) {
  const Index components =
      std::min(capacity(options, features).reported, ChangeReference<T>::kMostComponents);
  const std::int64_t fewest = rows_before_scores(components);
  if (memory_ > 0 && memory_ < 2 * fewest) return;  // too few rows to compare with
  least_between_ = std::max(kFewestBetweenModels, kReadingsCost * reading_costs);
  model_at_ = std::max<std::int64_t>(fewest, kReadingsCost * reading_costs / 2);
  numbers_between_ = kReadingsCost * reading_costs * features;
  numbers_at_ = kReadingsCost * reading_costs / 2 * features;
}

template <typename T>
bool ChangeDetector<T>::wants_model(std::int64_t rows) const {
  if (least_between_ == 0) return false;
  if (has_changed_) return true;
  if (in_group_ > 0 || !is_due(rows, numbers_) || next_) return false;
  return !reference_ || sum() <= ChangeChart::kUsual;
}

template <typename T>
void ChangeDetector<T>::use(const Model<T>& model, std::int64_t rows) {
  plan_next(rows);
  if (reference_ && !has_changed_) {
    next_.emplace(model);
    next_sums_ = next_levels_ = {};
    next_groups_ = 0;
  } else {
    reference_.emplace(model);
    next_.reset();
    has_changed_ = false;
  }
}

template <typename T>
void ChangeDetector<T>::do_without(std::int64_t rows) {
  plan_next(rows);
  if (!has_changed_) return;
  reference_.reset();
  next_.reset();
  has_changed_ = false;
}

template <typename T>
void ChangeDetector<T>::plan_next(std::int64_t rows) {
  const std::int64_t covered = memory_ > 0 ? std::min(rows, memory_) : rows;
  model_at_ = rows + std::max(least_between_, covered);
  numbers_at_ = numbers_between_;
  numbers_ = 0;
}

template <typename T>
template <typename Given>
Index ChangeDetector<T>::compare(const Given& given, Index from, Index to, std::int64_t rows) {
  for (Index i = from; i < to;) {
    if (!given.counts(i)) {
      ++i;
      continue;
    }
    if (wants_model(rows)) return i;
    Index end = i + 1;
    const Index most = reference_ ? kGroup - in_group_ : to - i;
    numbers_ += given.numbers(i);
    while (end < to && end - i < most && given.counts(end) &&
           (reference_ || least_between_ == 0 || !is_due(rows + (end - i), numbers_))) {
      numbers_ += given.numbers(end++);
    }
    const Index count = end - i;
    if (reference_) {
      if (is_scored()) reference_->add_logs(given, i, end, sums_);
      if (is_scored() && next_) next_->add_logs(given, i, end, next_sums_);
      in_group_ += count;
      if (in_group_ == kGroup) end_group(rows + count);
    }
    rows += count;
    i = end;
  }
  return to;
}

template <typename T>
double ChangeDetector<T>::sum() const {
  return std::max(charts_[0].sum(), charts_[1].sum());
}

template <typename T>
void ChangeDetector<T>::end_group(std::int64_t rows) {
  const auto is_finite = [](const Logs& logs) { return std::isfinite(logs[0]) && std::isfinite(logs[1]); };
  if (is_scored() && is_finite(sums_) && is_finite(next_sums_)) compare_group(rows);
  sums_ = next_sums_ = {};
  in_group_ = 0;
  ++group_;
  if (sum() > ChangeChart::kLimit) report_change();
}

template <typename T>
void ChangeDetector<T>::compare_group(std::int64_t rows) {
  // Groups that are compared out of turn are not learned, because what they show would soon count as usual.
  // (The next model must learn its level from them, and takes over only when the sums are low.)
  const bool is_calm = sum() <= 0.5 * ChangeChart::kLimit;
  const bool is_usual = is_calm && is_in_turn();
  constexpr auto kRows = static_cast<double>(kGroup);
  const std::int64_t first = rows - kGroup;
  // A change may have begun anywhere between two groups.
  const std::int64_t began = compared_ + (first - compared_) / 2;
  for (std::size_t i = 0; i < charts_.size(); ++i) {
    charts_[i].add({sums_[i] / kRows, began, is_usual, /*is_neighbour=*/compared_ == first});
  }
  compared_ = rows;
  change_.rows += kGroup;
  if (!next_ || !is_calm) return;
  for (std::size_t i = 0; i < charts_.size(); ++i) next_levels_[i] += next_sums_[i] / kRows;
  ++next_groups_;
  if (next_groups_ < kGroupsForLevel || sum() > ChangeChart::kUsual) return;
  for (std::size_t i = 0; i < charts_.size(); ++i) {
    charts_[i].set_level(next_levels_[i] / static_cast<double>(next_groups_), next_groups_);
  }
  reference_ = std::move(next_);
  next_.reset();
}

template <typename T>
void ChangeDetector<T>::report_change() {
  const ChangeChart& chart = charts_[0].sum() > charts_[1].sum() ? charts_[0] : charts_[1];
  change_.score = chart.sum() / ChangeChart::kLimit;
  change_.row = chart.began();
  ++change_.count;
  has_changed_ = true;
  charts_ = {};
  group_ = 0;
}

template <typename T>
Change ChangeDetector<T>::value() const {
  Change value = change_;
  if (is_ready()) value.score = sum() / ChangeChart::kLimit;
  return value;
}

template <typename T>
void ChangeDetector<T>::visit_state(state::Archive& archive) {
  archive(change_.score, change_.row, change_.count, change_.rows);
  archive(model_at_, numbers_at_, numbers_, group_, compared_, has_changed_, charts_[0], charts_[1],
          next_groups_);
  for (Logs* logs : {&sums_, &next_sums_, &next_levels_}) archive((*logs)[0], (*logs)[1]);
  archive.count(in_group_, kGroup);
  visit_reference(archive, reference_);
  visit_reference(archive, next_);
}

template <typename T>
void ChangeDetector<T>::visit_reference(state::Archive& archive,
                                        std::optional<ChangeReference<T>>& reference) {
  bool is_there = reference.has_value();
  archive(is_there);
  if (!is_there) return;
  if (!reference) reference.emplace(features_, most_filling_, has_gaps_);
  archive(*reference);
}

template class ChangeDetector<float>;
template class ChangeDetector<double>;
template Index ChangeDetector<float>::compare(const GivenRows<float>&, Index, Index, std::int64_t);
template Index ChangeDetector<double>::compare(const GivenRows<double>&, Index, Index, std::int64_t);
template Index ChangeDetector<float>::compare(const GivenSparseRows<float>&, Index, Index, std::int64_t);
template Index ChangeDetector<double>::compare(const GivenSparseRows<double>&, Index, Index, std::int64_t);

}  // namespace roipca
