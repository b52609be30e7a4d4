/// Models of parts of the rows into one of all of them.
#pragma once

#include "roipca/model.hpp"

namespace roipca {

/// The model of the rows of both: for threads, processes and clusters, each of which fits its own part. The
/// result has `a`'s options. Means, weights, counts and the trace are exact; the components are those of a
/// block update that takes the other's components for rows. Associative and commutative up to that. Costs
/// O(features x held^2).
///
/// Throws std::invalid_argument if the models differ in width, in centring or in the number of components, if
/// one used forgetting, which needs all rows in one order, or is not a valid model. Either may hold fewer
/// components than asked for.
template <typename T>
Model<T> merge(const Model<T>& a, const Model<T>& b);

extern template Model<float> merge(const Model<float>&, const Model<float>&);
extern template Model<double> merge(const Model<double>&, const Model<double>&);

}  // namespace roipca
