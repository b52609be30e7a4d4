"""Measures the costs that make up the time of a cluster: fitting a row, merging two models, and the size of a model."""

import time

import numpy as np
from measure import low_rank_rows

from roipca._partitions import Recipe


def _best(work, turns=3):
    """Returns CPU seconds, which depend little on other programs on the machine."""
    best = np.inf
    for _ in range(turns):
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
    return best


def of(d, m, rows=3_000):
    recipe = Recipe.of({"n_components": m}, is_float32=False)
    X = low_rank_rows(d, m, rows)
    halves = [recipe.fit(0, [(half, None)]) for half in np.array_split(X, 2)]
    return {
        "features": d,
        "components": m,
        "row": _best(lambda: recipe.fit(0, [(X, None)])) / rows,
        "merge": _best(lambda: recipe.merge(halves)),
        "bytes": len(halves[0]),
    }
