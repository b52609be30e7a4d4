"""Prepares counts on their way to an estimator: sums per row, logarithms, weights and a choice of features."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from . import _core
from ._errors import SPARSE_REMEDY, ArgumentError, DataError, with_remedy, within
from ._rows import (
    NamedBlock,
    is_arrow,
    refuse_stored,
    refuse_text,
    require_finite,
    require_first_start,
    unmasked,
)
from ._tensors import is_tensor, tensor_rows
from ._types import MatrixLike

_REMEDY = "target_sum and log1p take no missing values: fill them, or drop the rows"


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
    try:
        prepared = Preparation(target_sum, log1p, feature_weights, feature_mask).apply(X)
    except ArgumentError as error:
        raise ValueError(str(error)) from None
    return prepared.rows if isinstance(prepared, NamedBlock) else prepared


class Preparation:
    """The steps that prepare each block, in this order: target sum, log1p, weights, mask."""

    def __init__(self, target_sum: Any, log1p: bool, feature_weights: Any, feature_mask: Any) -> None:
        if target_sum is not None and not (math.isfinite(target_sum) and target_sum > 0):
            raise ValueError(f"target_sum must be a number above 0, got {target_sum!r}")
        if isinstance(feature_mask, str):
            raise TypeError(f"feature_mask must be a list, not a string: write feature_mask=[{feature_mask!r}]")
        self._target_sum = target_sum
        self._log1p = log1p
        self._weights = None if feature_weights is None else np.ascontiguousarray(feature_weights, np.float64)
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
        rows, names = plain_rows(block, first_row)
        if len(rows.shape) != 2:
            return block  # for the estimator to refuse
        rows = rows if sparse.issparse(rows) else np.ascontiguousarray(rows)
        features = rows.shape[1]
        kept = self._kept(features, names)
        if self._weights is not None and self._weights.shape != (features,):
            raise ArgumentError(f"feature_weights has shape {self._weights.shape}; the rows have {features} features")
        kind = _core.PreparationF32 if rows.dtype == np.float32 else _core.PreparationF64
        core = kind(features, self._target_sum, bool(self._log1p), self._weights, kept)
        try:
            prepared = _sparse(core, rows) if sparse.issparse(rows) else core.apply(rows)
            if self._log1p:
                require_finite(rows, allow_nan=True, columns=kept)  # the logarithm of infinity is infinity
        except DataError as error:
            remedy = SPARSE_REMEDY if sparse.issparse(rows) else _REMEDY
            raise with_remedy(within(error, "", first_row), remedy) from None
        if names is None:
            return prepared
        if kept is not None:
            names = [name for name, stays in zip(names, kept, strict=True) if stays]
        return NamedBlock(prepared, names)

    def _kept(self, features: int, names: Sequence[str] | None) -> np.ndarray | None:
        if self._mask is None:
            return None
        if self._mask.dtype.kind == "b":
            if self._mask.shape != (features,):
                raise ArgumentError(f"feature_mask has shape {self._mask.shape}; the rows have {features} features")
            kept = np.ascontiguousarray(self._mask)
        else:
            if names is None:
                raise ArgumentError("feature_mask holds names, but the features have none: give a mask of bools")
            known = set(names)
            for name in self._mask.flat:
                if name not in known:
                    raise ArgumentError(f"feature_mask names {name!r}, which is not a feature of the rows")
            wanted = set(self._mask.flat)
            kept = np.fromiter((name in wanted for name in names), bool, features)
        if not kept.any():
            raise ArgumentError("feature_mask keeps no feature")
        return kept


def _sparse(core: Any, rows: Any) -> sparse.csr_array:
    wide = np.int32 if rows.indices.dtype == rows.indptr.dtype == np.int32 else np.int64
    parts = (rows.data, rows.indices.astype(wide, copy=False), rows.indptr.astype(wide, copy=False))
    data, indices, indptr = core.apply_csr(*parts, rows.shape[1])
    return sparse.csr_array((data, indices, indptr), shape=(rows.shape[0], core.features_out))


def plain_rows(block: Any, first_row: int, *, gaps: bool = False) -> tuple[Any, Sequence[str] | None]:
    """Returns a block of any kind as an array or CSR matrix of float32 or float64, and the names of its features."""
    names = None
    refuse_stored(block)
    if isinstance(block, NamedBlock):
        block, names = block.rows, block.names
    elif not sparse.issparse(block) and is_arrow(block):
        from ._arrow import rows_and_names

        block, names = rows_and_names(block, None, first_row, gaps=gaps)
    elif hasattr(block, "columns") and all(isinstance(name, str) for name in block.columns):
        names = list(block.columns)
    if is_tensor(block):
        block = tensor_rows(block)
    if sparse.issparse(block):
        require_first_start(block, first_row)
    rows = block.tocsr() if sparse.issparse(block) else np.asarray(unmasked(block))
    try:
        return rows.astype(np.float32 if rows.dtype == np.float32 else np.float64, copy=False), names
    except (TypeError, ValueError) as error:
        refuse_text(block, first_row, error)
        raise
