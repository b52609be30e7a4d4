#include "estimator/pane_queue.hpp"

#include <limits>
#include <utility>

#include "engine/model_state.hpp"
#include "roipca/merge.hpp"

namespace roipca {
namespace {

template <typename T>
void visit_shared(state::Archive& archive, std::shared_ptr<const Model<T>>& shared, const Options& options,
                  Index features) {
  Model<T> model = shared ? *shared : Model<T>();
  model.options = options;
  visit_model(archive, model, features);
  if (shared) return;  // an archive that writes changes nothing
  shared = std::make_shared<const Model<T>>(std::move(model));
}

}  // namespace

template <typename T>
void PaneQueue<T>::push(Model<T> model) {
  const auto shared = std::make_shared<const Model<T>>(std::move(model));
  newer_merged_ = newer_.empty() ? shared : std::make_shared<const Model<T>>(merge(*newer_merged_, *shared));
  newer_.push_back({shared->rows, shared});
}

template <typename T>
void PaneQueue<T>::pop() {
  if (older_.empty()) {
    for (; !newer_.empty(); newer_.pop_back()) {
      Pane pane = newer_.back();
      if (!older_.empty()) {
        pane.model = std::make_shared<const Model<T>>(merge(*pane.model, *older_.back().model));
      }
      older_.push_back(std::move(pane));
    }
    newer_merged_.reset();
  }
  older_.pop_back();
}

template <typename T>
Model<T> PaneQueue<T>::model() const {
  if (older_.empty()) return *newer_merged_;
  return newer_.empty() ? *older_.back().model : merge(*older_.back().model, *newer_merged_);
}

template <typename T>
void PaneQueue<T>::visit_state(state::Archive& archive, const Options& options, Index features) {
  for (std::vector<Pane>* panes : {&older_, &newer_}) {
    auto count = static_cast<Index>(panes->size());
    constexpr Index kMost = 1 << 16;  // far more than any window has
    archive.count(count, kMost);
    panes->resize(static_cast<std::size_t>(count));
    for (Pane& pane : *panes) {
      archive(pane.rows);
      visit_shared(archive, pane.model, options, features);
    }
  }
  if (!newer_.empty()) visit_shared(archive, newer_merged_, options, features);
}

template class PaneQueue<float>;
template class PaneQueue<double>;

}  // namespace roipca
