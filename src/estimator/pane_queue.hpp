/// Models of consecutive rows, the oldest of which can be removed.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "roipca/model.hpp"
#include "state/archive.hpp"

namespace roipca {

/// A queue of panes, each the model of some rows, with the merged model of all. Nothing is ever subtracted,
/// because a truncated spectrum no longer knows what to subtract. Instead there are two stacks. New panes are
/// pushed onto `newer_`, whose merged model is kept. The oldest pane is popped from `older_`, which has, for
/// each of its panes, the merged model of that pane and all younger ones there; when it is empty, it takes
/// over all of `newer_`. So each pane takes part in two merges, and reading takes one more.
///
/// A copy shares the models, which never change.
template <typename T>
class PaneQueue {
 public:
  /// Appends the model of the rows that follow.
  void push(Model<T> model);
  /// Removes the oldest pane. There must be at least one. From time to time, this merges all panes.
  void pop();

  bool empty() const { return older_.empty() && newer_.empty(); }
  std::int64_t oldest_rows() const { return older_.empty() ? newer_.front().rows : older_.back().rows; }
  /// Returns the model of the rows of all panes. There must be at least one.
  Model<T> model() const;

  /// The models have rows of `features` numbers and these options.
  void visit_state(state::Archive& archive, const Options& options, Index features);

 private:
  using SharedModel = std::shared_ptr<const Model<T>>;
  struct Pane {
    std::int64_t rows = 0;  // number of rows of this pane
    SharedModel model;
  };

  std::vector<Pane> older_;  // the oldest last; models of a pane and all younger ones here
  std::vector<Pane> newer_;  // the youngest last; models of one pane
  SharedModel newer_merged_;
};

extern template class PaneQueue<float>;
extern template class PaneQueue<double>;

}  // namespace roipca
