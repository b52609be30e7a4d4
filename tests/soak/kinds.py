"""The kinds of streams: tables of rows, of changes to them, of weights, of methods and of routes.

The next kind is one more line in its table. Every entry draws from the generator that it is given and from
nothing else, so that a seed names a stream.
"""

import numpy as np
from scipy import sparse


def turned(rng, d):
    return np.linalg.qr(rng.standard_normal((d, d)))[0]


def spectrum(rng, n, d, deviations):
    """Returns normal rows with these standard deviations along random axes."""
    return (rng.standard_normal((n, d)) * deviations) @ turned(rng, d)


def low_rank(rng, n, d, rank):
    return rng.standard_normal((n, rank)) @ rng.standard_normal((rank, d))


# Rows to start from: (rng, rows, features) -> array.
ROWS = {
    "normal": lambda g, n, d: g.standard_normal((n, d)),
    "power law": lambda g, n, d: spectrum(g, n, d, np.arange(1.0, d + 1) ** -g.uniform(0.5, 2)),
    "exponential": lambda g, n, d: spectrum(g, n, d, 10 ** -(g.uniform(0.05, 1) * np.arange(d)).clip(0, 12)),
    "low rank": lambda g, n, d: low_rank(g, n, d, g.integers(1, min(d, 20) + 1)),
    "low rank, wide": lambda g, n, d: low_rank(g, n, d, 4) * 10 ** g.uniform(0, 7) + low_rank(g, n, d, 3),
    "low rank, rounded": lambda g, n, d: low_rank(g, n, d, 3) + 2e-15 * g.standard_normal((n, d)),
    "low rank, noise": lambda g, n, d: low_rank(g, n, d, 5) + 10 ** -g.uniform(1, 6) * g.standard_normal((n, d)),
    "low rank, offset": lambda g, n, d: low_rank(g, n, d, g.integers(1, min(d, 20) + 1)) + 10 ** g.uniform(1, 4),
    "rank one": lambda g, n, d: low_rank(g, n, d, 1),
    "clusters": lambda g, n, d: 5 * g.standard_normal((4, d))[g.integers(4, size=n)] + g.standard_normal((n, d)),
    "walk": lambda g, n, d: np.cumsum(g.standard_normal((n, d)), axis=1),
    "drift": lambda g, n, d: np.cumsum(0.1 * g.standard_normal((n, d)), axis=0),
    "counts": lambda g, n, d: g.poisson(g.exponential(3, d), (n, d)).astype(float),
    "binary": lambda g, n, d: (g.random((n, d)) < g.random(d)).astype(float),
    "sparse": lambda g, n, d: g.standard_normal((n, d)) * (g.random((n, d)) < 0.05),
    "one hot": lambda g, n, d: np.eye(d)[g.integers(d, size=n)],
    "heavy tails": lambda g, n, d: g.standard_t(2, (n, d)),
    "points": lambda g, n, d: g.standard_normal((3, d))[g.integers(3, size=n)],
}


def some_columns(rng, X, most=3):
    return rng.choice(X.shape[1], rng.integers(1, min(most, X.shape[1]) + 1), replace=False)


def with_row(X, at, row):
    X[at] = row
    return X


def with_columns(X, columns, values):
    X[:, columns] = values
    return X


def late_direction(rng, X):
    start = int(len(X) * rng.uniform(0.5, 0.95))
    size = 10 ** rng.uniform(-1, 1) * X.std()
    X[start:] += size * np.outer(rng.standard_normal(len(X) - start), rng.standard_normal(X.shape[1]))
    return X


def sentinels(rng, X):
    X[rng.random(X.shape) < 0.01] = rng.choice([-9999.0, -1.0e6, 1.0e8])
    return X


# Changes to rows: (rng, rows) -> rows.
CHANGES = {
    "offset": lambda g, X: X + 10 ** g.uniform(0, 8),
    "offsets": lambda g, X: X + g.standard_normal(X.shape[1]) * 10 ** g.uniform(0, 8),
    "units": lambda g, X: X * 10 ** g.uniform(-4, 4, X.shape[1]),
    "one large unit": lambda g, X: with_columns(X, [0], X[:, :1] * 10 ** g.uniform(2, 8)),
    "timestamp": lambda g, X: with_columns(X, [0], (1.7e9 + 60.0 * np.arange(len(X)))[:, None]),
    "first row far out": lambda g, X: with_row(X, 0, X[0] + X.std() * 10 ** g.uniform(1, 8)),
    "early outlier": lambda g, X: with_row(X, min(10, len(X) - 1), X.std() * 10 ** g.uniform(1, 8)),
    "late outlier": lambda g, X: with_row(X, -g.integers(1, 3) if len(X) > 2 else 0, X.std() * 10 ** g.uniform(1, 8)),
    "late direction": late_direction,
    "late offset": lambda g, X: X + np.where(np.arange(len(X)) < len(X) // 2, 0, 10 ** g.uniform(0, 6))[:, None],
    "sentinels": sentinels,
    "constant columns": lambda g, X: with_columns(X, some_columns(g, X), g.choice([0.0, 0.1, 1e8])),
    "equal columns": lambda g, X: with_columns(X, some_columns(g, X), X[:, :1]),
    "repeated rows": lambda g, X: X[g.integers(max(1, len(X) // 10), size=len(X))],
    "zero rows": lambda g, X: X * (g.random(len(X)) < 0.5)[:, None],
    "zeros first": lambda g, X: X * (np.arange(len(X)) >= len(X) // 4)[:, None],
    "sorted": lambda g, X: X[np.argsort(X[:, 0])],
    "few rows": lambda g, X: X[: g.integers(1, 12)],
    "tiny": lambda g, X: X * 1e-18,
    "vast": lambda g, X: X * 1e12,
}

# Weights of rows: (rng, rows) -> array, or None for 1 each.
WEIGHTS = {
    "none": lambda g, n: None,
    "near one": lambda g, n: g.uniform(0.5, 2, n),
    "frequencies": lambda g, n: np.append(g.integers(0, 4, n - 1), 1.0).astype(float),
    "wide": lambda g, n: 10 ** g.uniform(-4, 4, n),
    "one heavy": lambda g, n: np.where(np.arange(n) == g.integers(n), 1e16, 1.0),
    "heavy": lambda g, n: 1e40 * g.uniform(0.5, 2, n),
}

# Parameters of OnlinePCA, and how many of every 32 streams use them.
METHODS = {
    "auto": (5, {}),
    "exact": (3, {"method": "exact"}),
    "roipca": (5, {"method": "roipca"}),
    "roipca, mu zero": (2, {"method": "roipca", "mu": "zero"}),
    "ipca": (2, {"method": "ipca"}),
    "roipca by rows": (4, {"method": "roipca", "update_every": "row"}),
    "ipca by rows": (2, {"method": "ipca", "update_every": "row"}),
    "froipca": (2, {"method": "froipca"}),
    "froipca, tau optimal": (2, {"method": "froipca", "tau": "optimal"}),
    "ccipca": (1, {"method": "ccipca"}),
    "gha": (1, {"method": "gha"}),
    "gha, tuned": (1, {"method": "gha", "learning_rate": "auto"}),
    "oja": (1, {"method": "oja"}),
    "fd": (2, {"method": "fd"}),
}



def with_gaps(rng, X):
    """Leaves out up to a third of the values, at least one of each feature and row."""
    gaps = rng.random(X.shape) < rng.uniform(0, 0.33)
    gaps[np.arange(len(X)), rng.integers(X.shape[1], size=len(X))] = False
    gaps[rng.integers(len(X), size=X.shape[1]), np.arange(X.shape[1])] = False
    return np.where(gaps, np.nan, X)


def refined(pca, rows, weights):
    return pca.refine(rows, sample_weight=weights)


# What a stream uses beside its method: parameters of OnlinePCA, a change of the rows, the form in which they are given,
# and a last step.
FEATURES = {
    "sparse rows": {"given": sparse.csr_array},
    "standardize": {"parameters": {"standardize": True}},
    "window": {"parameters": {"window": 150}},
    "missing values": {"parameters": {"missing": "impute"}, "change": with_gaps},
    "refine": {"finish": refined},
}
WITH_FEATURE = 0.25  # of all streams

FORGETTING = (1.0, 1.0, 1.0, 1.0, 1.0, 0.999, 0.99, 0.9)
BLOCK_SIZES = ("auto", "auto", 1, 7, 32, 100)
OVERSAMPLING = ("auto", "auto", "auto", 0, 3)
