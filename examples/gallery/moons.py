"""
Two moons by kernel PCA
=======================

No straight line separates two moons. Online kernel PCA finds a component that does, from rows that arrive 20 at a time.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_moons

from roipca import OnlineKernelPCA, OnlinePCA

X, moon = make_moons(400, noise=0.05, random_state=0)
linear = OnlinePCA(2).fit(X)
kernel = OnlineKernelPCA(2, kernel="rbf", gamma=15)
for rows in np.array_split(X, 20):
    kernel.partial_fit(rows)

figure, axes = plt.subplots(1, 3, figsize=(10, 3.4), layout="constrained")
for axis, title, points in zip(
    axes, ["rows", "PCA", "kernel PCA"], [X, linear.transform(X), kernel.transform(X)], strict=True
):
    axis.scatter(*points.T, c=moon, cmap="coolwarm", s=8)
    axis.set_title(title, fontsize=10)
plt.show()
