"""Types of arguments and results."""

from __future__ import annotations

from typing import Any, Literal, Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

Method: TypeAlias = Literal["auto", "roipca", "froipca", "ipca", "ccipca", "gha", "oja", "fd", "exact"]
MuChoice: TypeAlias = Literal["mean", "zero"] | float
Missing: TypeAlias = Literal["error", "impute"]
Tau: TypeAlias = Literal["zero", "optimal"]
UpdateEvery: TypeAlias = Literal["block", "row"]
AutoOrInt: TypeAlias = Literal["auto"] | int
Align: TypeAlias = Literal["previous", "previous-order"] | None
ComponentNumber: TypeAlias = int | float | Literal["auto"] | None
LearningRate: TypeAlias = Literal["auto"] | float | None

Float64Array: TypeAlias = NDArray[np.float64]
FloatArray: TypeAlias = NDArray[np.float32] | NDArray[np.float64]
"""float32 if the first rows were float32, else float64."""


class SparseMatrix(Protocol):
    """A matrix or array of scipy.sparse."""

    def tocsr(self) -> Any:
        """Return it in compressed row form."""


class Frame(Protocol):
    """A data frame of pandas or polars."""

    def to_numpy(self) -> Any:
        """Return its numbers."""


class ArrowStream(Protocol):
    """A table of Arrow, or anything else that exports a stream of record batches."""

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any: ...


MatrixLike: TypeAlias = ArrayLike | SparseMatrix | Frame | ArrowStream
"""Rows, as scikit-learn accepts them, and Arrow tables."""
