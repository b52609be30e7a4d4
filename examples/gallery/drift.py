"""
Following a stream that changes
===============================

The rows' main direction turns, and turns back. With all rows weighted alike, the components lag more and more behind.
With `forgetting` or a `window`, they follow.
"""

import matplotlib.pyplot as plt
import numpy as np

from roipca import OnlinePCA

rng = np.random.default_rng(0)
rows, features = 6_000, 30
angle = 0.5 * np.pi * np.sin(np.linspace(0, 2 * np.pi, rows))
direction = np.zeros((rows, features))
direction[:, 0], direction[:, 1] = np.cos(angle), np.sin(angle)
X = 3 * rng.standard_normal((rows, 1)) * direction + 0.5 * rng.standard_normal((rows, features))

figure, axis = plt.subplots(figsize=(6.5, 3.8), layout="constrained")
for label, pca in {
    "all rows": OnlinePCA(1),
    "forgetting=0.998": OnlinePCA(1, forgetting=0.998),
    "forgetting=0.99": OnlinePCA(1, forgetting=0.99),
    "window=300": OnlinePCA(1, window=300),
}.items():
    seen, off = [], []
    for start in range(0, rows, 50):
        pca.partial_fit(X[start : start + 50])
        cosine = abs(pca.components_[0] @ direction[start + 49])
        seen.append(start + 50)
        off.append(np.degrees(np.arccos(min(cosine, 1.0))))
    axis.plot(seen, off, label=label)
axis.set_xlabel("rows")
axis.set_ylabel("angle to the direction of the moment, degrees")
axis.legend()
plt.show()
