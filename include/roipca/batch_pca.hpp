/// PCA of rows that are all in memory, as a start for online methods and as a reference for them.
#pragma once

#include "roipca/model.hpp"

namespace roipca {

/// Returns the model of `rows`, computed by a singular value decomposition in double. It holds as many
/// eigenpairs as `options` asks for. Forgetting weighs the rows by their age: the last one counts in full.
/// Costs O(n d min(n, d)) time and O(n d) memory. Throws as OnlinePca does.
template <typename T>
Model<T> batch_pca(const Rows<T>& rows, const Options& options, const Weights& weights = {});

extern template Model<float> batch_pca(const Rows<float>&, const Options&, const Weights&);
extern template Model<double> batch_pca(const Rows<double>&, const Options&, const Weights&);

}  // namespace roipca
