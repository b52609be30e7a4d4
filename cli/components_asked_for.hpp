/// Cuts a model down to the number of components that -k asks for.
#pragma once

#include "component_options.hpp"
#include "roipca/model.hpp"

namespace roipca::cli {

/// Returns the fraction of the variance that the reported components explain.
template <typename T>
double explained(const Model<T>& model);

/// Returns the model with the number of reported components that -k asks for, where this depends on the rows
/// (a fraction, or auto). If `warns`, reasons to doubt the number go to standard error.
template <typename T>
Model<T> with_components_asked_for(Model<T> model, const Components& components, bool warns);

extern template double explained(const Model<float>&);
extern template double explained(const Model<double>&);
extern template Model<float> with_components_asked_for(Model<float>, const Components&, bool);
extern template Model<double> with_components_asked_for(Model<double>, const Components&, bool);

}  // namespace roipca::cli
