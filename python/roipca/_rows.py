"""Input of any kind as the arrays that the C++ core reads where they lie."""

import numpy as np


def as_rows(X, dtype=None):
    """X as a C-ordered array (rows, features) of float32 or float64; the same memory where it is one already.

    Without a dtype, float32 stays float32 and everything else becomes float64.
    """
    X = np.asarray(X)
    if X.ndim != 2:
        raise ValueError(f"Expected 2D array, got {X.ndim}D array instead: one row is X.reshape(1, -1)")
    if X.dtype.kind not in "biufO":
        raise ValueError(f"Expected real numbers, got an array of {X.dtype}")
    if dtype is None:
        dtype = np.float32 if X.dtype == np.float32 else np.float64
    return np.asarray(X, dtype=dtype, order="C")


def as_weights(sample_weight, rows):
    """One weight a row as float64: None stays None, a number stands for all rows."""
    if sample_weight is None:
        return None
    weights = np.asarray(sample_weight, np.float64, order="C")
    return np.full(rows, weights) if weights.ndim == 0 else weights
