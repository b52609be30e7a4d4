#include "roipca/online_pca.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include "engine/cached.hpp"
#include "engine/make_engine.hpp"
#include "engine/paced_check.hpp"
#include "engine/rate_tuning.hpp"
#include "engine/shards.hpp"
#include "intake/given_rows.hpp"
#include "intake/given_sparse_rows.hpp"
#include "intake/row_check.hpp"
#include "options/resolved.hpp"
#include "roipca/batch_pca.hpp"
#include "roipca/learning_rate.hpp"
#include "state/archive.hpp"
#include "state/options.hpp"

namespace roipca {
namespace {

constexpr Index kStartRows = 500;          // of `fit`, for the batch that it starts from: the paper's n_0
constexpr Index kCachedNumbers = 1 << 17;  // of a call, that are still in the cache when they are read again

// The first rows up to the kStartRows-th that counts.
Index start_count(Index rows, const Weights& weights) {
  if (weights.size() == 0) return std::min(rows, kStartRows);
  Index count = 0;
  for (Index used = 0; count < rows && used < kStartRows; ++count) used += weights[count] > 0.0 ? 1 : 0;
  return count;
}

Weights part_of(const Weights& weights, Index from, Index count) {
  return weights.empty() ? weights : weights.slice(from, count);
}

bool is_all_zero(const Weights& weights) {
  return weights.size() > 0 &&
         std::all_of(weights.data(), weights.data() + weights.size(), [](double w) { return w == 0.0; });
}

}  // namespace

template <typename T>
class OnlinePca<T>::Impl {
 public:
  explicit Impl(const Options& options) : options_(options) { check(options); }

  explicit Impl(const Model<T>& model)
      : options_(model.options),
        resolved_(model.resolved),
        features_((check(model), model.features())),
        shards_(model) {}

  const Options& options() const { return options_; }
  Index features() const { return features_; }
  std::int64_t rows() const { return shards_.rows(); }
  std::vector<double> learning_rates() const { return shards_.learning_rates(); }

  void fit(const Rows<T>& rows, const Weights& weights, const InterruptCheck& check_interrupt) {
    Impl fresh(options_);
    if (starts_from_nothing(rows.cols())) {
      fresh.partial_fit(rows, weights, check_interrupt);
      if (fresh.rows() == 0) throw std::invalid_argument("no row has a positive weight");
    } else {
      fresh.fit_from_batch(rows, weights, check_interrupt);
    }
    *this = std::move(fresh);
  }

  void partial_fit(const Rows<T>& rows, const Weights& weights, const InterruptCheck& check_interrupt) {
    check_shape<T>(rows, weights, features_);
    const bool checked = is_checked_first(rows);
    if (checked) check_values<T>(rows, weights);
    if (is_all_zero(weights)) {
      if (!checked) check_values<T>(rows, weights);
      rows_given_ += rows.rows();
      return;  // leaves the width open, too
    }
    const GivenRows<T> given{rows, weights, checked};
    // Nothing can fail any more, unless tuning runs out of memory.
    if (checked && !shards_.empty() && !RateTuning<T>::is_due(options_, resolved_)) {
      PacedCheck none;
      return absorb(given, none);
    }
    PacedCheck interrupt(check_interrupt);
    Impl next(*this);
    next.features_ = rows.cols();
    if (next.shards_.empty()) {
      next.resolved_.method = resolve(options_, rows.cols());
      next.open_shards(rows.cols());
    }
    next.absorb(given, interrupt);
    interrupt.at_end();
    *this = std::move(next);
  }

  void fit(const SparseRows<T>& rows, const Weights& weights, const InterruptCheck& check_interrupt) {
    Impl fresh(options_);
    check_sparse(rows, weights, 0);
    if (starts_from_nothing(rows.cols())) {
      fresh.partial_fit(rows, weights, check_interrupt);
      if (fresh.rows() == 0) throw std::invalid_argument("no row has a positive weight");
    } else {
      const Index count = start_count(rows.rows(), weights);
      fresh.fit_from_batch(expanded(rows.slice(0, count)), part_of(weights, 0, count), check_interrupt);
      const Index rest = rows.rows() - count;
      if (rest > 0) {
        fresh.partial_fit(rows.slice(count, rest), part_of(weights, count, rest), check_interrupt);
      }
    }
    *this = std::move(fresh);
  }

  // Sparse rows are read twice: they take less memory than what is done with them.
  void partial_fit(const SparseRows<T>& rows, const Weights& weights, const InterruptCheck& check_interrupt) {
    check_sparse(rows, weights, features_);
    if (is_all_zero(weights)) {
      rows_given_ += rows.rows();
      return;
    }
    const bool is_short = rows.entries() <= std::max(kCachedNumbers, shards_.size());
    if (is_short && !shards_.empty() && !RateTuning<T>::is_due(options_, resolved_)) {
      PacedCheck none;
      return absorb(GivenSparseRows<T>{rows, weights}, none);
    }
    PacedCheck interrupt(check_interrupt);
    Impl next(*this);
    next.features_ = rows.cols();
    if (next.shards_.empty()) {
      next.resolved_.method = resolve(options_, rows.cols());
      next.open_shards(rows.cols());
    }
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

  std::shared_ptr<const Model<T>> snapshot() const {
    if (rows() == 0) throw std::logic_error("there is no model before the first row");
    return reading_.get([&] { return described(shards_.model()); });
  }

  void visit_state(state::Archive& archive) {
    visit_scalar(archive);
    state::visit_options(archive, options_);
    archive.count(features_, std::numeric_limits<Index>::max());
    archive(rows_given_);
    archive(resolved_.method, resolved_.learning_rate);
    name(resolved_.method);  // refuses one that does not exist
    if (features_ > 0 && shards_.empty()) open_shards(features_);
    archive(shards_);
    tuning_.visit_state(archive, features_);
  }

 private:
  static void visit_scalar(state::Archive& archive) {
    auto size = std::uint32_t{sizeof(T)};
    archive(size);
    if (size == sizeof(T)) return;
    const auto* const has = size == sizeof(float) ? "float" : "double";
    const auto* const wants = std::is_same_v<T, float> ? "float" : "double";
    throw std::invalid_argument(std::string("the state is of an estimator of ") + has +
                                " and cannot be gone on from with " + wants);
  }

  // Shards know only the options that they work with.
  Model<T> described(Model<T> model) const {
    model.options = options_;
    model.resolved = resolved_;
    return model;
  }

  void open_shards(Index features) { shards_ = Shards<T>(with_choices(options_, resolved_), features); }

  // Blocks and the scatter lose nothing by starting from the first row; rules that hold few components do.
  bool starts_from_nothing(Index features) const {
    return options_.n_components > features /* to be refused there */ || by_blocks(options_, features);
  }

  void fit_from_batch(const Rows<T>& rows, const Weights& weights, const InterruptCheck& check_interrupt) {
    check_shape<T>(rows, weights, 0);
    check_values<T>(rows, weights);
    const Index count = start_count(rows.rows(), weights);
    auto model = batch_pca<T>(rows.slice(0, count), options_, part_of(weights, 0, count));
    if (RateTuning<T>::is_due(options_, resolved_) && count >= kTuningMinimum) {
      model.resolved.learning_rate = tune_learning_rate<T>(rows.slice(0, count), options_);
    }
    *this = Impl(model);
    const Index rest = rows.rows() - count;
    PacedCheck interrupt(check_interrupt);
    const Rows<T> rows_left = rows.slice(count, rest);
    const Weights weights_left = part_of(weights, count, rest);
    absorb({rows_left, weights_left, true}, interrupt);
    interrupt.at_end();
  }

  // Small input is checked before anything changes, and then added in place. Large input would be read from
  // memory twice: it is checked as it is added, to a copy of the state. But where the copy would be the
  // larger of the two, reading the rows twice is cheaper.
  bool is_checked_first(const Rows<T>& rows) const {
    return rows.size() <= std::max(kCachedNumbers, shards_.size());
  }

  // After an exception, some of the rows have been added.
  void absorb(const GivenRows<T>& given, PacedCheck& interrupt) {
    reading_.reset();
    Index from = 0;
    while (from < given.count() && RateTuning<T>::is_due(options_, resolved_)) {
      shards_.absorb(given, from, from + 1, rows_given_, interrupt);
      keep_for_tuning(given, from++);
    }
    shards_.absorb(given, from, given.count(), rows_given_, interrupt);
    rows_given_ += given.count();
  }

  void absorb(const GivenSparseRows<T>& given, PacedCheck& interrupt) {
    reading_.reset();
    shards_.absorb(given, 0, given.count(), rows_given_, interrupt);
    rows_given_ += given.count();
  }

  static RowMatrix<T> expanded(const SparseRows<T>& rows) {
    RowMatrix<T> dense = RowMatrix<T>::Zero(rows.rows(), rows.cols());
    for (Index i = 0; i < rows.rows(); ++i) {
      for (Index e = rows.start(i); e < rows.start(i + 1); ++e) dense(i, rows.column(e)) += rows.value(e);
    }
    return dense;
  }

  void keep_for_tuning(const GivenRows<T>& given, Index i) {
    if (given.weight(i) == 0.0) return;
    const auto c = tuning_.add(given.view(i, i + 1).data, features_, options_);
    if (!c) return;
    resolved_.learning_rate = *c;
    shards_.set_learning_rate(LearningRate::fixed(*c));
  }

  Options options_;
  Resolved resolved_;
  Index features_ = 0;
  std::int64_t rows_given_ = 0;  // of any weight
  Shards<T> shards_;
  RateTuning<T> tuning_;
  Cached<Model<T>> reading_;
};

template <typename T>
OnlinePca<T>::OnlinePca(const Options& options) : impl_(std::make_unique<Impl>(options)) {}

template <typename T>
OnlinePca<T>::OnlinePca(Resumed resumed) : impl_(std::make_unique<Impl>(*resumed.model)) {}

template <typename T>
OnlinePca<T>::OnlinePca(const OnlinePca& other) : impl_(std::make_unique<Impl>(*other.impl_)) {}

template <typename T>
OnlinePca<T>::OnlinePca(OnlinePca&& other) noexcept = default;

template <typename T>
OnlinePca<T>& OnlinePca<T>::operator=(OnlinePca other) noexcept {
  impl_ = std::move(other.impl_);
  return *this;
}

template <typename T>
OnlinePca<T>::~OnlinePca() = default;

template <typename T>
OnlinePca<T>& OnlinePca<T>::fit(const Rows<T>& rows, const Weights& weights,
                                const InterruptCheck& check_interrupt) {
  impl_->fit(rows, weights, check_interrupt);
  return *this;
}

template <typename T>
OnlinePca<T>& OnlinePca<T>::partial_fit(const Rows<T>& rows, const Weights& weights,
                                        const InterruptCheck& check_interrupt) {
  impl_->partial_fit(rows, weights, check_interrupt);
  return *this;
}

template <typename T>
OnlinePca<T>& OnlinePca<T>::fit(const SparseRows<T>& rows, const Weights& weights,
                                const InterruptCheck& check_interrupt) {
  impl_->fit(rows, weights, check_interrupt);
  return *this;
}

template <typename T>
OnlinePca<T>& OnlinePca<T>::partial_fit(const SparseRows<T>& rows, const Weights& weights,
                                        const InterruptCheck& check_interrupt) {
  impl_->partial_fit(rows, weights, check_interrupt);
  return *this;
}

template <typename T>
OnlinePca<T>& OnlinePca<T>::update(const Row<T>& row, double weight) {
  impl_->partial_fit({row.data(), 1, row.size()}, {&weight, 1}, {});
  return *this;
}

template <typename T>
Model<T> OnlinePca<T>::model() const {
  return *impl_->snapshot();
}

template <typename T>
std::shared_ptr<const Model<T>> OnlinePca<T>::snapshot() const {
  return impl_->snapshot();
}

template <typename T>
const Options& OnlinePca<T>::options() const {
  return impl_->options();
}

template <typename T>
Index OnlinePca<T>::features() const {
  return impl_->features();
}

template <typename T>
std::int64_t OnlinePca<T>::rows_seen() const {
  return impl_->rows();
}

template <typename T>
std::vector<double> OnlinePca<T>::learning_rates() const {
  return impl_->learning_rates();
}

// The estimator behind the pointer is not const, but an archive that only writes changes nothing.
template <typename T>
std::vector<std::byte> OnlinePca<T>::state() const {
  return state::pack([&](state::Archive& archive) { impl_->visit_state(archive); });
}

template <typename T>
OnlinePca<T> OnlinePca<T>::from_state(std::span<const std::byte> bytes) {
  OnlinePca pca{Options()};
  state::unpack(bytes, [&](state::Archive& archive) { pca.impl_->visit_state(archive); });
  return pca;
}

template class OnlinePca<float>;
template class OnlinePca<double>;

}  // namespace roipca
