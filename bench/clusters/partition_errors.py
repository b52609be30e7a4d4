"""Compares the error of merged partitions with that of one pass over the same rows."""

import numpy as np
from measure import batch_basis, subspace_error

from roipca import OnlinePCA
from roipca._partitions import Recipe

SPECTRA = {
    "1 / i": lambda i: 1 / i,
    "1 / i^2": lambda i: 1 / i**2,
    "1 / (i - 1/2)^2": lambda i: 1 / (i - 0.5) ** 2,
    "0.9^i, and noise": lambda i: 0.9**i + 1e-4,
    "0.8^i, and noise": lambda i: 0.8**i + 1e-4,
    "0.7^i, and noise": lambda i: 0.7**i + 1e-6,
    "15 directions in noise": lambda i: np.where(i <= 15, 5 * 0.9**i, 0.01),
}
PARTITIONS = (2, 8, 32)


def _merged(X, m, partitions):
    recipe = Recipe.of({"n_components": m, "method": "roipca"}, is_float32=False)
    models = [recipe.fit(number, [(part, None)]) for number, part in enumerate(np.array_split(X, partitions))]
    return recipe.finish(recipe.merge(models), None)


def _ratios(X, m):
    """Returns the error of one pass, and the ratios of the errors of merged partitions to it."""
    truth = batch_basis(X, m)
    one_pass = subspace_error(truth, OnlinePCA(m, method="roipca").partial_fit(X).components_.T)
    errors = [subspace_error(truth, _merged(X, m, count).components_.T) for count in PARTITIONS]
    return one_pass, [error / one_pass for error in errors]


def study(n=4_000, d=300, components=(3, 10), seed=0):
    """[(spectrum, components, order, error of one pass, ratios)] for rows in random order and sorted by a score."""
    rng = np.random.default_rng(seed)
    found = []
    for name, variance in SPECTRA.items():
        turn = np.linalg.qr(rng.standard_normal((d, d)))[0]
        X = (rng.standard_normal((n, d)) * np.sqrt(variance(np.arange(1, d + 1)))) @ turn
        by_second = X[np.argsort(X @ batch_basis(X, 2)[:, 0])]  # the leading component is the last column
        by_first = X[np.argsort(X @ batch_basis(X, 1)[:, 0])]
        orders = {"in random order": X, "sorted by first score": by_first, "sorted by second score": by_second}
        for m in components:
            for order, rows in orders.items():
                found.append((name, m, order, *_ratios(rows, m)))
    return found
