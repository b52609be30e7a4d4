"""
Convergence of all methods
==========================

The error of each method against batch PCA of the rows so far: what the method has lost. The exact method, which stores
the whole covariance matrix, loses nothing but rounding. Of the others, which store only components, roipca (by blocks
or row by row) and ipca lose least. Oja's rule and GHA lie on top of each other.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.decomposition import PCA, IncrementalPCA

from roipca import OnlinePCA

rng = np.random.default_rng(0)
features, components, rows = 300, 5, 8_000
spread = 1 / np.arange(1, features + 1) ** 0.75
X = rng.standard_normal((rows, features)) * spread


def error(found, truth):
    """Return |UU' - VV'|^2 / |UU'|^2: 0 for the same subspace, 2 for an orthogonal one."""
    return 2 * (1 - np.sum((found @ truth.T) ** 2) / components)


stops = np.unique(np.geomspace(20, rows, 25).astype(int))
truths = [PCA(components, svd_solver="full").fit(X[:end]).components_ for end in stops]
figure, axis = plt.subplots(figsize=(7, 4.2), layout="constrained")
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
    for end, truth in zip(stops, truths, strict=True):
        if end - begin >= components:
            estimator.partial_fit(X[begin:end])
            begin = end
        errors.append(error(estimator.components_, truth))
    axis.loglog(stops, np.maximum(errors, 1e-16), "--" if name == "oja" else "-", label=name)
axis.set_xlabel("rows")
axis.set_ylabel("error against batch PCA of the rows so far")
figure.legend(*axis.get_legend_handles_labels(), loc="outside right upper", fontsize=8)
plt.show()
