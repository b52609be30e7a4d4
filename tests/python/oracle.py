"""Batch PCA by a dense singular value decomposition, the reference for every result."""

import numpy as np


def batch_components(X, m, weights=None):
    """Returns the m leading principal axes of the rows X, one per row."""
    X = np.asarray(X, dtype=np.float64)
    weights = np.ones(len(X)) if weights is None else np.asarray(weights, dtype=np.float64)
    centred = X - np.average(X, axis=0, weights=weights)
    return np.linalg.svd(centred * np.sqrt(weights)[:, None], full_matrices=False)[2][:m]


def subspace_error(U, V):
    """Returns |UU' - VV'|^2 / |UU'|^2 of orthonormal rows, without cancellation: 0 for the same subspace."""
    U, V = np.asarray(U, dtype=np.float64), np.asarray(V, dtype=np.float64)
    return 2 * np.linalg.norm(U - (U @ V.T) @ V) ** 2 / len(U)


def decaying_rows(n, d, seed=0):
    """Returns n rows in random order with variance 1 / i^2 along direction i: more directions than any model holds."""
    rng = np.random.default_rng(seed)
    turn = np.linalg.qr(rng.standard_normal((d, d)))[0]
    return (rng.standard_normal((n, d)) / np.arange(1, d + 1)) @ turn + rng.standard_normal(d)


def parts_that_differ(X):
    """Returns the same rows sorted by their first score, so that means and directions drift from end to end."""
    return X[np.argsort(X @ batch_components(X, 1)[0])]


def state(pca):
    """Returns everything that a failed call must not change."""
    names = getattr(pca, "feature_names_in_", None)
    return (
        pca.n_samples_seen_,
        pca.n_features_in_,
        None if names is None else list(names),
        pca.components_.tobytes(),
        pca.explained_variance_.tobytes(),
        pca.mean_.tobytes(),
    )
