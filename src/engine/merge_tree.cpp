#include <stdexcept>
#include <utility>

#include "engine/mergeable.hpp"
#include "roipca/merge.hpp"

namespace roipca {
namespace {

template <typename T>
std::optional<Model<T>> joined(const std::optional<Model<T>>& left, std::optional<Model<T>> right) {
  if (!left) return right;
  if (!right) return left;
  return merge(*left, *right);
}

}  // namespace

template <typename T>
void MergeTree<T>::add(Model<T> model) {
  // A model that does not fit is refused now, and not when its turn to be merged comes.
  check(model);
  for (const Subtree& subtree : subtrees_) {
    if (subtree.model) require_mergeable(*subtree.model, model);
  }
  push(std::move(model));
}

template <typename T>
void MergeTree<T>::add_nothing() {
  push(std::nullopt);
}

// Subtrees are removed only when all merges have succeeded.
template <typename T>
void MergeTree<T>::push(std::optional<Model<T>> model) {
  int height = 0;
  std::size_t kept = subtrees_.size();
  for (; kept > 0 && subtrees_[kept - 1].height == height; --kept, ++height) {
    model = joined(subtrees_[kept - 1].model, std::move(model));
  }
  subtrees_.reserve(kept + 1);
  subtrees_.erase(subtrees_.begin() + static_cast<std::ptrdiff_t>(kept), subtrees_.end());
  subtrees_.push_back({height, std::move(model)});
}

template <typename T>
std::optional<Model<T>> MergeTree<T>::result() const {
  std::optional<Model<T>> all;
  for (auto subtree = subtrees_.rbegin(); subtree != subtrees_.rend(); ++subtree) {
    all = joined(subtree->model, std::move(all));
  }
  return all;
}

template <typename T>
Model<T> merge(std::span<const Model<T>> models) {
  MergeTree<T> tree;
  for (const Model<T>& model : models) tree.add(model);
  auto all = tree.result();
  if (!all) throw std::invalid_argument("there are no models to merge");
  return std::move(*all);
}

template class MergeTree<float>;
template class MergeTree<double>;
template Model<float> merge(std::span<const Model<float>>);
template Model<double> merge(std::span<const Model<double>>);

}  // namespace roipca
