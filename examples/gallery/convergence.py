"""
Convergence of all methods
==========================

The error of each method against batch PCA of all 8,000 rows, after more and more of them. Until the last rows, even
the exact method, which stores the whole covariance matrix, lacks what later rows will tell. At the end its error is
rounding. The others store only components. What they have lost by then shows, and roipca by blocks has lost least.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.decomposition import PCA, IncrementalPCA

from roipca import OnlinePCA

rng = np.random.default_rng(0)
features, components, rows = 300, 5, 8_000
spread = 1 / np.arange(1, features + 1) ** 0.75
X = rng.standard_normal((rows, features)) * spread
truth = PCA(components).fit(X).components_


def error(found):
    """Return |UU' - VV'|^2 / |UU'|^2: 0 for the same subspace, 2 for an orthogonal one."""
    return 2 * (1 - np.sum((found @ truth.T) ** 2) / components)


stops = np.unique(np.geomspace(20, rows, 25).astype(int))
figure, axis = plt.subplots(figsize=(6.5, 4.2), layout="constrained")
estimators = {
    "exact": OnlinePCA(components, method="exact"),
    "roipca, by blocks": OnlinePCA(components, method="roipca"),
    "roipca, row by row": OnlinePCA(components, method="roipca", update_every="row"),
    "froipca": OnlinePCA(components, method="froipca"),
    "ipca, row by row": OnlinePCA(components, method="ipca", update_every="row"),
    "fd": OnlinePCA(components, method="fd"),
    "ccipca": OnlinePCA(components, method="ccipca"),
    "gha": OnlinePCA(components, method="gha"),
    "oja": OnlinePCA(components, method="oja"),
    "IncrementalPCA": IncrementalPCA(components),
}
for name, estimator in estimators.items():
    errors, begin = [], 0
    for end in stops:
        if end - begin >= components:
            estimator.partial_fit(X[begin:end])
            begin = end
        errors.append(error(estimator.components_))
    axis.loglog(stops, np.maximum(errors, 1e-16), label=name)
axis.set_xlabel("rows")
axis.set_ylabel("error against batch PCA of all rows")
axis.legend(fontsize=8)
plt.show()
