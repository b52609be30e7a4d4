/// Axes that stay comparable from one reading to the next.
#pragma once

#include "roipca/model.hpp"

namespace roipca {

/// Returns the model with the signs of its reported components chosen to be closest to those of `previous`,
/// the components of an earlier reading, one per row. Align::kPreviousOrder also chooses their order: of all
/// ways to assign the components to those of `previous`, it takes the one with the largest sum of squared
/// cosines. Components without a counterpart in `previous` keep their own signs and order. Only the way in
/// which components, variances and scores are shown changes; the basis and the eigenvalues do not. Costs
/// O(features x reported), or O(features x reported^2 + reported^3) with the order.
template <typename T>
Model<T> aligned(Model<T> model, const Rows<T>& previous, Align align);

/// Returns the orthogonal matrix R (reported x reported) that turns the components of `from` into those of
/// `to` as closely as a rotation or reflection can (orthogonal Procrustes): it minimises |A^T R - B^T|_F for
/// the components A and B, one per row. Scores on `from` times R are scores in the axes of `to`. Throws
/// std::invalid_argument if the models differ in features or in the number of components.
template <typename T>
OwnedRows<double> rotation_between(const Model<T>& from, const Model<T>& to);

extern template Model<float> aligned(Model<float>, const Rows<float>&, Align);
extern template Model<double> aligned(Model<double>, const Rows<double>&, Align);
extern template OwnedRows<double> rotation_between(const Model<float>&, const Model<float>&);
extern template OwnedRows<double> rotation_between(const Model<double>&, const Model<double>&);

}  // namespace roipca
