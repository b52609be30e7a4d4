#include "roipca/online_pca.hpp"

#include <algorithm>
#include <exception>
#include <limits>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <type_traits>
#include <utility>

#include "engine/block_rule.hpp"
#include "engine/shard.hpp"
#include "intake/row_check.hpp"
#include "roipca/batch_pca.hpp"
#include "roipca/learning_rate.hpp"
#include "roipca/merge.hpp"
#include "state/archive.hpp"
#include "state/options.hpp"

namespace roipca {
namespace {

constexpr Index kStartRows = 500;          // of `fit`, for the batch that it starts from: the paper's n_0
constexpr Index kSegment = 256;            // rows that go to one shard before the next one's turn
constexpr Index kCachedNumbers = 1 << 17;  // of a call, that are still in the cache when they are read again
constexpr Index kNearNumbers = 1 << 16;    // that are still in a cache of the core's own
constexpr Index kWorthAThread = 1 << 16;   // numbers in a call
constexpr Index kTuningRows = 200;  // collected to tune a learning rate on, where there is no such batch

// The first rows up to the kStartRows-th that counts.
Index start_count(Index rows, const Weights& weights) {
  if (weights.size() == 0) return std::min(rows, kStartRows);
  Index count = 0;
  for (Index used = 0; count < rows && used < kStartRows; ++count) used += weights[count] > 0.0 ? 1 : 0;
  return count;
}

Weights part_of(const Weights& weights, Index from, Index count) {
  return weights.size() == 0 ? weights : Weights(weights.segment(from, count));
}

double weight_of(const Weights& weights, Index i) { return weights.size() == 0 ? 1.0 : weights[i]; }

// The failure that names the first row, so that the message does not depend on which thread was faster.
void rethrow_first(const std::vector<std::exception_ptr>& failures) {
  std::exception_ptr first;
  Index row = std::numeric_limits<Index>::max();
  for (const auto& failure : failures) {
    if (!failure) continue;
    try {
      std::rethrow_exception(failure);
    } catch (const DataError& error) {
      if (error.row() < row) {
        row = error.row();
        first = failure;
      }
    } catch (...) {
      if (!first) first = failure;
    }
  }
  if (first) std::rethrow_exception(first);
}

bool awaits_tuning(const Options& options) {
  return (options.method == Method::kGha || options.method == Method::kOja) &&
         options.learning_rate.kind == LearningRate::Kind::kTuned && options.learning_rate.c == 0.0;
}

}  // namespace

template <typename T>
class OnlinePca<T>::Impl {
 public:
  explicit Impl(const Options& options) : options_(options) { check(options); }

  explicit Impl(const Model<T>& model)
      : options_(model.options), features_((check(model), model.features())) {
    shards_.push_back(make_shard(model));
    add_empty_shards();
  }

  Impl(const Impl& other)
      : options_(other.options_),
        features_(other.features_),
        rows_given_(other.rows_given_),
        tuning_rows_(other.tuning_rows_),
        collected_(other.collected_) {
    for (const auto& shard : other.shards_) shards_.push_back(shard->clone());
  }
  Impl(Impl&&) noexcept = default;
  Impl& operator=(const Impl&) = delete;
  Impl& operator=(Impl&&) noexcept = default;
  ~Impl() = default;

  const Options& options() const { return options_; }
  Index features() const { return features_; }

  std::int64_t rows() const {
    std::int64_t sum = 0;
    for (const auto& shard : shards_) sum += shard->rows();
    return sum;
  }

  void fit(const Rows<T>& rows, const Weights& weights) {
    Impl fresh(untuned());
    if (starts_from_nothing(rows.cols())) {
      fresh.partial_fit(rows, weights);
      if (fresh.rows() == 0) throw std::invalid_argument("no row has a positive weight");
    } else {
      fresh.fit_from_batch(rows, weights);
    }
    *this = std::move(fresh);
  }

  void partial_fit(const Rows<T>& rows, const Weights& weights) {
    check_shape<T>(rows, weights, features_);
    // Small input is checked before anything changes. Large input would be read from memory twice, so that it
    // is checked as it is used, and a copy of the state is kept to go back to; also where tuning may run out
    // of memory.
    const bool in_cache = rows.size() <= kCachedNumbers;
    if (in_cache) check_values<T>(rows, weights);
    if (weights.size() > 0 && weights.maxCoeff() == 0.0) {
      if (!in_cache) check_values<T>(rows, weights);
      rows_given_ += rows.rows();
      return;  // leaves the width open, too
    }
    if (in_cache && !shards_.empty() && !awaits_tuning(options_)) return absorb(rows, weights, false);
    Impl next(*this);
    next.features_ = rows.cols();
    next.add_empty_shards();
    next.absorb(rows, weights, !in_cache);
    *this = std::move(next);
  }

  Model<T> model() const {
    if (rows() == 0) throw std::logic_error("there is no model before the first row");
    Model<T> all;
    for (const auto& shard : shards_) {
      if (shard->rows() > 0) all = all.rows == 0 ? shard->model() : merge(all, shard->model());
    }
    return all;
  }

  std::vector<double> learning_rates() const {
    return shards_.empty() ? std::vector<double>() : shards_[0]->learning_rates();
  }

  void visit_state(state::Archive& archive) {
    visit_scalar(archive);
    state::visit_options(archive, options_);
    check(options_);
    archive.count(features_, std::numeric_limits<Index>::max());
    archive(rows_given_);
    if (features_ > 0) add_empty_shards();
    for (const auto& shard : shards_) archive(*shard);
    archive.count(collected_, kTuningRows - 1);
    if (collected_ == 0) return;
    make_tuning_room();
    archive(tuning_rows_.topRows(collected_));
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

  Options untuned() const {
    Options options = options_;
    if (options.learning_rate.kind == LearningRate::Kind::kTuned) options.learning_rate.c = 0.0;
    return options;
  }

  // Blocks and the scatter lose nothing by starting from the first row; rules that hold few components do.
  bool starts_from_nothing(Index features) const {
    return options_.n_components > features /* to be refused there */ || by_blocks(options_, features);
  }

  void fit_from_batch(const Rows<T>& rows, const Weights& weights) {
    check_shape<T>(rows, weights, 0);
    check_values<T>(rows, weights);
    const Index count = start_count(rows.rows(), weights);
    auto model = batch_pca<T>(rows.topRows(count), options_, part_of(weights, 0, count));
    if (awaits_tuning(options_) && count >= kTuningMinimum) {
      model.options.learning_rate.c = tune_learning_rate<T>(rows.topRows(count), options_);
    }
    *this = Impl(model);
    const Index rest = rows.rows() - count;
    if (rest > 0) absorb(rows.bottomRows(rest), part_of(weights, count, rest), false);
  }

  // Up to the number that the options ask for.
  void add_empty_shards() {
    const bool shared = by_blocks(options_, features_) && options_.forgetting == 1.0;
    while (static_cast<Index>(shards_.size()) < (shared ? options_.threads : 1)) {
      shards_.push_back(make_shard<T>(options_, features_));
    }
  }

  void absorb(const Rows<T>& rows, const Weights& weights, bool check) {
    if (shards_.size() == 1) {
      absorb_part(0, rows, weights, check, rows_given_);
    } else {
      absorb_in_parallel(rows, weights, check);
    }
    rows_given_ += rows.rows();
  }

  // Rows go to the shards by turns, kSegment at a time, counted from the start of the stream: where a call
  // ends does not matter.
  void absorb_part(std::size_t shard, const Rows<T>& rows, const Weights& weights, bool check,
                   std::int64_t start) {
    const auto shards = static_cast<std::int64_t>(shards_.size());
    for (Index i = 0; i < rows.rows();) {
      const std::int64_t segment = (start + i) / kSegment;
      const Index end = std::min<Index>(rows.rows(), static_cast<Index>((segment + 1) * kSegment - start));
      if (segment % shards == static_cast<std::int64_t>(shard)) {
        absorb_segment(*shards_[shard], rows, weights, check, i, end);
      }
      i = end;
    }
  }

  void absorb_in_parallel(const Rows<T>& rows, const Weights& weights, bool check) {
    std::vector<std::exception_ptr> failures(shards_.size());
    const auto work = [&](std::size_t shard) {
      try {
        absorb_part(shard, rows, weights, check, rows_given_);
      } catch (...) {
        failures[shard] = std::current_exception();
      }
    };
    if (rows.size() < kWorthAThread) {
      for (std::size_t i = 0; i < shards_.size(); ++i) work(i);
    } else {
      std::vector<std::jthread> threads;
      for (std::size_t i = 1; i < shards_.size(); ++i) {
        try {
          threads.emplace_back(work, i);
        } catch (const std::system_error&) {
          work(i);  // no thread to be had
        }
      }
      work(0);
    }
    rethrow_first(failures);
  }

  // Rows [from, to), few enough at a time to be in the cache still when they are added after the check.
  void absorb_segment(Shard<T>& shard, const Rows<T>& rows, const Weights& weights, bool check, Index from,
                      Index to) {
    const Index few = awaits_tuning(options_) ? 1 : std::max<Index>(4, kNearNumbers / rows.cols() / 4 * 4);
    for (Index i = from; i < to;) {
      Index end = std::min(to, i + few);
      if (check) check_values<T>(rows.middleRows(i, end - i), part_of(weights, i, end - i), i);
      for (; i < end;) {
        // A run of rows that count.
        while (i < end && weight_of(weights, i) == 0.0) ++i;
        Index stop = i;
        while (stop < end && weight_of(weights, stop) > 0.0) ++stop;
        if (stop == i) break;
        const T* first = rows.data() + i * rows.outerStride();
        shard.absorb({first, rows.outerStride(), stop - i},
                     weights.size() == 0 ? nullptr : weights.data() + i);
        if (awaits_tuning(options_)) collect(first);
        i = stop;
      }
    }
  }

  void collect(const T* row) {
    make_tuning_room();
    tuning_rows_.row(collected_++) = Eigen::Map<const Vector<T>>(row, features());
    if (collected_ < kTuningRows) return;
    options_.learning_rate.c = tune_learning_rate<T>(tuning_rows_, options_);
    shards_[0]->set_learning_rate(options_.learning_rate);
    tuning_rows_.resize(0, 0);
    collected_ = 0;
  }

  void make_tuning_room() {
    if (tuning_rows_.size() == 0) tuning_rows_.resize(kTuningRows, features());
  }

  Options options_;
  Index features_ = 0;
  std::int64_t rows_given_ = 0;  // of any weight
  std::vector<std::unique_ptr<Shard<T>>> shards_;
  RowMatrix<T> tuning_rows_;
  Index collected_ = 0;
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
OnlinePca<T>& OnlinePca<T>::fit(const Rows<T>& rows, const Weights& weights) {
  impl_->fit(rows, weights);
  return *this;
}

template <typename T>
OnlinePca<T>& OnlinePca<T>::partial_fit(const Rows<T>& rows, const Weights& weights) {
  impl_->partial_fit(rows, weights);
  return *this;
}

template <typename T>
OnlinePca<T>& OnlinePca<T>::update(const Row<T>& row, double weight) {
  const Eigen::Map<const RowMatrix<T>> rows(row.data(), 1, row.size());
  impl_->partial_fit(rows, Eigen::Map<const Eigen::VectorXd>(&weight, 1));
  return *this;
}

template <typename T>
Model<T> OnlinePca<T>::model() const {
  return impl_->model();
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
