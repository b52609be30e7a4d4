/// Models that report as many components as were asked for.
#pragma once

#include "component_options.hpp"
#include "roipca/model.hpp"

namespace roipca::cli {

/// Returns the part of the variance that the reported components explain.
template <typename T>
double explained(const Model<T>& model);

/// Returns the model with as many components reported as were asked for, where that depends on the rows.
/// Reasons to doubt the number go to standard error if `warns`.
template <typename T>
Model<T> with_components_asked_for(Model<T> model, const Components& components, bool warns);

extern template double explained(const Model<float>&);
extern template double explained(const Model<double>&);
extern template Model<float> with_components_asked_for(Model<float>, const Components&, bool);
extern template Model<double> with_components_asked_for(Model<double>, const Components&, bool);

}  // namespace roipca::cli
