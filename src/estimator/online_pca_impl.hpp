/// The implementation of OnlinePca: rows are checked, compared with earlier ones, converted to the units of
/// the model and passed to the streams of a window. The public class only forwards calls (online_pca.cpp).
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include "engine/first_fill_model.hpp"
#include "engine/make_engine.hpp"
#include "engine/mergeable.hpp"
#include "engine/paced_check.hpp"
#include "engine/standardized.hpp"
#include "estimator/parts_of_rows.hpp"
#include "estimator/rate_tuning.hpp"
#include "estimator/readings.hpp"
#include "estimator/window.hpp"
#include "intake/first_rows.hpp"
#include "intake/given_rows.hpp"
#include "intake/given_sparse_rows.hpp"
#include "intake/row_check.hpp"
#include "intake/units.hpp"
#include "monitor/change_detector.hpp"
#include "options/reading_costs.hpp"
#include "options/resolved.hpp"
#include "roipca/batch_pca.hpp"
#include "roipca/learning_rate.hpp"
#include "roipca/merge.hpp"
#include "roipca/online_pca.hpp"
#include "state/archive.hpp"
#include "state/options.hpp"

namespace roipca {

template <typename T>
class OnlinePca<T>::Impl {
 public:
  explicit Impl(const Options& options) : options_(options), readings_(options.align) { check(options); }

  explicit Impl(const Model<T>& model)
      : options_(model.options),
        resolved_(model.resolved),
        features_((check(model), model.features())),
        units_(works_in_units(model.options) ? units_of(model) : Units()),
        window_(units_.empty() ? model : to_units(model, units_)),
        readings_(options_.align, model) {
    look_for_changes();
    changes_.resume(model.change);
  }

  const Options& options() const { return options_; }
  Index features() const { return features_; }
  std::int64_t rows() const { return window_.rows() + first_.count(); }
  std::vector<double> learning_rates() const { return window_.learning_rates(); }

  void fit(const Rows<T>& rows, const Weights& weights, const InterruptCheck& check_interrupt) {
    Impl fresh(options_);
    if (starts_from_nothing(rows.cols())) {
      fresh.partial_fit(rows, weights, check_interrupt);
      fresh.require_rows();
    } else {
      fresh.fit_from_batch(rows, weights, check_interrupt);
    }
    *this = std::move(fresh);
  }

  void partial_fit(const Rows<T>& rows, const Weights& weights, const InterruptCheck& check_interrupt) {
    check_shape<T>(rows, weights, features_);
    const bool checked = is_checked_first(rows);
    if (checked) check_numbers(rows, weights);
    if (is_all_zero(weights)) {
      if (!checked) check_values<T>(rows, weights, may_have_gaps());
      rows_given_ += rows.rows();
      return;  // the number of features stays open, too
    }
    const GivenRows<T> given{rows, weights, checked, given_units(), may_have_gaps()};
    // Only memory can end from here on. Rows that are added in place then do without scores and without a
    // model to compare with. For a window and for missing values that is not enough: some of the rows may
    // have been added.
    if (checked && !window_.empty() && !is_holding() && !RateTuning<T>::is_due(options_, resolved_)) {
      PacedCheck none;
      return absorb(given, none);
    }
    PacedCheck interrupt(check_interrupt);
    Impl next = opened(rows.cols());
    next.absorb(given, interrupt);
    interrupt.at_end();
    *this = std::move(next);
  }

  void fit(const SparseRows<T>& rows, const Weights& weights, const InterruptCheck& check_interrupt) {
    Impl fresh(options_);
    check_sparse(rows, weights, 0);
    if (starts_from_nothing(rows.cols())) {
      fresh.partial_fit(rows, weights, check_interrupt);
      fresh.require_rows();
    } else {
      const Index count = count_up_to(kStartRows, rows.rows(), weights);
      fresh.fit_from_batch(expanded(rows.slice(0, count)), part_of(weights, 0, count), check_interrupt);
      const Index rest = rows.rows() - count;
      if (rest > 0) {
        fresh.partial_fit(rows.slice(count, rest), part_of(weights, count, rest), check_interrupt);
      }
    }
    *this = std::move(fresh);
  }

  // Sparse rows are read twice, the first time to check them: they take less memory than the work on them
  // does. If memory ends for that work in a short call, some of the rows have been added.
  void partial_fit(const SparseRows<T>& rows, const Weights& weights, const InterruptCheck& check_interrupt) {
    check_sparse(rows, weights, features_);
    if (is_all_zero(weights)) {
      rows_given_ += rows.rows();
      return;
    }
    if (works_in_units(options_)) return partial_fit_expanded(rows, weights, check_interrupt);
    const bool is_short = rows.entries() <= std::max(kCachedNumbers, window_.size());
    if (is_short && !window_.empty() && !RateTuning<T>::is_due(options_, resolved_)) {
      PacedCheck none;
      return absorb(GivenSparseRows<T>{rows, weights}, none);
    }
    PacedCheck interrupt(check_interrupt);
    Impl next = opened(rows.cols());
    Index done = 0;
    for (; done < rows.rows() && RateTuning<T>::is_due(next.options_, next.resolved_); ++done) {
      const RowMatrix<T> row = expanded(rows.slice(done, 1));
      const Rows<T> one(row);
      const Weights weight = part_of(weights, done, 1);
      next.absorb(GivenRows<T>{one, weight, true}, interrupt);
    }
    if (done < rows.rows()) {
      const SparseRows<T> rest = rows.slice(done, rows.rows() - done);
      const Weights rest_weights = part_of(weights, done, rest.rows());
      next.absorb(GivenSparseRows<T>{rest, rest_weights}, interrupt);
    }
    interrupt.at_end();
    *this = std::move(next);
  }

  void merge(const Impl& other, std::optional<double> decay) {
    if (rows() == 0 || other.rows() == 0) throw std::logic_error("cannot merge an estimator without rows");
    require_mergeable(options_, features_, other.options_, other.features_, decay);
    if (adds_scatters() && other.adds_scatters()) {
      Impl next(*this);
      next.window_.merge(other.window_, decay.value_or(1.0));
      next.readings_ = Readings<T>(options_.align);  // nobody has read the components of all rows
      next.look_for_changes();
      *this = std::move(next);
    } else {
      *this = Impl(roipca::merge(*snapshot(), *other.snapshot(), decay));
    }
  }
  bool adds_scatters() const { return roipca::adds_scatters(with_choices(options_, resolved_), features_); }

  std::shared_ptr<const Model<T>> snapshot() const {
    if (rows() == 0) throw std::logic_error("there is no model before the first row");
    return readings_.get([&] { return described(read()); });
  }

  std::shared_ptr<const Model<T>> reported() const {
    if (works_in_units(options_)) return snapshot();
    if (rows() == 0) throw std::logic_error("there is no model before the first row");
    return readings_.get_reported([&] { return described(read()); },
                                  [&] {
                                    auto model = window_.reported(0.0);
                                    return model ? std::optional(described(std::move(*model))) : std::nullopt;
                                  });
  }

  void visit_state(state::Archive& archive) {
    visit_scalar(archive);
    state::visit_options(archive, options_);
    archive.count(features_, std::numeric_limits<Index>::max());
    archive(rows_given_);
    archive(resolved_.method, resolved_.learning_rate);
    name(resolved_.method);  // refuses one that does not exist
    if (features_ > 0 && window_.empty()) open_window(features_);
    archive(window_, first_, empty_rows_, changes_);
    units_.visit_state(archive, features_);
    tuning_.visit_state(archive, features_);
    readings_.visit_state(archive, options_.align, features_);
  }

 private:
  // Number of rows of the batch from which `fit` starts: the paper's n_0.
  static constexpr Index kStartRows = 500;
  // Number of numbers of a call that are still in the cache when they are read again.
  static constexpr Index kCachedNumbers = 1 << 17;
  // Number of numbers in the rows that are compared with earlier ones before the first of them is learned.
  static constexpr Index kComparedNumbers = 1 << 22;

  static void visit_scalar(state::Archive& archive) {
    auto size = std::uint32_t{sizeof(T)};
    archive(size);
    if (size == sizeof(T)) return;
    const auto* const has = size == sizeof(float) ? "float" : "double";
    const auto* const wants = std::is_same_v<T, float> ? "float" : "double";
    throw std::invalid_argument(std::string("state was saved by OnlinePca<") + has +
                                ">; cannot restore it as OnlinePca<" + wants + ">");
  }

  // The window knows only its own options.
  Model<T> described(Model<T> model) const {
    model.options = options_;
    model.resolved = resolved_;
    model.change = changes_.value();
    return model;
  }

  // Returns a copy that can take rows of this number of features.
  Impl opened(Index features) const {
    Impl next(*this);
    next.features_ = features;
    if (next.window_.empty()) {
      next.resolved_.method = resolve(options_, features);
      next.open_window(features);
    }
    return next;
  }

  void open_window(Index features) {
    window_ = Window<T>(options_of_streams(), features);
    first_ = FirstRows<T>(rows_to_hold(options_, features), features);
    look_for_changes();
  }

  void look_for_changes() {
    changes_ = ChangeDetector<T>(options_of_streams(), window_.features(), rows_a_reading_costs());
  }

  // Returns about how many rows take as long to learn as a model takes to read.
  Index rows_a_reading_costs() const {
    const Index features = window_.features();
    // Such rows are learned by readings alone, and are filled in eight more passes.
    if (window_.keeps_rows()) return *options_.window / 4 * (may_have_gaps() ? 9 : 1);
    if (resolved_.method == Method::kExact) {
      if (features <= 128) return features / 8;  // takes no noticeable time
      return (compares_by_all_pairs() ? kRowsPerAllEigenpairs : kRowsPerLeadingEigenpairs) * features;
    }
    return capacity(options_of_streams(), features).held + 16;
  }

  // Returns whether the next row is held until the units are known.
  bool is_holding() const { return works_in_units(options_) && units_.empty(); }
  bool may_have_gaps() const { return options_.missing == Missing::kImpute; }
  static bool works_in_units(const Options& options) {
    return options.standardize || options.missing == Missing::kImpute;
  }
  void require_rows() const {
    if (rows() > 0) return;
    throw std::invalid_argument(may_have_gaps() ? "no row has a value and a positive weight"
                                                : "no row has a positive weight");
  }
  const Units* given_units() const { return units_.empty() ? nullptr : &units_; }

  // Checks the rows in the units of the model, too: afterwards they have no error.
  void check_numbers(const Rows<T>& rows, const Weights& weights) const {
    check_values<T>(rows, weights, may_have_gaps());
    if (units_.empty()) return;
    std::vector<T> in_units(static_cast<std::size_t>(rows.cols()));
    for (Index i = 0; i < rows.rows(); ++i) {
      const double weight = weights.empty() ? 1.0 : weights[i];
      to_units(units_, rows.row(i).data(), i, weight, in_units.data());
    }
  }

  Model<T> read() const {
    if (!works_in_units(options_)) return window_.model();
    if (is_holding()) {
      Impl now(*this);
      PacedCheck none;
      now.release(none);
      return now.read();
    }
    Model<T> model = from_units(window_.model(), units_);
    model.empty_rows += empty_rows_;
    const bool knows_deviations = options_.standardize && resolved_.method == Method::kExact;
    if (knows_deviations) return standardized(std::move(model));
    return model;
  }

  // Returns whether `read_to_compare` has no short cut for the scatter: see DenseStream::reported.
  bool compares_by_all_pairs() const { return works_in_units(options_) || options_.probes > 0; }

  // Returns a model that tells rows apart as well as `read` does, in less time if possible.
  Model<T> read_to_compare() const {
    auto model = works_in_units(options_) ? std::nullopt : window_.reported(kForScores);
    return model ? *std::move(model) : read();
  }

  // Computes the units from the held rows, and adds these rows.
  void release(PacedCheck& interrupt) {
    units_ =
        units_of(first_.view(), first_.weights().data(), features_, options_.center, options_.standardize);
    const Rows<T> rows = first_.rows();
    const Weights weights = first_.weights();
    const GivenRows<T> given{rows, weights, true, &units_, may_have_gaps()};
    if (first_.has_gaps()) {
      window_.fill_by(first_fill_model<T>(options_of_streams(), features_, {&given, 1}), rows.rows());
    }
    window_.absorb(given, 0, rows.rows(), 0, interrupt);
    first_ = FirstRows<T>();
  }

  // The rows for the streams are already in the units of the model.
  Options options_of_streams() const {
    Options options = with_choices(options_, resolved_);
    options.standardize = false;
    return options;
  }

  // Centred rows are dense, and the scales of the first rows are computed from all their numbers: a few rows
  // at a time are expanded.
  void partial_fit_expanded(const SparseRows<T>& rows, const Weights& weights,
                            const InterruptCheck& check_interrupt) {
    const Index at_once = std::max<Index>(1, kCachedNumbers / rows.cols());
    Impl next(*this);
    for (Index i = 0; i < rows.rows(); i += at_once) {
      const Index count = std::min(at_once, rows.rows() - i);
      try {
        next.partial_fit(Rows<T>(expanded(rows.slice(i, count))), part_of(weights, i, count),
                         check_interrupt);
      } catch (const DataError& error) {
        throw error.after(i);
      }
    }
    *this = std::move(next);
  }

  // Blocks and the scatter lose nothing by starting from the first row; rules that hold few components do.
  bool starts_from_nothing(Index features) const {
    return options_.n_components > features /* to be refused there */ || by_blocks(options_, features);
  }

  void fit_from_batch(const Rows<T>& rows, const Weights& weights, const InterruptCheck& check_interrupt) {
    check_shape<T>(rows, weights, 0);
    check_values<T>(rows, weights);
    const Index count = count_up_to(kStartRows, rows.rows(), weights);
    auto model = batch_pca<T>(rows.slice(0, count), options_, part_of(weights, 0, count));
    if (RateTuning<T>::is_due(options_, resolved_) && count >= kTuningMinimum) {
      model.resolved.learning_rate = tune_learning_rate<T>(rows.slice(0, count), options_);
    }
    *this = Impl(model);
    readings_ = Readings<T>(options_.align);  // nobody has read the batch's model
    const Index rest = rows.rows() - count;
    PacedCheck interrupt(check_interrupt);
    const Rows<T> rows_left = rows.slice(count, rest);
    const Weights weights_left = part_of(weights, count, rest);
    absorb({rows_left, weights_left, true, given_units()}, interrupt);
    interrupt.at_end();
  }

  // Small input is checked before anything changes, and then added in place. Large input would be read from
  // memory twice, so it is checked while it is added to a copy of the state. If the copy would be larger than
  // the input, reading the rows twice is cheaper.
  bool is_checked_first(const Rows<T>& rows) const {
    return rows.size() <= std::max(kCachedNumbers, window_.size());
  }

  // After an exception, some of the rows have been added.
  void absorb(const GivenRows<T>& given, PacedCheck& interrupt) {
    readings_.end();
    Index from = 0;
    while (from < given.count() && RateTuning<T>::is_due(options_, resolved_)) {
      absorb_rows(given, from, from + 1, interrupt);
      keep_for_tuning(given, from++);
    }
    absorb_rows(given, from, given.count(), interrupt);
    rows_given_ += given.count();
  }

  void hold(const Row<T>& row, double weight) {
    const bool is_empty = std::all_of(row.begin(), row.end(), [](T x) { return std::isnan(x); });
    if (is_empty) {
      ++empty_rows_;
    } else {
      first_.add(row.data(), weight);
    }
  }

  void absorb_rows(const GivenRows<T>& given, Index from, Index to, PacedCheck& interrupt) {
    for (; from < to && is_holding(); ++from) {
      given.check(from, from + 1);
      if (given.weight(from) > 0.0) hold(given.rows.row(from), given.weight(from));
      if (first_.is_full()) release(interrupt);
    }
    if (from == to) return;
    const GivenRows<T> in_units{given.rows, given.weights, given.checked, given_units(), given.gaps};
    learn(in_units, from, to, interrupt);
  }

  // Adds rows after comparing them with earlier ones.
  template <typename Given>
  void learn(const Given& given, Index from, Index to, PacedCheck& interrupt) {
    while (from < to) {
      const Index at_once = std::max<Index>(1, kComparedNumbers / std::max<Index>(1, given.numbers(from)));
      const std::int64_t rows = window_.rows();
      if (changes_.wants_model(rows)) read_for_changes(rows);
      const Index end = changes_.compare(given, from, std::min(to, from + at_once), rows);
      window_.absorb(given, from, end, rows_given_, interrupt);
      from = end;
    }
  }

  // Rows that were learned before in the same call cannot be unlearned if memory ends here.
  void read_for_changes(std::int64_t rows) {
    try {
      changes_.use(read_to_compare(), rows);
    } catch (const std::bad_alloc&) {
      changes_.do_without(rows);
    }
  }

  void absorb(const GivenSparseRows<T>& given, PacedCheck& interrupt) {
    readings_.end();
    learn(given, 0, given.count(), interrupt);
    rows_given_ += given.count();
  }

  void keep_for_tuning(const GivenRows<T>& given, Index i) {
    if (given.weight(i) == 0.0) return;
    const auto c = tuning_.add(given.view(i, i + 1).data, features_, options_);
    if (!c) return;
    resolved_.learning_rate = *c;
    window_.set_learning_rate(LearningRate::fixed(*c));
  }

  Options options_;
  Resolved resolved_;
  Index features_ = 0;
  std::int64_t rows_given_ = 0;  // number of rows, of any weight
  Units units_;  // units of the streams; empty unless standardizing, and until the first rows determine them
  std::int64_t empty_rows_ = 0;  // rows without any value before the units were known
  FirstRows<T> first_;           // until the units are known
  Window<T> window_;
  ChangeDetector<T> changes_;
  RateTuning<T> tuning_;
  Readings<T> readings_;
};

}  // namespace roipca
