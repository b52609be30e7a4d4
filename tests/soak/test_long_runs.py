"""Streams long enough for rounding to accumulate: 10^7 rows by blocks, 10^6 of deficient rank row by row."""

import numpy as np
import pytest
from truth import LONG

from roipca import OnlinePCA

pytestmark = pytest.mark.soak

FEATURES = 16
IN_CALL = 100_000

# Drift from orthonormality, in roundings: 1e-11 in double.
ROUNDINGS = 1e-11 / np.finfo(np.float64).eps


class Moments:
    """Accumulates weight, mean and scatter of all rows in extended precision."""

    def __init__(self, features):
        self.count, self.mean, self.scatter = 0, np.zeros(features, LONG), np.zeros((features, features), LONG)

    def add(self, X):
        X = X.astype(np.float64)
        origin = X[0]
        shifted = X - origin  # exact enough: rows of a call are near each other
        mean = shifted.mean(axis=0)
        shifted = shifted - mean
        mean = mean.astype(LONG) + shifted.mean(axis=0) + origin
        jump, total = mean - self.mean, self.count + len(X)
        self.scatter = self.scatter + shifted.T @ shifted + np.outer(jump, jump) * (LONG(self.count) * len(X) / total)
        self.mean = self.mean + jump * (LONG(len(X)) / total)
        self.count = total


def calls(rows, dtype, rank):
    """Returns rows around 100, with variances from 9 down to 1 along `rank` directions."""
    rng = np.random.default_rng(3)
    axes = np.linalg.qr(rng.standard_normal((FEATURES, FEATURES)))[0][:rank] * np.linspace(3, 1, rank)[:, None]
    for _ in range(rows // IN_CALL):
        yield (100 + rng.standard_normal((IN_CALL, rank)) @ axes).astype(dtype)


def check_run(pca, blocks, dtype, exact=True, dense_by_rows=False):
    moments = Moments(FEATURES)
    for block in blocks:
        pca.partial_fit(block)
        moments.add(block)
    eps = float(np.finfo(dtype).eps)
    components = pca.components_.astype(np.float64)
    assert np.abs(components @ components.T - np.eye(len(components))).max() <= ROUNDINGS * eps
    values, vectors = np.linalg.eigh((moments.scatter / (moments.count - 1)).astype(np.float64))
    values, vectors = values[::-1], vectors[:, ::-1]
    assert pca.explained_variance_ratio_.sum() <= 1 + 16 * eps
    assert (np.diff(pca.explained_variance_) <= 0).all()
    assert np.abs(pca.mean_ - moments.mean.astype(float)).max() <= 64 * np.finfo(float).eps * 100
    if not exact:
        return
    # Every update rounds the components once; roundings add up like a random walk. Those of a dense eigensolver in
    # every row have a sign, and a sixteenth of one per row adds up.
    updates = moments.count / 16 if dense_by_rows else np.sqrt(moments.count)
    m = len(components)
    assert np.abs(pca.explained_variance_ - values[:m]).max() <= (64 + updates) * eps * values[0]
    along = np.einsum("ij,jk,ik->i", components, vectors * values @ vectors.T, components)
    assert np.abs(along - values[:m]).max() <= (64 + updates) * eps * values[0]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("method", ["roipca", "exact"])
def test_ten_million_rows_by_blocks_are_exact_to_rounding(method, dtype):
    pca = OnlinePCA(5, method=method, oversampling=3)
    check_run(pca, calls(10**7, dtype, rank=8), dtype)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("method", ["roipca", "ipca", "froipca"])
def test_a_million_rows_of_deficient_rank_row_by_row_are_exact_to_rounding(method, dtype):
    update = {} if method == "froipca" else {"update_every": "row"}
    pca = OnlinePCA(8, method=method, oversampling=2, **update)
    # fROIPCA leaves out rotations within the components by design: its eigenvalues are estimates.
    check_run(pca, calls(10**6, dtype, rank=5), dtype, exact=method != "froipca", dense_by_rows=method == "ipca")
