#include "sparse/sparse_stream.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>

#include "engine/make_engine.hpp"
#include "engine/make_model.hpp"
#include "intake/sparse_entries.hpp"
#include "model/axes.hpp"
#include "options/resolved.hpp"

namespace roipca {
namespace {

// Number of blocks after which the components are orthonormalised, whatever was added to them.
constexpr std::int64_t kBlocksBetweenRestoring = 256;

// Number of waiting entries as a fraction of the numbers of all components: one pass over the components then
// adds them.
constexpr Index kPartOfComponents = 2;
// Number of waiting rows as a fraction of the features: BlockLanczos then takes as much memory as the
// components.
constexpr Index kPartOfFeatures = 4;
// Minimum number of small blocks in a large one: with fewer, their own updates are faster.
constexpr Index kManyBlocks = 16;
// Ratio of eigenvalues above which a large block may leave a drift worth removing.
constexpr double kWideRatio = 1e4;

// Magnitudes of rows that need no other unit than that of the first one, whose largest number is about 1.
// Components are combinations of rows with coefficients of T of the size of 1 / row, down to rounding times
// that, and products of four numbers stay finite in double.
template <typename T>
constexpr double kHuge = std::is_same_v<T, float> ? 1e18 : 1e70;
// The smallest number beside larger ones of its row: T has all of its digits, and its square and the rounding
// of that do not underflow in double.
template <typename T>
constexpr double kTiny = std::is_same_v<T, float> ? 0x1p-126 : 1e-140;

Mu mu_of(const Options& options) { return options.method == Method::kIpca ? Mu::zero() : options.mu; }

// The least and the largest absolute value of the entries of a row.
struct Sizes {
  double least = std::numeric_limits<double>::infinity();
  double largest = 0.0;

  template <typename T>
  bool fit(double unit) const {
    if (largest == 0.0) return true;
    const double size = largest * unit;
    return size < kHuge<T> && size > 1.0 / kHuge<T> && least * unit >= kTiny<T>;
  }
};

// Appends the entries of a row, ascending, without zeros.
template <typename T>
Sizes append_row(const SparseRows<T>& rows, Index i, CsrRows<T>& to) {
  Sizes sizes;
  take_entries(rows, i, [&](Index column, T value) {
    const double size = std::abs(static_cast<double>(value));
    sizes.least = std::min(sizes.least, size);
    sizes.largest = std::max(sizes.largest, size);
    to.indices.push_back(static_cast<int>(column));
    to.values.push_back(value);
  });
  to.end_row();
  return sizes;
}

}  // namespace

bool has_sparse_engine(const Options& options, Index features) {
  const Method method = resolve(options, features);
  return by_blocks(options, features) && method != Method::kExact &&
         features <= std::numeric_limits<int>::max();
}

template <typename T>
SparseStream<T>::SparseStream(const Options& options, Index features)
    : options_(options),
      features_(features),
      held_(capacity(options, features).held),
      block_rows_(block_rows(options, features)),
      most_rows_(features / kPartOfFeatures),
      most_entries_(features * held_ / kPartOfComponents),
      moments_(features, options.center),
      update_(mu_of(options), features, held_, block_rows_),
      scores_(held_),
      probes_(features, options.probes, options.center) {}

template <typename T>
SparseStream<T>::SparseStream(const Model<T>& model)
    : options_(with_choices(model)),
      features_(model.features()),
      held_(capacity(options_, features_).held),
      block_rows_(block_rows(options_, features_)),
      most_rows_(features_ / kPartOfFeatures),
      most_entries_(features_ * held_ / kPartOfComponents),
      rows_(model.rows),
      moments_(model),
      update_(mu_of(options_), features_, held_, block_rows_),
      scores_(model.prequential, held_),
      probes_(model, moments_.unit()) {
  const Spectrum<T> spectrum = spectrum_of(model, moments_.unit());
  HeldPairs<T> pairs(features_, held_);
  pairs.rank = std::min(spectrum.basis.cols(), held_);
  pairs.components.columns(pairs.rank) = spectrum.basis.leftCols(pairs.rank);
  pairs.values.head(pairs.rank) = spectrum.values.head(pairs.rank);
  pairs.trace = spectrum.trace;
  update_.start(pairs, moments_);
}

template <typename T>
bool SparseStream<T>::absorb(const SparseRows<T>& rows, Index i, double weight) {
  if (!moments_.takes(weight, options_.forgetting, block_)) {
    if (!close()) {
      // The row waits after those that could not be added.
      append_row(rows, i, block_.rows);
      block_.given.push_back(weight);
      ++rows_;
      return false;
    }
    moments_.takes(weight, options_.forgetting, block_);
  }
  const Sizes sizes = append_row(rows, i, block_.rows);
  moments_.set_unit(sizes.largest);
  ++rows_;
  if (!sizes.fit<T>(moments_.unit())) return false;
  return !is_full() || close();
}

// A block becomes large if many small ones would have few entries compared with the numbers of the
// components.
template <typename T>
bool SparseStream<T>::is_full() const {
  const Index count = block_.rows.count();
  const Index entries = block_.rows.entries();
  if (count < block_rows_) return false;
  if (count == block_rows_) return kManyBlocks * entries > most_entries_ || kManyBlocks * count > most_rows_;
  return entries >= most_entries_ || count >= most_rows_;
}

template <typename T>
void SparseStream<T>::prepare_scores() {
  const std::int64_t before = rows_ - block_.rows.count();
  block_scores_.is_wanted = before >= rows_before_scores(capacity(options_, features_).reported) &&
                            (is_large() || is_scored(before, block_rows_));
  block_scores_.is_known = false;
  block_scores_.so_far = &scores_.so_far();
  block_scores_.unit = moments_.unit();
}

// Called after the components have absorbed the block.
template <typename T>
double SparseStream<T>::end_block() {
  scores_.add(block_scores_, block_.rows.count(),
              ScoreWeights(options_.forgetting).of_last(moments_.pairs_share(block_)), moments_.unit());
  block_scores_.so_far = nullptr;
  const double decay = moments_.close(block_);
  probes_.add(block_, decay);
  return decay;
}

// Adds the waiting block to all sums. If it needs dense arithmetic, its rows wait as they were given.
template <typename T>
bool SparseStream<T>::absorb_block() {
  prepare_scores();
  block_.rows.rescale(moments_.unit());
  const bool added = is_large() ? update_.absorb_many(block_, moments_, block_scores_)
                                : update_.absorb(block_, moments_, block_scores_);
  if (!added) {
    block_.rows.rescale(1.0 / moments_.unit());
    return false;
  }
  const double decay = end_block();
  if (decay < 1.0) update_.rescale(decay);
  return true;
}

template <typename T>
bool SparseStream<T>::close() {
  const bool is_large_block = is_large();
  if (!absorb_block()) return is_large_block && close_in_pieces();
  update_.tidy(moments_);
  block_.clear();
  ++blocks_;
  if (blocks_ % kBlocksBetweenRestoring == 0 || (is_large_block && update_.ratio() > kWideRatio)) restore();
  return true;
}

// Adds the waiting block as small ones, the last of which may have fewer rows. If one of them needs dense
// arithmetic, it and all rows after it keep waiting.
template <typename T>
bool SparseStream<T>::close_in_pieces() {
  SparseBlock<T> all;
  std::swap(all, block_);
  const Index count = all.rows.count();
  rows_ -= count;
  bool fits = true;
  for (Index i = 0; i < count; ++i) {
    const double weight = all.given[static_cast<std::size_t>(i)];
    if (fits && !moments_.takes(weight, options_.forgetting, block_)) {
      fits = close();
      if (fits) moments_.takes(weight, options_.forgetting, block_);
    }
    if (!fits) block_.given.push_back(weight);
    block_.rows.append_row(all.rows, i);
    ++rows_;
    if (fits && (block_.rows.count() == block_rows_ || i + 1 == count)) fits = close();
  }
  return fits;
}

// Removes the slow drift of the components from orthonormality that rounding causes.
template <typename T>
void SparseStream<T>::restore() {
  HeldPairs<T> pairs = update_.pairs(moments_);
  BlockUpdate<T>(held_, block_rows_ + 1).settle(pairs);
  update_.start(pairs, moments_);
}

template <typename T>
std::optional<Model<T>> SparseStream<T>::model() const {
  if (block_.rows.count() == 0) return model_without_waiting();
  SparseStream all(*this);
  if (is_large()) {
    auto model = all.read_large(held_);
    if (model) return model;
    if (!all.close_in_pieces()) return std::nullopt;
    return all.model_without_waiting();
  }
  all.update_.only_read();
  if (!all.absorb_block()) return std::nullopt;
  all.block_.clear();
  return all.model_without_waiting();
}

template <typename T>
std::optional<Model<T>> SparseStream<T>::reported() const {
  const Index count = capacity(options_, features_).reported;
  // The error that probes tell depends on all components.
  if (!is_large() || update_.has_components() || count == held_ || options_.probes > 0) return std::nullopt;
  auto model = SparseStream(*this).read_large(count);
  // Without the others, a variance that is only rounding may be reported in another place.
  const bool has_others = model && model->basis.rows() > count;
  if (model && !has_others && !(model->eigenvalues.back() > 0.0)) return std::nullopt;
  return model;
}

// Returns the model with the waiting block and its first components, or all, without adding the block to the
// components. The stream cannot be used afterwards.
template <typename T>
std::optional<Model<T>> SparseStream<T>::read_large(Index components) {
  prepare_scores();
  block_.rows.rescale(moments_.unit());
  auto reading = update_.read_many(block_, moments_, components, block_scores_);
  if (!reading) {
    block_.rows.rescale(1.0 / moments_.unit());
    return std::nullopt;
  }
  const double decay = end_block();
  if (!reading->is_orthonormal) {
    const Index rank = reading->values.size();
    HeldPairs<T> pairs(features_, held_);
    pairs.rank = rank;
    pairs.components.columns(rank) = as_columns(reading->components);
    pairs.values.head(rank) = reading->values;
    BlockUpdate<T>(held_, block_rows_ + 1).settle(pairs);
    as_columns(reading->components) = pairs.components.columns(rank);
  }
  Model<T> model = make_model<T>(options_, rows_, moments_, std::move(reading->components),
                                 decay * reading->values, decay * reading->trace, scores_);
  store_as_shown(model);
  probes_.write(model, moments_.unit());
  return model;
}

template <typename T>
Model<T> SparseStream<T>::model_without_waiting() const {
  HeldPairs<T> pairs = update_.pairs(moments_);
  BlockUpdate<T>(held_, block_rows_ + 1).settle(pairs);
  const auto waiting = static_cast<std::int64_t>(block_.given.size());
  OwnedRows<T> components(pairs.rank, features_);
  as_columns(components) = pairs.components.columns(pairs.rank);
  Model<T> model = make_model<T>(options_, rows_ - waiting, moments_, std::move(components),
                                 pairs.values.head(pairs.rank), pairs.trace, scores_);
  probes_.write(model, moments_.unit());
  return model;
}

template <typename T>
void SparseStream<T>::visit_state(state::Archive& archive) {
  archive(rows_, blocks_, moments_, scores_, probes_);
  block_.visit_state(archive, std::max(block_rows_, most_rows_), features_);
  archive(update_);
}

template class SparseStream<float>;
template class SparseStream<double>;

}  // namespace roipca
