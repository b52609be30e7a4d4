"""
Missing values
==============

Digits with holes: half of the pixels are missing, in every image. ``missing="impute"`` learns from the pixels that are
there, and ``impute`` fills the others by what the components expect of them. Beside it, every hole has the mean of its
pixel.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA

from roipca import OnlinePCA

X = load_digits().data
rng = np.random.default_rng(0)
components = 12
truth = PCA(components).fit(X).components_


def with_gaps(part):
    """Return the images with this part of the pixels missing."""
    return np.where(rng.random(X.shape) < part, np.nan, X)


def error(found):
    """Return |UU' - VV'|^2 / |UU'|^2: 0 for the same subspace, 2 for an orthogonal one."""
    return 2 * (1 - np.sum((found @ truth.T) ** 2) / components)


gaps = with_gaps(0.5)
means = np.where(np.isnan(gaps), np.nanmean(gaps, axis=0), gaps)
filled = OnlinePCA(components, missing="impute").fit(gaps).impute(gaps)

figure, axes = plt.subplots(4, 8, figsize=(8, 4.4), layout="constrained")
for images, row, name in zip((X, gaps, means, filled), axes, ("all pixels", "half", "means", "imputed"), strict=True):
    for image, axis in zip(images, row, strict=False):
        axis.imshow(image.reshape(8, 8), cmap="gray_r", vmin=0, vmax=16)
        axis.set(xticks=[], yticks=[])
    row[0].set_ylabel(name)

# %%
# The components, against those of all pixels:

parts = [0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6]
imputed, with_means = [], []
for part in parts:
    gaps = with_gaps(part)
    imputed.append(error(OnlinePCA(components, missing="impute").fit(gaps).components_))
    means = np.where(np.isnan(gaps), np.nanmean(gaps, axis=0), gaps)
    with_means.append(error(PCA(components).fit(means).components_))

figure, axis = plt.subplots(figsize=(6, 3.8), layout="constrained")
axis.semilogy(parts, with_means, "o-", label="means")
axis.semilogy(parts, imputed, "o-", label='missing="impute"')
axis.set_xlabel("part of the pixels that is missing")
axis.set_ylabel("error of the components")
axis.legend()
plt.show()
