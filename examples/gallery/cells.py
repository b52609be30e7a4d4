"""
Kinds of cells
==============

20,000 simulated cells with 2,000 genes, as counts. Each row is scaled to the same sum and its logarithm taken in the
same pass (`target_sum`, `log1p`), as for single-cell data, and the rows stay sparse throughout.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy import sparse

from roipca import OnlinePCA, prepare_rows

rng = np.random.default_rng(1)
kinds, genes = 6, 2_000
programs = rng.gamma(0.2, size=(kinds, genes))


def cells(count):
    """Return the counts of some cells, and their kinds."""
    kind = rng.integers(kinds, size=count)
    depth = rng.lognormal(sigma=0.4, size=(count, 1))
    return sparse.csr_array(rng.poisson(depth * programs[kind]).astype(np.float32)), kind


recipe = {"target_sum": 1e4, "log1p": True}
pca = OnlinePCA(n_components=5, method="roipca")
pca.fit_stream((cells(1_000)[0] for _ in range(20)), **recipe, progress=False)
print(f"{pca.n_samples_seen_} cells; {kinds} kinds span {kinds - 1} directions")
print(pca.explained_variance_ratio_.round(3))

counts, kind = cells(3_000)
scores = pca.transform(prepare_rows(counts, **recipe))
figure, axes = plt.subplots(1, 2, figsize=(8.5, 4), layout="constrained")
for axis, (first, second) in zip(axes, [(0, 1), (2, 3)], strict=True):
    axis.scatter(scores[:, first], scores[:, second], c=kind, cmap="tab10", s=4)
    axis.set_xlabel(f"component {first + 1}")
    axis.set_ylabel(f"component {second + 1}")
plt.show()
