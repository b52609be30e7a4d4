"""A stream whose axes drift, and readings of it. bench/steady_axes.py draws them."""

from __future__ import annotations

import numpy as np

from roipca import OnlinePCA

READINGS = 10_000


def drifting(rows=2 * READINGS, features=12, seed=0):
    """Rows whose two leading axes turn slowly, with variances that cross again and again, and entries that tie."""
    rng = np.random.default_rng(seed)
    t = np.arange(rows) / rows
    scores = rng.standard_normal((rows, features))
    scores[:, 0] *= 4 + 1.5 * np.sin(2 * np.pi * 9 * t)
    scores[:, 1] *= 4 - 1.5 * np.sin(2 * np.pi * 9 * t)
    scores[:, 2:] *= 0.5
    angle = 2 * np.pi * 2 * t
    a, b = scores[:, 0].copy(), scores[:, 1].copy()
    # The first axis turns in the plane of features 0 and 1, the second in that of 2 and 3.
    scores[:, 0], scores[:, 1] = a * np.cos(angle), a * np.sin(angle)
    scores[:, 2] += b * np.cos(angle)
    scores[:, 3] += b * np.sin(angle)
    return scores


def readings(X, align):
    """The two components after every second row, from row 100 on."""
    pca = OnlinePCA(2, forgetting=0.99, align=align).partial_fit(X[:100])
    return np.array([pca.partial_fit(X[i : i + 2]).components_ for i in range(100, len(X), 2)])


def changes(shown):
    """How often a component points away from where it was, and how often it is closer to its neighbour."""
    cosines = np.einsum("tid,tjd->tij", shown[:-1], shown[1:])
    flips = np.sum(np.diagonal(cosines, axis1=1, axis2=2) < 0)
    own = np.diagonal(cosines, axis1=1, axis2=2) ** 2
    swaps = np.sum(own.sum(axis=1) < 1)  # of two components, the other order is closer
    return flips, swaps
