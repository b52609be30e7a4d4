/// PCA of rows that are all in memory: to start from, and to measure against.
#pragma once

#include "roipca/model.hpp"

namespace roipca {

/// The model of `rows` by a singular value decomposition in double: as many eigenpairs as `options` asks to
/// hold. O(n d min(n, d)) time, O(n d) memory. Throws as OnlinePca does. Forgetting weighs the rows by their
/// age: the last one counts in full.
template <typename T>
Model<T> batch_pca(const Rows<T>& rows, const Options& options, const Weights& weights = {});

extern template Model<float> batch_pca(const Rows<float>&, const Options&, const Weights&);
extern template Model<double> batch_pca(const Rows<double>&, const Options&, const Weights&);

}  // namespace roipca
