"""
Components of handwritten digits of 8 x 8 pixels
================================================

The components of images are images. Here they come from scikit-learn's 1,797 digits of 8 x 8 pixels, which arrive 50 at
a time.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from roipca import OnlinePCA

X, labels = load_digits(return_X_y=True)
pca = OnlinePCA(n_components=10)
for images in np.array_split(X, 36):
    pca.partial_fit(images)

figure, axes = plt.subplots(2, 5, figsize=(7, 3.2), layout="constrained")
for axis, component, ratio in zip(axes.flat, pca.components_, pca.explained_variance_ratio_, strict=True):
    axis.imshow(component.reshape(8, 8), cmap="RdBu_r", vmin=-0.5, vmax=0.5)
    axis.set_title(f"{100 * ratio:.1f} %", fontsize=9)
    axis.set_axis_off()

# %%
# The first two scores separate some digits from the others already.

scores = pca.transform(X)
figure, axis = plt.subplots(figsize=(5.5, 4.5), layout="constrained")
points = axis.scatter(scores[:, 0], scores[:, 1], c=labels, cmap="tab10", s=6)
figure.colorbar(points, label="digit")
axis.set_xlabel("first component")
axis.set_ylabel("second component")
plt.show()
