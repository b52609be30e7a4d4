/// Merges models of parts of the rows into one model of all of them.
#pragma once

#include <optional>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "roipca/model.hpp"
#include "roipca/online_pca.hpp"

namespace roipca {

/// Returns the model of the rows of both models, for threads, processes and clusters that fit separate parts.
/// The result has the options and parameters of `a`, and the feature names of the model that has them. Means,
/// weights, counts and the trace are exact; the components are those of a block update that takes the other
/// model's components for rows. Merging is associative and commutative up to that. Costs O(features x
/// held^2).
///
/// The scatters of two models of `exact` are added, and their sum is decomposed. To merge many models, use a
/// MergeTree, which decomposes only the last sum.
///
/// `decay`, in (0, 1], is a factor on the weights of all rows of `a`. Use 1 for two streams of the same time,
/// such as those of two sensors. If the n rows of `b` came after those of `a`, forgetting^n gives the model
/// of one stream with this forgetting. Models with forgetting can be merged only with a decay, and only if
/// they forget equally fast. Other models accept a decay, too.
///
/// Standardized models with the same scales keep them. If the scales differ, both models are first rescaled
/// to the standard deviations of all rows: exactly if they hold all directions, as those of `exact` do, and
/// otherwise as if the directions that are not held varied equally. Models of `exact` always have the
/// standard deviations of all rows in the end. The changes that the models found are forgotten, because parts
/// have no order.
///
/// Throws std::invalid_argument if the models differ in width, feature names, centring, standardizing,
/// forgetting or number of components, if one used a window, or forgetting without a decay (both need all
/// rows in one order), if one is not a valid model, or if decay is out of range. Either model may hold fewer
/// components than requested.
template <typename T>
Model<T> merge(const Model<T>& a, const Model<T>& b, std::optional<double> decay = std::nullopt);

/// Merges any number of models, which are added one after the other: neighbours in pairs, the pairs in pairs,
/// and so on. The result depends only on the models and their order. Every model takes part in log2(n)
/// merges, and at most log2(n) + 1 models are held at a time.
///
/// If scatter matrices can be added (OnlinePca::adds_scatters), the tree holds these instead of models, in
/// double: features^2 numbers each, and only `result` solves an eigenproblem. Adding an estimator solves
/// none; adding a model costs O(features^3) for its scatter matrix.
///
///     roipca::MergeTree<double> tree;
///     for (const auto& path : paths) tree.add(roipca::load<double>(path));
///     if (auto all = tree.result()) roipca::save(*all, "all.safetensors");
template <typename T>
class MergeTree {
 public:
  /// `decay` is a factor on the weights of all rows before each part that has rows: see `merge`. Throws
  /// std::invalid_argument if it is out of range.
  explicit MergeTree(std::optional<double> decay = std::nullopt);

  /// Adds the next model or estimator. Throws as `merge` does; the tree is then as it was before the call.
  void add(Model<T> model);
  void add(OnlinePca<T> pca);
  /// Counts a part without rows, which keeps its place in the tree.
  void add_nothing();

  /// Returns the merged model, or nothing if no model was added.
  std::optional<Model<T>> result() const;
  /// Returns the merged rows, to add to another tree or to resume from: an estimator if scatter matrices were
  /// added, otherwise a model.
  std::optional<std::variant<Model<T>, OnlinePca<T>>> part() const;

 private:
  struct Part {
    Model<T> model;                   // if there is a sum, only its texts
    std::optional<OnlinePca<T>> sum;  // an estimator that adds scatters
    bool is_rounded = false;          // whether models are in the sum
    double decay = 1.0;               // factor on the weights of all parts before
  };
  // The digits of a binary counter: subtrees of 2^height parts, the highest first.
  struct Subtree {
    int height;
    std::optional<Part> part;
  };

  static Model<T> model_of(const Part& part);
  void require_fit(const Options& options, const Model<T>& model, Index features) const;
  std::optional<Part> joined(const std::optional<Part>& left, std::optional<Part> right) const;
  std::optional<Part> all() const;
  void push(std::optional<Part> part);

  std::optional<double> decay_;
  std::vector<Subtree> subtrees_;
};

/// Returns the models merged by a MergeTree. Throws std::invalid_argument if there are no models, and as
/// `merge` does.
template <typename T>
Model<T> merge(std::span<const Model<T>> models);

extern template Model<float> merge(const Model<float>&, const Model<float>&, std::optional<double>);
extern template Model<double> merge(const Model<double>&, const Model<double>&, std::optional<double>);
extern template Model<float> merge(std::span<const Model<float>>);
extern template Model<double> merge(std::span<const Model<double>>);
extern template class MergeTree<float>;
extern template class MergeTree<double>;

}  // namespace roipca
