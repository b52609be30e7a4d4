"""
Parts that are merged
=====================

Eight processes could each fit an eighth of the rows. The merged model is that of all rows: its error is of the same
size as that of one pass over all of them.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.decomposition import PCA

from roipca import OnlinePCA, merge_all

rng = np.random.default_rng(0)
components = 10
X = rng.standard_normal((16_000, 500)) / np.arange(1, 501) ** 0.7
truth = PCA(components).fit(X)

whole = OnlinePCA(components, method="roipca").fit(X)
merged = merge_all([OnlinePCA(components, method="roipca").fit(part) for part in np.array_split(X, 8)])

figure, axis = plt.subplots(figsize=(6.5, 3.8), layout="constrained")
for label, pca in {"one pass": whole, "eight parts, merged": merged}.items():
    cosines = np.abs(np.sum(pca.components_ * truth.components_, axis=1))
    axis.semilogy(np.arange(1, components + 1), np.degrees(np.arccos(np.minimum(cosines, 1))), "o-", label=label)
axis.set_xlabel("component")
axis.set_ylabel("angle to batch PCA's, degrees")
axis.legend()
plt.show()
