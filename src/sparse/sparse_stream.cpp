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
#include "options/resolved.hpp"

namespace roipca {
namespace {

// Blocks after which the components are orthonormalised, whatever was added to them.
constexpr std::int64_t kBlocksBetweenRestoring = 256;

// Magnitudes that need no other unit: see Moments.
template <typename T>
constexpr double kHuge = std::is_same_v<T, float> ? 1e12 : 1e70;

Mu mu_of(const Options& options) { return options.method == Method::kIpca ? Mu::zero() : options.mu; }

// Appends the entries of a row, ascending, without zeros. Returns false where one needs another unit.
template <typename T>
bool append_row(const SparseRows<T>& rows, Index i, CsrRows<T>& to) {
  bool fits = true;
  take_entries(rows, i, [&](Index column, T value) {
    const double size = std::abs(static_cast<double>(value));
    fits = fits && size < kHuge<T> && size > 1.0 / kHuge<T>;
    to.indices.push_back(static_cast<int>(column));
    to.values.push_back(value);
  });
  to.end_row();
  return fits;
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
      rows_(model.rows),
      moments_(model),
      update_(mu_of(options_), features_, held_, block_rows_),
      scores_(model.prequential, held_),
      probes_(model) {
  const Spectrum<T> spectrum = spectrum_of(model, 1.0);
  HeldPairs<T> pairs(features_, held_);
  pairs.rank = std::min(spectrum.basis.cols(), held_);
  pairs.components.columns(pairs.rank) = spectrum.basis.leftCols(pairs.rank);
  pairs.values.head(pairs.rank) = spectrum.values.head(pairs.rank);
  pairs.trace = spectrum.trace;
  update_.start(pairs, moments_);
}

template <typename T>
bool SparseStream<T>::absorb(const SparseRows<T>& rows, Index i, double weight) {
  bool fits = true;
  if (!moments_.takes(weight, options_.forgetting, block_)) {
    fits = close();
    if (!fits) {
      // The row waits behind those that could not be added.
      append_row(rows, i, block_.rows);
      block_.given.push_back(weight);
      ++rows_;
      return false;
    }
    moments_.takes(weight, options_.forgetting, block_);
  }
  fits = append_row(rows, i, block_.rows);
  ++rows_;
  if (!fits) return false;
  return block_.rows.count() < block_rows_ || close();
}

// Adds the waiting block to everything.
template <typename T>
bool SparseStream<T>::absorb_block() {
  const Index count = block_.rows.count();
  const double share = moments_.pairs_share(block_);
  const std::int64_t before = rows_ - count;
  block_scores_.is_wanted =
      before >= rows_before_scores(capacity(options_, features_).reported) && is_scored(before, block_rows_);
  block_scores_.is_known = false;
  if (!update_.absorb(block_, moments_, block_scores_)) return false;
  scores_.add(block_scores_, count, share, moments_.unit());
  const double decay = moments_.close(block_);
  probes_.add(block_, decay);
  if (decay < 1.0) update_.rescale(decay);
  return true;
}

template <typename T>
bool SparseStream<T>::close() {
  if (!absorb_block()) return false;
  update_.tidy(moments_);
  block_.clear();
  ++blocks_;
  restore_if_due();
  return true;
}

// Rounding makes the components drift from orthonormality, slowly.
template <typename T>
void SparseStream<T>::restore_if_due() {
  if (blocks_ % kBlocksBetweenRestoring != 0) return;
  HeldPairs<T> pairs = update_.pairs(moments_);
  BlockUpdate<T>(held_, block_rows_ + 1).settle(pairs);
  update_.start(pairs, moments_);
}

template <typename T>
std::optional<Model<T>> SparseStream<T>::model() const {
  if (block_.rows.count() == 0) return model_without_waiting();
  SparseStream all(*this);
  all.update_.only_read();
  if (!all.absorb_block()) return std::nullopt;
  all.block_.clear();
  return all.model_without_waiting();
}

template <typename T>
Model<T> SparseStream<T>::model_without_waiting() const {
  HeldPairs<T> pairs = update_.pairs(moments_);
  BlockUpdate<T>(held_, block_rows_ + 1).settle(pairs);
  const std::int64_t waiting = static_cast<std::int64_t>(block_.given.size());
  Model<T> model = make_model(
      options_, rows_ - waiting, moments_,
      Spectrum<T>{pairs.components.columns(pairs.rank), pairs.values.head(pairs.rank), pairs.trace}, scores_);
  probes_.write(model);
  return model;
}

template <typename T>
void SparseStream<T>::visit_state(state::Archive& archive) {
  archive(rows_, blocks_, moments_, scores_, probes_);
  block_.visit_state(archive, block_rows_, features_);
  archive(update_);
}

template class SparseStream<float>;
template class SparseStream<double>;

}  // namespace roipca
