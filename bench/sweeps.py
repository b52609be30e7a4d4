"""Measures how the time per row and the memory grow with features, components and rows."""

import os
import time

import numpy as np
from measure import low_rank_rows, peak_memory, per_row
from sklearn.decomposition import IncrementalPCA

from roipca import OnlinePCA

PROBE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "memory_probe.py")


def seconds_per_row(X, m):
    """Returns label -> seconds per row, for the methods in the plots."""
    batch = min(len(X), 5 * m)
    times = {
        "roipca": per_row(OnlinePCA(m, method="roipca"), X, batch),
        "roipca, float32": per_row(OnlinePCA(m, method="roipca"), X.astype(np.float32), batch),
        "fROIPCA, row by row": per_row(OnlinePCA(m, method="froipca", oversampling=0), X, batch),
        "IncrementalPCA": per_row(IncrementalPCA(m), X, batch),
    }
    C = np.random.default_rng(0).standard_normal((m, X.shape[1]))
    best = np.inf
    for _ in range(3):
        start = time.perf_counter()
        X @ C.T
        best = min(best, time.perf_counter() - start)
    return {**times, "one projection": best / len(X)}


def over_features(sizes, m=10, numbers=2e7):
    """Returns features -> label -> seconds per row, on about `numbers` numbers each and at least one batch."""
    return {d: seconds_per_row(low_rank_rows(d, m, max(5 * m, int(numbers / d))), m) for d in sizes}


def over_components(sizes, d=1000, rows=4000):
    """Returns components -> label -> seconds per row."""
    return {m: seconds_per_row(low_rank_rows(d, m, rows), m) for m in sizes}


def over_rows(marks, d=100, m=5, batch=5000):
    """Returns label -> {rows: seconds per row since the previous mark}, on streams that are never fully in memory."""
    pool = np.split(low_rank_rows(d, m, 20 * batch), 20)
    found = {}
    for label, method in (("roipca, blocks", "roipca"), ("roipca, auto (exact)", "auto")):
        pca, done, found[label] = OnlinePCA(m, method=method).partial_fit(pool[0]), 0, {}
        for mark in marks:
            spent, begun = 0.0, done
            while done < mark:
                rows = pool[done // batch % len(pool)]
                start = time.perf_counter()
                pca.partial_fit(rows)
                spent += time.perf_counter() - start
                done += batch
            found[label][mark] = spent / (done - begun)
    return found


def memory_over_rows(counts, d=1000, m=10):
    """Returns label -> {rows: bytes}. `counts` has the numbers of rows to try for each label."""
    return {
        label: {n: peak_memory(PROBE, label, n, d, m) for n in rows} for label, rows in counts.items()
    }
