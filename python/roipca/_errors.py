"""The exception for a row that cannot be used."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import issparse


class DataError(ValueError):
    """A row that cannot be used. Its number and the reason are separate attributes.

    Attributes
    ----------
    row : int
        Zero-based position of the row in the call or stream that failed.
    reason : str
        What is wrong with it, such as "NaN in column 3".
    """

    def __init__(self, row: int, reason: str, summary: str = "", where: str = "") -> None:
        super().__init__(row, reason, summary, where)  # the arguments, for pickle
        self.row = row
        self.reason = reason
        self._summary = summary  # in scikit-learn's words
        self._where = where

    def __str__(self) -> str:
        where = f"{self._where}: " if self._where else ""
        summary = f"{self._summary}\n" if self._summary else ""
        is_missing = self.reason.startswith(("NaN", "null"))
        hint = ' (OnlinePCA(missing="impute") fills missing values)' if is_missing else ""
        return f"{where}{summary}row {self.row}: {self.reason}{hint}"

    def within(self, where: str, rows_before: int = 0) -> DataError:
        """Return the same error for a part of a larger whole, which begins after `rows_before` of its rows."""
        return DataError(rows_before + self.row, self.reason, self._summary, where)


def require_finite(rows: Any, allow_nan: bool) -> None:
    """Raises DataError for the first NaN (unless allowed) or infinity in dense rows or a CSR matrix."""
    values = rows.data if issparse(rows) else rows.reshape(-1)
    is_bad = np.isinf if allow_nan else lambda x: ~np.isfinite(x)
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(values.sum()):  # cheap, and enough for nearly all rows
            return
    bad = is_bad(values)
    if not bad.any():
        return
    first = int(bad.argmax())
    if issparse(rows):
        row, column = int(np.searchsorted(rows.indptr, first, side="right")) - 1, int(rows.indices[first])
    else:
        row, column = divmod(first, rows.shape[1])
    if np.isnan(values[first]):
        raise missing_value(row, f"NaN in column {column}")
    summary = f"Input X contains infinity or a value too large for {values.dtype!r}."
    raise DataError(row, f"{values[first]} in column {column}", summary)


def missing_value(row: int, reason: str) -> DataError:
    """Return the error for a null, in the words for a NaN."""
    return DataError(row, reason, "Input X contains NaN.")
