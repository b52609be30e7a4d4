/// Covers all rows of a stream, or only the latest ones.
#pragma once

#include <cstdint>
#include <vector>

#include "estimator/kept_rows.hpp"
#include "estimator/pane_queue.hpp"
#include "estimator/shards.hpp"

namespace roipca {

/// Without the option `window`, this is Shards. With a window of N rows, the rows are divided into panes,
/// each learned from nothing by Shards of its own. The oldest pane is removed as soon as the others have N
/// rows, so that the model covers between N rows and N + one pane. A pane has N / 16 rows, but at least 4 k +
/// 128 if k components are held, so that merging takes about as long as learning. Windows of up to four such
/// panes keep the rows themselves and cover N rows exactly.
///
/// Missing values are filled with the model of the window at the beginning of their pane; those of the first
/// panes with the model of the first rows, until the window has more rows than that. In windows that keep the
/// rows, every reading fills the missing values again, from these rows alone.
///
/// The beginning of a pane depends on the rows alone, never on how they were divided into calls.
template <typename T>
class Window {
 public:
  /// Has no streams until the width of the rows is known.
  Window() = default;
  Window(const Options& options, Index features);
  /// The model becomes the first pane, whatever its number of rows.
  explicit Window(const Model<T>& model);

  bool empty() const { return features_ == 0; }
  Index features() const { return features_; }
  /// Returns whether the rows themselves are kept, and learned when the model is read.
  bool keeps_rows() const { return length_ > 0 && pane_rows_ == 0; }

  /// Adds rows, as Shards::absorb.
  template <typename Given>
  void absorb(const Given& given, Index from, Index to, std::int64_t position, PacedCheck& interrupt);

  /// Fills missing values with this model of `rows` rows until there are more.
  void fill_by(const FillModel& model, std::int64_t rows);

  /// Merges, as Shards::merge. Requires that there is no window.
  void merge(const Window& other, double decay) { open_.merge(other.open_, decay); }

  void set_learning_rate(const LearningRate& rate) { open_.set_learning_rate(rate); }

  /// Returns the number of rows of positive weight so far, in the window or not.
  std::int64_t rows() const { return length_ == 0 ? open_.rows() : rows_; }
  /// Returns the model. There must be at least one row.
  Model<T> model() const;
  /// See Stream::reported.
  std::optional<Model<T>> reported(double tolerance) const {
    return length_ == 0 ? open_.reported(tolerance) : std::nullopt;
  }
  std::vector<double> learning_rates() const { return open_.learning_rates(); }
  /// Returns about how many numbers a copy copies.
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

  Options options_;  // options of a pane: without a window
  Index features_ = 0;
  Index length_ = 0;     // N; 0 without a window
  Index pane_rows_ = 0;  // rows of a full pane; 0 if the rows themselves are kept
  Shards<T> open_;       // the pane that is not full yet, or all rows
  PaneQueue<T> panes_;   // the full panes
  KeptRows<T> kept_;
  std::int64_t rows_ = 0;          // number of rows of positive weight, in the window or not
  std::int64_t rows_before_ = 0;   // number of rows that left the window
  std::int64_t open_start_ = 0;    // position of the open pane's first row among all given
  std::int64_t empty_rows_ = 0;    // number of rows without any value, in the window or not
  FillModel filling_;              // the model that fills missing values of the open pane
  std::int64_t filling_rows_ = 0;  // number of rows of that model
};

extern template class Window<float>;
extern template class Window<double>;

}  // namespace roipca
