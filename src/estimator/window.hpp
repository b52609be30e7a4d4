/// All rows of a stream, or only the latest.
#pragma once

#include <cstdint>
#include <vector>

#include "estimator/kept_rows.hpp"
#include "estimator/pane_queue.hpp"
#include "estimator/shards.hpp"

namespace roipca {

/// Without the option `window`, these are Shards. With a window of N rows, the rows are cut into panes, each
/// learned by Shards of its own from nothing. The oldest pane leaves as soon as the others have N rows, so
/// that the model covers N rows to N + one pane. A pane has N / 16 rows, but at least 4 k + 128 for k
/// components held: then merging takes about as long as learning. Windows of up to four such panes keep the
/// rows themselves and cover N rows exactly.
///
/// Missing values are filled by the model of the window as it was when their pane began; those of the first
/// panes by the first rows' model, until the window has more rows than that. In windows that keep the rows,
/// the missing values are filled anew by every reading, from these rows alone.
///
/// Where panes begin depends on the rows alone, never on the way they were cut into calls.
template <typename T>
class Window {
 public:
  /// Without streams, until the width of the rows is known.
  Window() = default;
  Window(const Options& options, Index features);
  /// The model is the first pane, whatever the number of its rows.
  explicit Window(const Model<T>& model);

  bool empty() const { return features_ == 0; }
  Index features() const { return features_; }
  /// Whether the rows themselves are kept, and learned when the model is read.
  bool keeps_rows() const { return length_ > 0 && pane_rows_ == 0; }

  /// As Shards::absorb.
  template <typename Given>
  void absorb(const Given& given, Index from, Index to, std::int64_t position, PacedCheck& interrupt);

  /// Fills missing values by this model of `rows` rows until there are more.
  void fill_by(const FillModel& model, std::int64_t rows);

  /// As Shards::merge; without a window.
  void merge(const Window& other, double decay) { open_.merge(other.open_, decay); }

  void set_learning_rate(const LearningRate& rate) { open_.set_learning_rate(rate); }

  /// Number of rows of positive weight so far, in the window or not.
  std::int64_t rows() const { return length_ == 0 ? open_.rows() : rows_; }
  /// Of at least one row.
  Model<T> model() const;
  std::vector<double> learning_rates() const { return open_.learning_rates(); }
  /// How many numbers a copy copies, about.
  Index size() const { return open_.size() + kept_.capacity() * features_; }

  void visit_state(state::Archive& archive);

 private:
  template <typename Given>
  void keep(const Given& given, Index from, Index to);
  template <typename Given>
  void fill_panes(const Given& given, Index from, Index to, std::int64_t position, PacedCheck& interrupt);
  std::int64_t rows_in_window() const { return rows_ - rows_before_; }
  bool may_have_gaps() const { return options_.missing == Missing::kImpute; }
  void close_pane();
  Model<T> model_of_kept_rows() const;
  void drop_oldest_panes();

  Options options_;  // of a pane: without a window
  Index features_ = 0;
  Index length_ = 0;     // N; 0 without a window
  Index pane_rows_ = 0;  // rows of a full pane; 0 if the rows themselves are kept
  Shards<T> open_;       // the pane that fills, or all rows
  PaneQueue<T> panes_;   // the full ones
  KeptRows<T> kept_;
  std::int64_t rows_ = 0;          // of positive weight, in the window or not
  std::int64_t rows_before_ = 0;   // those that left
  std::int64_t open_start_ = 0;    // position of the open pane's first row among all given
  std::int64_t empty_rows_ = 0;    // without any value, in the window or not
  FillModel filling_;              // what the open pane's missing values are filled by
  std::int64_t filling_rows_ = 0;  // rows that it comes from
};

extern template class Window<float>;
extern template class Window<double>;

}  // namespace roipca
