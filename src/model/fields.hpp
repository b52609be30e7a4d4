/// Every field of a model, once: the model file, merging and comparing follow from this list.
#pragma once

#include <string_view>

#include "roipca/model.hpp"

namespace roipca {

/// How two models are merged in a field.
enum class Merging {
  kFirst,     ///< the value of the first model
  kNonempty,  ///< the value of the first model that has one
  kSum,
  kOwn,  ///< a formula of its own, in merge.cpp
};

/// A number or text, which is stored under this name in the metadata of the model file.
struct ValueField {
  std::string_view name;
  Merging merging;
  bool is_optional = false;  ///< left out of the file if it has the value of an empty model
};

/// The length of an array.
enum class Extent { kFeatures, kHeld, kHeldByFeatures, kProbesByFeatures };

/// An array, which is stored under this name in the model file. Arrays of T are kHeldByFeatures, all others
/// are double.
struct ArrayField {
  std::string_view name;
  Extent extent;
  bool is_optional = false;  ///< left out of the file if empty
};

/// Calls visit(field, value...) with the value in each of the models, for every field but the options and the
/// arrays.
template <typename Visit, typename... Models>
void visit_values(Visit visit, Models&... models) {
  visit(ValueField{"resolved.method", Merging::kFirst}, models.resolved.method...);
  visit(ValueField{"resolved.learning_rate", Merging::kFirst}, models.resolved.learning_rate...);
  visit(ValueField{"n_components", Merging::kFirst}, models.n_components...);
  visit(ValueField{"rows", Merging::kSum}, models.rows...);
  visit(ValueField{"rows_before", Merging::kFirst, true}, models.rows_before...);
  visit(ValueField{"axes", Merging::kOwn, true}, models.axes...);
  visit(ValueField{"weight", Merging::kSum}, models.weight...);
  visit(ValueField{"weight_pairs", Merging::kOwn}, models.weight_pairs...);
  visit(ValueField{"scatter_trace", Merging::kOwn}, models.scatter_trace...);
  visit(ValueField{"passes", Merging::kOwn, true}, models.passes...);
  visit(ValueField{"shift", Merging::kOwn, true}, models.shift...);
  visit(ValueField{"turns", Merging::kOwn, true}, models.turns...);
  visit(ValueField{"prequential.rows", Merging::kOwn, true}, models.prequential.rows...);
  visit(ValueField{"prequential.coverage", Merging::kOwn, true}, models.prequential.coverage...);
  visit(ValueField{"prequential.t2_mean", Merging::kOwn, true}, models.prequential.t2_mean...);
  visit(ValueField{"prequential.t2_spread", Merging::kOwn, true}, models.prequential.t2_spread...);
  visit(ValueField{"prequential.t2_third", Merging::kOwn, true}, models.prequential.t2_third...);
  visit(ValueField{"prequential.spe_mean", Merging::kOwn, true}, models.prequential.spe_mean...);
  visit(ValueField{"prequential.spe_spread", Merging::kOwn, true}, models.prequential.spe_spread...);
  visit(ValueField{"prequential.spe_third", Merging::kOwn, true}, models.prequential.spe_third...);
  visit(ValueField{"change.score", Merging::kOwn, true}, models.change.score...);
  visit(ValueField{"change.row", Merging::kOwn, true}, models.change.row...);
  visit(ValueField{"change.count", Merging::kOwn, true}, models.change.count...);
  visit(ValueField{"change.rows", Merging::kOwn, true}, models.change.rows...);
  visit(ValueField{"empty_rows", Merging::kSum, true}, models.empty_rows...);
  visit(ValueField{"feature_names", Merging::kNonempty, true}, models.feature_names...);
  visit(ValueField{"parameters", Merging::kFirst, true}, models.parameters...);
}

/// Does the same for the arrays, in the order of the model file. The doubles come first, so that each starts
/// at a multiple of its own size.
template <typename Visit, typename... Models>
void visit_arrays(Visit visit, Models&... models) {
  visit(ArrayField{"mean", Extent::kFeatures}, models.mean...);
  visit(ArrayField{"mean_tail", Extent::kFeatures}, models.mean_tail...);
  visit(ArrayField{"scatter", Extent::kFeatures}, models.scatter...);
  visit(ArrayField{"feature_weight", Extent::kFeatures, true}, models.feature_weight...);
  visit(ArrayField{"scale", Extent::kFeatures, true}, models.scale...);
  visit(ArrayField{"probe_products", Extent::kProbesByFeatures, true}, models.probe_products...);
  visit(ArrayField{"eigenvalues", Extent::kHeld}, models.eigenvalues...);
  visit(ArrayField{"components", Extent::kHeldByFeatures}, models.basis...);
}

}  // namespace roipca
