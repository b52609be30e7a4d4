"""What rows make of an estimator: the C++ estimator, and how many of its components readers see."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from scipy.sparse import issparse

from . import _core
from ._parameters import core_parameters

_ESTIMATORS = {np.dtype(np.float32): _core.EstimatorF32, np.dtype(np.float64): _core.EstimatorF64}
_DTYPES: dict[type, np.dtype] = {
    _core.EstimatorF32: np.dtype(np.float32),
    _core.EstimatorF64: np.dtype(np.float64),
    _core.ModelF32: np.dtype(np.float32),
    _core.ModelF64: np.dtype(np.float64),
}


class Fitted:
    """Threads may share it: each call works alone, changes all or nothing, and lets go of the interpreter."""

    def __init__(self, core: Any, requested: Any) -> None:
        self.core = core
        self.requested = requested  # n_components as the estimator's user said it
        self.dtype = _DTYPES[type(core)]
        self._reported: tuple[Any, Any] = (None, None)  # the core's model, and as readers see it

    @classmethod
    def empty(cls, parameters: dict[str, Any], dtype: Any, rows: int | None, features: int) -> Fitted:
        """For rows to come: `rows` of them, None where nobody knows."""
        core = _ESTIMATORS[np.dtype(dtype)](core_parameters(parameters, rows, features))
        return cls(core, parameters["n_components"])

    @classmethod
    def from_model(cls, model: Any, requested: Any) -> Fitted:
        """To go on from where the model stopped."""
        return cls(_ESTIMATORS[_DTYPES[type(model)]](model), requested)

    def __reduce__(self) -> tuple:
        return Fitted, (self.core, self.requested)

    def add(self, X: Any, weights: np.ndarray | None, first_row: int = 0) -> None:
        """Add the rows X, dense or CSR; a bad one is numbered from `first_row` on."""
        if issparse(X):
            self.core.partial_fit_csr(X.data, X.indices, X.indptr, X.shape[1], weights, first_row)
        else:
            self.core.partial_fit(X, weights, first_row)

    def model(self) -> Any:
        """The model of all rows so far, of one moment; the same object until the next rows."""
        model = self.core.model()
        seen, reported = self._reported
        if seen is not model:
            n_components = _reported_components(model, self.requested)
            reported = model if n_components == model.n_components else model.reporting(n_components)
            self._reported = (model, reported)
        return reported


def _reported_components(model: Any, requested: Any) -> int:
    if requested is None:
        return min(model.rows, model.n_components)
    if not isinstance(requested, float):
        return model.n_components
    if not model.trace > 0:
        return 1
    fractions = np.cumsum(model.eigenvalues) / model.trace
    n_components = int(np.searchsorted(fractions, requested, side="right")) + 1
    if n_components > len(fractions):
        n_components = len(fractions)
        if n_components < model.features:
            warnings.warn(
                f"The {n_components} components held explain {fractions[-1]:.3g} of the variance, less than "
                f"n_components={requested}: give n_components as a larger number",
                stacklevel=4,
            )
    return n_components
