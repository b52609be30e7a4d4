/// Models of consecutive rows, of which the oldest can leave.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "roipca/model.hpp"
#include "state/archive.hpp"

namespace roipca {

/// A queue of panes, each the model of some rows, that knows the merged model of all. Nothing is ever
/// subtracted: a truncated spectrum no longer knows what to subtract. Instead there are two stacks. New panes
/// go onto `newer_`, whose merged model is kept. The oldest pane leaves `older_`, which has for each of its
/// panes the merged model of that pane and all younger ones there; when it is empty, it takes over all of
/// `newer_`. So each pane takes part in two merges, and reading takes one more.
///
/// A copy shares the models, which never change.
template <typename T>
class PaneQueue {
 public:
  /// Appends the model of the rows that follow.
  void push(Model<T> model);
  /// Removes the oldest pane, of at least one. Now and then merges all panes.
  void pop();

  bool empty() const { return older_.empty() && newer_.empty(); }
  std::int64_t oldest_rows() const { return older_.empty() ? newer_.front().rows : older_.back().rows; }
  /// The model of the rows of all panes, of at least one.
  Model<T> model() const;

  /// For models of rows of `features` numbers with these options.
  void visit_state(state::Archive& archive, const Options& options, Index features);

 private:
  using SharedModel = std::shared_ptr<const Model<T>>;
  struct Pane {
    std::int64_t rows = 0;  // its own
    SharedModel model;
  };

  std::vector<Pane> older_;  // the oldest last; models of a pane and all younger ones here
  std::vector<Pane> newer_;  // the youngest last; models of one pane
  SharedModel newer_merged_;
};

extern template class PaneQueue<float>;
extern template class PaneQueue<double>;

}  // namespace roipca
