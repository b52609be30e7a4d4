"""Prepares counts on their way to an estimator: sums per row, logarithms, weights and a choice of features."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from ._errors import DataError, missing_value
from ._rows import NamedBlock, is_arrow
from ._types import MatrixLike


def prepare_rows(
    X: MatrixLike,
    *,
    target_sum: float | None = None,
    log1p: bool = False,
    feature_weights: ArrayLike | None = None,
    feature_mask: ArrayLike | Sequence[str] | None = None,
) -> Any:
    """Return rows as `OnlinePCA.fit_stream` learns them with the same arguments, such as new rows for `transform`.

    Parameters
    ----------
    X : {array-like, sparse matrix} of shape (n_samples, n_features)
        Rows. They are not changed.
    target_sum : float, default=None
        First, multiply each row by a number such that its sum is this, as scanpy's `normalize_total` does. Features
        that `feature_mask` drops count in the sum. Rows of zeros remain zeros.
    log1p : bool, default=False
        Then, replace each number x by log(1 + x).
    feature_weights : array-like of shape (n_features,), default=None
        Then, multiply each feature by its weight, such as the inverse document frequency of a word.
    feature_mask : array-like of bool of shape (n_features,), or list of str, default=None
        Last, keep the features for which this is true, or those of these names, in the order of X.

    Returns
    -------
    rows : ndarray or CSR array of shape (n_samples, n_features_kept)
        float32 if X is float32, else float64.

    Examples
    --------
    >>> import numpy as np
    >>> from roipca import prepare_rows
    >>> prepare_rows(np.array([[1, 3, 0], [0, 0, 5]]), target_sum=8, feature_mask=[True, True, False])
    array([[2., 6.],
           [0., 0.]])
    """
    prepared = Preparation(target_sum, log1p, feature_weights, feature_mask).apply(X)
    return prepared.rows if isinstance(prepared, NamedBlock) else prepared


class Preparation:
    """What is done to each block, in this order: target sum, log1p, weights, mask."""

    def __init__(self, target_sum: Any, log1p: bool, feature_weights: Any, feature_mask: Any) -> None:
        if target_sum is not None and not (math.isfinite(target_sum) and target_sum > 0):
            raise ValueError(f"target_sum must be a number above 0, got {target_sum!r}")
        if isinstance(feature_mask, str):
            raise TypeError(f"feature_mask must be a list, not a string: write feature_mask=[{feature_mask!r}]")
        self._target_sum = target_sum
        self._log1p = log1p
        self._weights = None if feature_weights is None else np.asarray(feature_weights, np.float64)
        if self._weights is not None and not np.isfinite(self._weights).all():
            raise ValueError("feature_weights must be finite numbers")
        self._mask = None if feature_mask is None else np.asarray(feature_mask)
        if self._mask is not None and self._mask.dtype.kind not in "bUOT":
            raise TypeError(f"feature_mask must hold bools or names, not {self._mask.dtype}")
        if self._mask is not None and self._mask.dtype.kind != "b":
            self._mask = self._mask.astype(object)

    def __bool__(self) -> bool:
        chosen = (self._target_sum, self._weights, self._mask)
        return bool(self._log1p) or any(choice is not None for choice in chosen)

    def apply(self, block: Any, first_row: int = 0) -> Any:
        """Returns the block as it is to be learned. Errors count its rows from `first_row`."""
        rows, names = _rows_and_names(block, first_row)
        if len(rows.shape) != 2:
            return block  # for the estimator to refuse
        kept = self._kept(rows.shape[1], names)
        if self._weights is not None and self._weights.shape != (rows.shape[1],):
            raise ValueError(f"feature_weights has shape {self._weights.shape}; the rows have {rows.shape[1]} features")
        if sparse.issparse(rows):
            rows = self._sparse(_canonical(rows, first_row), kept, first_row)
        else:
            rows = self._dense(rows, kept, first_row)
        if names is None:
            return rows
        if kept is not None:
            names = [name for name, stays in zip(names, kept, strict=True) if stays]
        return NamedBlock(rows, names)

    def _kept(self, features: int, names: Sequence[str] | None) -> np.ndarray | None:
        if self._mask is None:
            return None
        if self._mask.dtype.kind == "b":
            if self._mask.shape != (features,):
                raise ValueError(f"feature_mask has shape {self._mask.shape}; the rows have {features} features")
            kept = self._mask
        else:
            if names is None:
                raise ValueError("feature_mask holds names, but the features have none: give a mask of bools")
            known = set(names)
            for name in self._mask.flat:
                if name not in known:
                    raise ValueError(f"feature_mask names {name!r}, which is no feature of the rows")
            wanted = set(self._mask.flat)
            kept = np.fromiter((name in wanted for name in names), bool, features)
        if not kept.any():
            raise ValueError("feature_mask keeps no feature")
        return kept

    def _sparse(self, rows: Any, kept: np.ndarray | None, first_row: int) -> Any:
        data, indices, indptr = rows.data, rows.indices, rows.indptr
        row_of = np.repeat(np.arange(rows.shape[0]), np.diff(indptr))

        def place(entry: int) -> tuple[int, int]:
            return first_row + int(row_of[entry]), int(indices[entry])

        if self._target_sum is not None:
            _refuse(~np.isfinite(data), data, place)
            sums = np.bincount(row_of, weights=data, minlength=rows.shape[0])
            data = (data * self._factors(sums, first_row)[row_of]).astype(data.dtype)
        features = rows.shape[1]
        if kept is not None:
            stays = kept[indices]
            indptr = np.concatenate(([0], np.cumsum(stays)))[indptr]
            row_of, data, indices = row_of[stays], data[stays], indices[stays]
        if self._log1p:
            _refuse(~(data > -1), data, place)
            data = np.log1p(data)
        if self._weights is not None:
            data = (data * self._weights[indices]).astype(data.dtype)
        if kept is not None:
            indices = (np.cumsum(kept) - 1)[indices]
            features = int(kept.sum())
        return sparse.csr_array((data, indices, indptr), shape=(rows.shape[0], features))

    def _dense(self, rows: np.ndarray, kept: np.ndarray | None, first_row: int) -> np.ndarray:
        columns = np.arange(rows.shape[1])

        def place(entry: int) -> tuple[int, int]:
            row, column = divmod(entry, len(columns))
            return first_row + row, int(columns[column])

        kind = rows.dtype
        if self._target_sum is not None:
            _refuse(~np.isfinite(rows), rows, place)
            sums = rows.sum(axis=1, dtype=np.float64)
            rows = (rows * self._factors(sums, first_row)[:, np.newaxis]).astype(kind)
        if kept is not None:
            rows, columns = rows[:, kept], columns[kept]
        if self._log1p:
            _refuse(~(rows > -1), rows, place)
            rows = np.log1p(rows)
        if self._weights is not None:
            rows = (rows * self._weights[columns]).astype(kind)
        return rows

    def _factors(self, sums: np.ndarray, first_row: int) -> np.ndarray:
        negative = np.flatnonzero(sums < 0)
        if negative.size:
            row = int(negative[0])
            raise DataError(first_row + row, f"the sum is {sums[row]:g}; target_sum needs rows of counts")
        return np.divide(self._target_sum, sums, out=np.zeros(len(sums)), where=sums > 0)


def _rows_and_names(block: Any, first_row: int) -> tuple[Any, Sequence[str] | None]:
    names = None
    if isinstance(block, NamedBlock):
        block, names = block.rows, block.names
    elif not sparse.issparse(block) and is_arrow(block):
        from ._arrow import rows_and_names

        block, names = rows_and_names(block, None, first_row)
    elif hasattr(block, "columns") and all(isinstance(name, str) for name in block.columns):
        names = list(block.columns)
    rows = block.tocsr() if sparse.issparse(block) else np.asarray(block)
    return rows.astype(np.float32 if rows.dtype == np.float32 else np.float64, copy=False), names


def _canonical(rows: Any, first_row: int) -> sparse.csr_array:
    """Checks the indices, which are about to be used, and adds up entries of one place, which have one logarithm."""
    count, features = rows.shape
    ends = rows.indptr.astype(np.int64)
    if len(ends) != count + 1 or ends[0] != 0 or (np.diff(ends) < 0).any() or ends[-1] > len(rows.indices):
        raise ValueError("indptr is damaged: it must ascend from 0 to the number of entries")
    used = int(ends[-1])
    outside = np.flatnonzero((rows.indices[:used] < 0) | (rows.indices[:used] >= features))
    if outside.size:
        row = int(np.searchsorted(ends, outside[0], side="right")) - 1
        raise DataError(
            first_row + row,
            f"column index {rows.indices[outside[0]]} is out of range: the rows have {features} columns",
        )
    checked = sparse.csr_array((rows.data[:used], rows.indices[:used], rows.indptr), shape=rows.shape)
    if not checked.has_canonical_format:
        checked = checked.copy()
        checked.sum_duplicates()
    return checked


def _refuse(bad: np.ndarray, numbers: np.ndarray, place: Any) -> None:
    """Raises for the first number that is bad: NaN and infinity in the words of the core, else for log1p."""
    if not bad.any():
        return
    entry = int(bad.argmax())
    (row, column), number = place(entry), float(numbers.flat[entry])
    if math.isnan(number):
        raise missing_value(row, f"NaN in column {column}")
    if math.isinf(number):
        raise DataError(row, f"infinity in column {column}", "Input X contains infinity.")
    raise DataError(row, f"{number:g} in column {column}; log1p needs numbers above -1")
