#include <algorithm>
#include <stdexcept>
#include <utility>

#include "engine/mergeable.hpp"
#include "options/resolved.hpp"
#include "roipca/merge.hpp"

namespace roipca {

template <typename T>
MergeTree<T>::MergeTree(std::optional<double> decay) : decay_(decay) {
  require_decay(decay);
}

// Refuses a part that does not fit when it is added, instead of when it is merged.
template <typename T>
void MergeTree<T>::require_fit(const Options& options, const Model<T>& model, Index features) const {
  const auto require = [&](const Options& of_part, Index features_of_part) {
    require_mergeable(of_part, features_of_part, options, features, decay_);
  };
  for (const Subtree& subtree : subtrees_) {
    if (!subtree.part) continue;
    const Part& part = *subtree.part;
    require(part.sum ? part.sum->options() : part.model.options,
            part.sum ? part.sum->features() : part.model.features());
    require_same_names(part.model, model);
  }
}

template <typename T>
void MergeTree<T>::add(Model<T> model) {
  check(model);
  require_fit(model.options, model, model.features());
  Part part = {std::move(model), std::nullopt, false, decay_.value_or(1.0)};
  if (adds_scatters(with_choices(part.model), part.model.features())) {
    part.sum.emplace(part.model);
    part.is_rounded = true;
    Model<T> texts;
    texts.feature_names = std::move(part.model.feature_names);
    texts.parameters = std::move(part.model.parameters);
    part.model = std::move(texts);
  }
  push(std::move(part));
}

template <typename T>
void MergeTree<T>::add(OnlinePca<T> pca) {
  if (!pca.adds_scatters()) return add(pca.model());
  require_fit(pca.options(), {}, pca.features());
  push(Part{{}, std::move(pca), false, decay_.value_or(1.0)});
}

template <typename T>
void MergeTree<T>::add_nothing() {
  push(std::nullopt);
}

template <typename T>
Model<T> MergeTree<T>::model_of(const Part& part) {
  if (!part.sum) return part.model;
  Model<T> model = part.sum->model();
  model.feature_names = part.model.feature_names;
  model.parameters = part.model.parameters;
  if (part.is_rounded) without_rounded_components(model);
  return model;
}

template <typename T>
auto MergeTree<T>::joined(const std::optional<Part>& left, std::optional<Part> right) const
    -> std::optional<Part> {
  if (!left) return right;
  if (!right) return left;
  // After thousands of parts, the weight that is left of the first ones is out of range.
  constexpr double kLeast = 1e-300;
  const auto decay = decay_ ? std::optional(std::max(right->decay, kLeast)) : std::nullopt;
  Part both = {{}, std::nullopt, left->is_rounded || right->is_rounded, left->decay * right->decay};
  if (left->sum && right->sum) {
    both.sum = left->sum;
    both.sum->merge(*right->sum, decay);
    both.model.feature_names =
        left->model.feature_names.empty() ? std::move(right->model.feature_names) : left->model.feature_names;
    both.model.parameters = left->model.parameters;
  } else {
    both.model = merge(model_of(*left), model_of(*right), decay);
  }
  return both;
}

// Subtrees are removed only when all merges have succeeded.
template <typename T>
void MergeTree<T>::push(std::optional<Part> part) {
  int height = 0;
  std::size_t kept = subtrees_.size();
  for (; kept > 0 && subtrees_[kept - 1].height == height; --kept, ++height) {
    part = joined(subtrees_[kept - 1].part, std::move(part));
  }
  subtrees_.reserve(kept + 1);
  subtrees_.erase(subtrees_.begin() + static_cast<std::ptrdiff_t>(kept), subtrees_.end());
  subtrees_.push_back({height, std::move(part)});
}

template <typename T>
auto MergeTree<T>::all() const -> std::optional<Part> {
  std::optional<Part> all;
  for (auto subtree = subtrees_.rbegin(); subtree != subtrees_.rend(); ++subtree) {
    all = joined(subtree->part, std::move(all));
  }
  return all;
}

template <typename T>
std::optional<Model<T>> MergeTree<T>::result() const {
  const auto merged = all();
  return merged ? std::optional(model_of(*merged)) : std::nullopt;
}

template <typename T>
std::optional<std::variant<Model<T>, OnlinePca<T>>> MergeTree<T>::part() const {
  auto merged = all();
  if (!merged) return std::nullopt;
  if (merged->sum) return std::move(*merged->sum);
  return std::move(merged->model);
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
