"""
Memory against rows
===================

Memory does not grow with the number of rows: the estimator holds its components and nothing of the rows. scikit-learn's
PCA needs all of them.
"""

import pickle

import matplotlib.pyplot as plt
import numpy as np

from roipca import OnlinePCA

rng = np.random.default_rng(0)
features, components = 500, 10
mixing = rng.standard_normal((20, features))
pca = OnlinePCA(components)
counts, held = [], []
for _ in range(40):
    pca.partial_fit(rng.standard_normal((1_000, 20)) @ mixing + 0.1 * rng.standard_normal((1_000, features)))
    counts.append(pca.n_samples_seen_)
    held.append(len(pickle.dumps(pca)) / 1e6)

figure, axis = plt.subplots(figsize=(6, 3.8), layout="constrained")
axis.loglog(counts, np.array(counts) * features * 8 / 1e6, label="all rows, as batch PCA needs them")
axis.loglog(counts, held, label="OnlinePCA, whole state")
axis.set_xlabel("rows")
axis.set_ylabel("megabytes")
axis.legend()
plt.show()
