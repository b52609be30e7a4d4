"""
A window, or forgetting?
========================

Half-way, the rows change at once: three new directions take the place of three old ones. With all rows weighted alike,
the old ones stay in the model. With `forgetting`, they fade and are never quite gone. A `window` drops them completely
as soon as it has moved past the change, and needs the memory of a few models for it.
"""

import matplotlib.pyplot as plt
import numpy as np

from roipca import OnlinePCA

rng = np.random.default_rng(0)
rows, features, change = 8_000, 60, 4_000
old, new = np.split(np.linalg.qr(rng.standard_normal((features, 6)))[0].T, 2)  # orthogonal to each other
X = 0.3 * rng.standard_normal((rows, features))
X[:change] += 3 * rng.standard_normal((change, 3)) @ old
X[change:] += 3 * rng.standard_normal((rows - change, 3)) @ new

estimators = {
    "all rows": OnlinePCA(6),
    "forgetting=0.999": OnlinePCA(6, forgetting=0.999),
    "window=1000": OnlinePCA(6, window=1_000),
}
figure, axes = plt.subplots(1, 2, figsize=(8.5, 3.8), layout="constrained", sharey=True)
for label, pca in estimators.items():
    seen, along_old, along_new = [], [], []
    for start in range(0, rows, 50):
        pca.partial_fit(X[start : start + 50])
        seen.append(start + 50)
        for directions, found in ((old, along_old), (new, along_new)):
            squares = (pca.components_ @ directions.T) ** 2
            found.append(pca.explained_variance_ @ squares.sum(axis=1) / 3)
    axes[0].plot(seen, along_old, label=label)
    axes[1].plot(seen, along_new, label=label)
axes[0].set_title("along the old directions")
axes[1].set_title("along the new directions")
axes[0].set_ylabel("mean variance in the model")
for axis in axes:
    axis.set_xlabel("rows")
axes[1].legend()
plt.show()

# %%
# `rows_covered_` says which rows the results cover. A large window consists of panes, and covers up to one pane more
# than was asked for.

for label, pca in estimators.items():
    print(f"{label}: rows {pca.rows_covered_.start} to {pca.rows_covered_.stop - 1}")
