/// Merges models of parts of the rows into one model of all of them.
#pragma once

#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "roipca/model.hpp"

namespace roipca {

/// Returns the model of the rows of both: for threads, processes and clusters, each of which fits its own
/// part. The result has the options and parameters of `a`, and the feature names of the model that has them.
/// Means, weights, counts and the trace are exact; the components are those of a block update that takes the
/// other model's components for rows. Associative and commutative up to that. Costs O(features x held^2).
///
/// Standardized models with the same scales keep them. If the scales differ, both models are first rescaled
/// to the standard deviations of all rows: exactly where they hold all directions, as those of `exact` do,
/// and otherwise as if the directions that are not held varied equally. Models of `exact` always end up with
/// the standard deviations of all rows.
///
/// Throws std::invalid_argument if the models differ in width, in feature names, in centring, in
/// standardizing or in the number of components, if one used forgetting or a window, which need all rows in
/// one order, or is not a valid model. Either may hold fewer components than asked for.
template <typename T>
Model<T> merge(const Model<T>& a, const Model<T>& b);

/// Merges any number of models, which are added one after the other: neighbours in pairs, the pairs in pairs,
/// and so on. The result depends on the models and their order alone, and every model takes part in log2(n)
/// merges. At most log2(n) + 1 models are held at a time.
///
///     roipca::MergeTree<double> tree;
///     for (const auto& path : paths) tree.add(roipca::load<double>(path));
///     if (auto all = tree.result()) roipca::save(*all, "all.safetensors");
template <typename T>
class MergeTree {
 public:
  /// Adds the next model. Throws as merge does, and is then as it was before the call.
  void add(Model<T> model);
  /// Counts a part without rows, which keeps its place in the tree.
  void add_nothing();

  /// Returns the merged model; nothing if no model was added.
  std::optional<Model<T>> result() const;

 private:
  // The digits of a binary counter: subtrees of 2^height parts, the highest first.
  struct Subtree {
    int height;
    std::optional<Model<T>> model;
  };

  void push(std::optional<Model<T>> model);

  std::vector<Subtree> subtrees_;
};

/// Returns the models merged by a MergeTree. Throws std::invalid_argument for no models, and as merge does.
template <typename T>
Model<T> merge(std::span<const Model<T>> models);

extern template Model<float> merge(const Model<float>&, const Model<float>&);
extern template Model<double> merge(const Model<double>&, const Model<double>&);
extern template Model<float> merge(std::span<const Model<float>>);
extern template Model<double> merge(std::span<const Model<double>>);
extern template class MergeTree<float>;
extern template class MergeTree<double>;

}  // namespace roipca
