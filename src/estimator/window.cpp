#include "estimator/window.hpp"

#include <algorithm>

#include "options/resolved.hpp"
#include "roipca/merge.hpp"

namespace roipca {
namespace {

constexpr Index kPanes = 16;
constexpr Index kFewestPanes = 4;

// Rows of a pane that take longer to learn than to merge: measured.
Index least_pane(Index held) { return 4 * held + 128; }

Options without_window(Options options) {
  options.window.reset();
  return options;
}

// Rows of a pane; 0 to keep the rows themselves.
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
}

template <typename T>
Window<T>::Window(const Model<T>& model) : Window(with_choices(model), model.features()) {
  if (length_ == 0) {
    open_ = Shards<T>(model);
    return;
  }
  rows_ = model.rows_before + model.rows;
  rows_before_ = model.rows_before;
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
    rows_before_ += kept_.count() == kept_.capacity() ? 1 : 0;
    kept_.add(given, i);
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
    for (; end < to && counted < left; ++end) counted += given.weight(end) > 0.0 ? 1 : 0;
    open_.absorb(given, i, end, position - open_start_, interrupt);
    rows_ += counted;
    i = end;
    if (open_.rows() == pane_rows_) {
      panes_.push(open_.model());
      open_ = Shards<T>(options_, features_);
      open_start_ = position + end;
    }
    drop_oldest_panes();
  }
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
  Shards<T> of_kept_rows(options_, features_);
  if (pane_rows_ == 0) {
    PacedCheck none;
    std::int64_t position = 0;
    kept_.for_each_part([&](const Rows<T>& rows, const Weights& weights) {
      of_kept_rows.absorb(GivenRows<T>{rows, weights, true}, 0, rows.rows(), position, none);
      position += rows.rows();
    });
  }
  const Shards<T>& latest = pane_rows_ == 0 ? of_kept_rows : open_;
  Model<T> all = panes_.empty()       ? latest.model()
                 : latest.rows() == 0 ? panes_.model()
                                      : roipca::merge(panes_.model(), latest.model());
  all.rows_before = rows_before_;
  return all;
}

template <typename T>
void Window<T>::visit_state(state::Archive& archive) {
  archive(open_);
  if (length_ == 0) return;
  archive(rows_, rows_before_, open_start_);
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
