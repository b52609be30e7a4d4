"""Test rows, timing, and the error against batch PCA."""

import subprocess
import sys
import time
from dataclasses import dataclass

import numpy as np
from scipy.linalg import eigh


@dataclass
class Result:
    """A contestant's best time, in seconds per row, with the fitted estimator and the variant."""

    seconds: float
    estimator: object
    variant: str


@dataclass
class Outcome:
    """What a contestant did in a case. Without components it has neither error nor variance."""

    seconds: float  # per row
    variant: str
    error: float | None  # of the subspace, against batch PCA
    missed: float | None  # part of the variance along batch PCA's components that its own do not capture


def low_rank_rows(d, m, n, seed=0):
    """Returns n rows of 3 m factors, each 0.9 times as strong as the one before, plus noise."""
    return rows_of_factors(d, n, 5 * 0.9 ** np.arange(3 * m), seed)


def slow_rows(d, m, n, seed=0):
    """Returns n rows of 3 m factors whose variances fall like 1/i, plus noise."""
    return rows_of_factors(d, n, 5 * np.arange(1, 3 * m + 1) ** -0.5, seed)


def rows_of_factors(d, n, strength, seed):
    """Returns n rows of random factors of the given strength, plus noise."""
    rng = np.random.default_rng(seed)
    rank = len(strength)
    factors = rng.standard_normal((rank, d)) / np.sqrt(d)
    X = (rng.standard_normal((n, rank)) * strength) @ factors
    X += 0.3 / np.sqrt(d) * rng.standard_normal((n, d))
    return X


def race(contestants, X, rounds):
    """Runs all contestants in turn, `rounds` times, on the same rows. Returns label -> Result with the best time."""
    typed = {np.dtype(c.dtype): np.ascontiguousarray(X, c.dtype) for c in contestants}
    best = {}
    for turn in range(rounds):
        for contestant in contestants:
            rows = typed[np.dtype(contestant.dtype)]
            tried = contestant.variants if turn == 0 else [best[contestant.label].variant]
            for variant in tried:
                run, count = contestant.variants[variant](rows)
                start = time.perf_counter()
                estimator = run()
                seconds = (time.perf_counter() - start) / count
                if contestant.label not in best or seconds < best[contestant.label].seconds:
                    best[contestant.label] = Result(seconds, estimator, variant)
    return best


def per_row(estimator, X, batch, least=300, turns=2):
    """Returns the best time per row of `partial_fit` in batches, after the estimator has seen X. A turn repeats X until
    at least `least` rows are done, so that the borders of blocks do not matter."""
    batches = [X[i : i + batch] for i in range(0, len(X) - batch + 1, batch)]
    for rows in batches:
        estimator.partial_fit(rows)
    best = np.inf
    for _ in range(turns):
        taken = 0
        start = time.perf_counter()
        while taken < least:
            for rows in batches:
                estimator.partial_fit(rows)
                taken += batch
        best = min(best, (time.perf_counter() - start) / taken)
    return best


def batch_basis(X, m):
    """Returns the m leading right singular vectors of the centred rows as columns, from the smaller Gram matrix."""
    centred = X - X.mean(axis=0)
    n, d = centred.shape
    order = min(n, d)
    gram = centred.T @ centred if d <= n else centred @ centred.T
    vectors = eigh(gram, subset_by_index=[order - m, order - 1], overwrite_a=True)[1]
    return vectors if d <= n else np.linalg.qr(centred.T @ vectors)[0]


def subspace_error(U, V):
    """Returns |UU' - VV'|_F^2 / |UU'|_F^2, the paper's error. U and V have the same number of columns."""
    V = np.linalg.qr(np.asarray(V, float))[0]
    outside = V - U @ (U.T @ V)
    return 2 * np.sum(outside**2) / U.shape[1]


def variance_missed(U, V, X):
    """Returns which part of the variance of X along U's columns the columns of V do not capture."""
    centred = X - X.mean(axis=0)
    V = np.linalg.qr(np.asarray(V, float))[0]
    return 1 - np.sum((centred @ V) ** 2) / np.sum((centred @ U) ** 2)


def peak_memory(script, *arguments):
    """Returns the number of bytes that `script` prints: its peak memory without its imports, in a new interpreter."""
    command = [sys.executable, script, *map(str, arguments)]
    return int(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
