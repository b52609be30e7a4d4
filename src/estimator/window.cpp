#include "estimator/window.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "engine/first_fill_model.hpp"
#include "options/resolved.hpp"
#include "roipca/merge.hpp"

namespace roipca {
namespace {

constexpr Index kPanes = 16;
constexpr Index kFewestPanes = 4;

// Returns the number of rows of a pane that take longer to learn than to merge; measured.
Index least_pane(Index held) { return 4 * held + 128; }

Options without_window(Options options) {
  options.window.reset();
  return options;
}

// Returns the number of rows of a pane; 0 if the rows themselves are kept.
Index pane_rows(const Options& options, Index features) {
  const Index length = options.window.value_or(0);
  const Index least = least_pane(capacity(options, features).held);
  if (length <= kFewestPanes * least) return 0;
  return std::max((length + kPanes - 1) / kPanes, least);
}

}  // namespace

template <typename T>
Window<T>::Window(const Options& options, Index features)
    : options_(without_window(options)),
      features_(features),
      length_(options.window.value_or(0)),
      pane_rows_(pane_rows(options, features)),
      open_(options_, features) {
  if (length_ > 0 && pane_rows_ == 0) kept_ = KeptRows<T>(length_, features);
  if (length_ > 0 && may_have_gaps()) filling_ = FillModel::of_nothing(features);
}

template <typename T>
Window<T>::Window(const Model<T>& model) : Window(with_choices(model), model.features()) {
  if (length_ == 0) {
    open_ = Shards<T>(model);
    return;
  }
  rows_ = model.rows_before + model.rows;
  rows_before_ = model.rows_before;
  empty_rows_ = model.empty_rows;
  if (may_have_gaps()) fill_by(fill_model(model), model.rows);
  Model<T> pane = model;
  pane.options = options_;
  pane.axes.clear();
  panes_.push(std::move(pane));
}

template <typename T>
template <typename Given>
void Window<T>::absorb(const Given& given, Index from, Index to, std::int64_t position,
                       PacedCheck& interrupt) {
  if (length_ == 0) {
    open_.absorb(given, from, to, position, interrupt);
  } else if (pane_rows_ == 0) {
    keep(given, from, to);
  } else {
    fill_panes(given, from, to, position, interrupt);
  }
}

template <typename T>
template <typename Given>
void Window<T>::keep(const Given& given, Index from, Index to) {
  for (Index i = from; i < to; ++i) {
    if (given.weight(i) == 0.0) continue;
    if (given.is_empty(i)) {
      ++empty_rows_;
      continue;
    }
    const bool is_full = kept_.count() == kept_.capacity();
    kept_.add(given, i);  // may throw
    rows_before_ += is_full ? 1 : 0;
    ++rows_;
    drop_oldest_panes();
  }
}

template <typename T>
template <typename Given>
void Window<T>::fill_panes(const Given& given, Index from, Index to, std::int64_t position,
                           PacedCheck& interrupt) {
  for (Index i = from; i < to;) {
    // Up to the end of the open pane, or until the oldest one leaves.
    std::int64_t left = pane_rows_ - open_.rows();
    if (!panes_.empty()) left = std::min(left, length_ + panes_.oldest_rows() - rows_in_window());
    Index end = i;
    std::int64_t counted = 0;
    for (; end < to && counted < left; ++end) {
      counted += given.counts(end) ? 1 : 0;
      empty_rows_ += given.weight(end) > 0.0 && given.is_empty(end) ? 1 : 0;
    }
    open_.absorb(given, i, end, position - open_start_, interrupt);
    rows_ += counted;
    i = end;
    const bool is_full = open_.rows() == pane_rows_;
    if (is_full) {
      close_pane();
      open_start_ = position + end;
    }
    drop_oldest_panes();
    if (is_full && may_have_gaps()) {
      const bool knows_more = rows_in_window() >= filling_rows_;
      fill_by(knows_more ? fill_model(panes_.model()) : filling_,
              knows_more ? rows_in_window() : filling_rows_);
    }
  }
}

template <typename T>
void Window<T>::close_pane() {
  panes_.push(open_.model());
  open_ = Shards<T>(options_, features_);
}

template <typename T>
void Window<T>::fill_by(const FillModel& model, std::int64_t rows) {
  if (pane_rows_ > 0 || length_ == 0) open_.fill_by(model, rows);
  if (length_ == 0) return;
  filling_ = model;
  filling_rows_ = rows;
}

template <typename T>
void Window<T>::drop_oldest_panes() {
  while (!panes_.empty() && rows_in_window() - panes_.oldest_rows() >= length_) {
    rows_before_ += panes_.oldest_rows();
    panes_.pop();
  }
}

template <typename T>
Model<T> Window<T>::model() const {
  if (length_ == 0) return open_.model();
  const bool has_latest = keeps_rows() ? kept_.count() > 0 : open_.rows() > 0;
  Model<T> all;
  if (has_latest) all = keeps_rows() ? model_of_kept_rows() : open_.model();
  if (!panes_.empty()) all = has_latest ? roipca::merge(panes_.model(), all) : panes_.model();
  all.rows_before = rows_before_;
  all.empty_rows = empty_rows_;
  return all;
}

template <typename T>
Model<T> Window<T>::model_of_kept_rows() const {
  Shards<T> streams(options_, features_);
  PacedCheck none;
  std::int64_t position = 0;
  const auto learn = [&](const Rows<T>& rows, const Weights& weights) {
    streams.absorb(GivenRows<T>{rows, weights, true, nullptr, may_have_gaps()}, 0, rows.rows(), position,
                   none);
    position += rows.rows();
  };
  if (kept_.has_gaps()) {
    std::vector<std::pair<Rows<T>, Weights>> parts;
    kept_.for_each_part(
        [&](const Rows<T>& rows, const Weights& weights) { parts.emplace_back(rows, weights); });
    std::vector<GivenRows<T>> given;
    given.reserve(parts.size());
    for (const auto& [rows, weights] : parts) given.push_back({rows, weights, true, nullptr, true});
    streams.fill_by(first_fill_model<T>(options_, features_, given), kept_.count());
  }
  kept_.for_each_part(learn);
  return streams.model();
}

template <typename T>
void Window<T>::visit_state(state::Archive& archive) {
  archive(open_);
  if (length_ == 0) return;
  archive(rows_, rows_before_, open_start_, empty_rows_);
  if (may_have_gaps()) {
    filling_.visit_state(archive, features_, fill_components(options_, features_));
    archive(filling_rows_);
  }
  panes_.visit_state(archive, options_, features_);
  if (pane_rows_ == 0) archive(kept_);
}

template class Window<float>;
template class Window<double>;
template void Window<float>::absorb(const GivenRows<float>&, Index, Index, std::int64_t, PacedCheck&);
template void Window<double>::absorb(const GivenRows<double>&, Index, Index, std::int64_t, PacedCheck&);
template void Window<float>::absorb(const GivenSparseRows<float>&, Index, Index, std::int64_t, PacedCheck&);
template void Window<double>::absorb(const GivenSparseRows<double>&, Index, Index, std::int64_t, PacedCheck&);

}  // namespace roipca
