"""
Batches do not matter
=====================

The components of IncrementalPCA depend on the batch size. Those of OnlinePCA do not, to the last bit, and their error
is smaller than that of any batch size.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.decomposition import PCA, IncrementalPCA

from roipca import OnlinePCA

rng = np.random.default_rng(0)
components = 8
X = rng.standard_normal((6_000, 400)) / np.arange(1, 401) ** 0.6
truth = PCA(components).fit(X).components_


def error(found):
    """Return |UU' - VV'|^2 / |UU'|^2: 0 for the same subspace, 2 for an orthogonal one."""
    return 2 * (1 - np.sum((found @ truth.T) ** 2) / components)


def fitted(estimator, size):
    """Return the components after rows in batches of one size."""
    for start in range(0, len(X), size):
        estimator.partial_fit(X[start : start + size])
    return estimator.components_


sizes = [8, 16, 40, 100, 250, 1_000, 3_000]
ours = [fitted(OnlinePCA(components, method="roipca"), size) for size in sizes]
assert all(np.array_equal(ours[0], other) for other in ours)

figure, axis = plt.subplots(figsize=(6, 3.8), layout="constrained")
axis.loglog(sizes, [error(fitted(IncrementalPCA(components), size)) for size in sizes], "o-", label="IncrementalPCA")
axis.loglog(sizes, [error(found) for found in ours], "o-", label="OnlinePCA")
axis.set_xlabel("rows per call")
axis.set_ylabel("error against batch PCA")
axis.legend()
plt.show()
