"""Input of any kind as arrays that the C++ core reads where they lie, or refused in scikit-learn's words."""

from __future__ import annotations

from collections.abc import Iterator
from numbers import Number
from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.utils import check_array
from sklearn.utils.validation import check_non_negative, validate_data

MatrixLike = Any  # rows as scikit-learn takes them: array-like, sparse matrix or frame

# In scikit-learn's words, and then what to do.
ONE_ROW = (
    "Expected 2D array, got 1D array instead: update(x) adds one row. Rows are arrays of two dimensions; "
    "reshape one row with x.reshape(1, -1), or one feature with x.reshape(-1, 1)"
)

_EXPANDED = 1 << 20  # numbers of a sparse matrix that are made dense at a time
_KEPT = (np.float64, np.float32)  # anything else becomes the first


def as_rows(estimator: Any, X: Any, dtype: Any = None, *, check_finite: bool = True) -> Any:
    """X as C-ordered rows of float32 or float64, dense or CSR; the same memory where it is that already.

    Without a dtype the rows are the estimator's first: they set its width and names, float32 stays float32
    and everything else becomes float64. Where the core learns from dense rows, it looks for NaN itself.
    """
    return validate_data(
        estimator,
        X,
        reset=dtype is None,
        dtype=_KEPT if dtype is None else dtype,
        order="C",
        accept_sparse="csr",
        ensure_all_finite=check_finite or issparse(X),
    )


def are_rows(X: Any, dtype: np.dtype, features: int) -> bool:
    """Whether X is what `as_rows` would return: cheap, for streams that come a few rows at a time."""
    return (
        type(X) is np.ndarray
        and X.dtype == dtype
        and X.ndim == 2
        and X.shape[1] == features
        and X.shape[0] > 0
        and X.flags.c_contiguous
    )


def is_one_row(X: Any) -> bool:
    """Whether X has one dimension: numbers, or an array or series of them."""
    if isinstance(X, (list, tuple)):
        return len(X) > 0 and isinstance(X[0], Number)
    return getattr(X, "ndim", None) == 1


def as_row(x: Any, dtype: Any = None) -> np.ndarray:
    """One row x as a contiguous array (features,)."""
    x = np.asarray(x)
    if x.dtype.kind not in "biuf":
        x = check_array(x, ensure_2d=False, dtype=np.float64, ensure_all_finite=False)
    if x.ndim != 1:
        raise ValueError(f"Expected 1D array, got {x.ndim}D array instead: update takes one row")
    return np.ascontiguousarray(x, dtype)


def as_weights(sample_weight: Any, rows: int) -> np.ndarray | None:
    """One weight a row as float64: None stays None, a number stands for all rows."""
    if sample_weight is None:
        return None
    if isinstance(sample_weight, Number):
        sample_weight = np.full(rows, sample_weight)
    weights = check_array(
        sample_weight, ensure_2d=False, dtype=np.float64, order="C", input_name="sample_weight"
    )
    if weights.shape != (rows,):
        raise ValueError(f"sample_weight.shape == {weights.shape}, expected {(rows,)}!")
    check_non_negative(weights, "`sample_weight`")
    return weights


def dense_parts(X: Any) -> Iterator[np.ndarray]:
    """The rows X, dense: all at once, or of a sparse matrix a few at a time."""
    if not issparse(X):
        yield X
        return
    step = max(1, _EXPANDED // X.shape[1])
    for first in range(0, X.shape[0], step):
        yield X[first : first + step].toarray()
