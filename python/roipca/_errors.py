"""The exception for a row that cannot be used."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

_FILLED = 'OnlinePCA(missing="impute") fills missing values'
SPARSE_REMEDY = "NaN in sparse rows cannot be filled: make the rows dense, or drop them"

# First lines of messages by a part of the reason. Other reasons have scikit-learn's words for NaN and infinity.
_SUMMARIES = {
    "log1p needs": "Input X contains a number that log1p cannot take.",
    "target_sum needs": "Input X contains a row that target_sum cannot scale.",
    "column index": "Input X is not a valid sparse matrix.",
    "not a CSR matrix": "Input X is not a valid sparse matrix.",
    "indptr": "Input X is not a valid sparse matrix.",
}


class DataError(ValueError):
    """A row that cannot be used. Its number and the reason are separate attributes.

    Attributes
    ----------
    row : int
        Zero-based position of the row in the call or stream that failed.
    reason : str
        What is wrong with it, such as "NaN in column 3".

    Examples
    --------
    >>> import numpy as np
    >>> from roipca import DataError, OnlinePCA
    >>> X = np.arange(12.0).reshape(4, 3)
    >>> X[2, 1] = np.nan
    >>> try:
    ...     OnlinePCA(1).fit(X)
    ... except DataError as error:
    ...     print(error.row, error.reason)
    2 NaN in column 1
    """

    def __init__(self, row: int, reason: str, summary: str = "", where: str = "", remedy: str = _FILLED) -> None:
        super().__init__(row, reason, summary, where, remedy)  # the arguments, for pickle
        self.row = row
        self.reason = reason
        self._summary = next((words for part, words in _SUMMARIES.items() if part in reason), summary)
        self._where = where
        self._remedy = remedy  # for missing values

    def __str__(self) -> str:
        where = f"{self._where}: " if self._where else ""
        summary = f"{self._summary}\n" if self._summary else ""
        is_missing = self.reason.startswith(("NaN", "null"))
        hint = f" ({self._remedy})" if is_missing else ""
        return f"{where}{summary}row {self.row}: {self.reason}{hint}"


def within(error: DataError, where: str, rows_before: int = 0) -> DataError:
    """Return the same error for a part of a larger whole, which begins after `rows_before` of its rows."""
    return DataError(rows_before + error.row, error.reason, error._summary, where, error._remedy)


def with_remedy(error: DataError, remedy: str) -> DataError:
    """Return the same error with another remedy for missing values."""
    return DataError(error.row, error.reason, error._summary, error._where, remedy)


class ArgumentError(ValueError):
    """An argument of a stream that does not fit its rows, found while they are read. Users see a ValueError."""


def missing_value(row: int, reason: str) -> DataError:
    """Return the error for a null, in the words for a NaN."""
    return DataError(row, reason, "Input X contains NaN.")


def first_start(row: int, start: int) -> DataError:
    """Return the error for a sparse matrix, from this row on, whose first entries belong to no row."""
    return DataError(row, f"indptr begins with {start}, not with 0")


@contextmanager
def of_sparse_rows() -> Iterator[None]:
    """Has errors for missing values say what can be done about them in sparse rows."""
    try:
        yield
    except DataError as error:
        raise with_remedy(error, SPARSE_REMEDY) from None


@contextmanager
def in_rows(first: int, count: int) -> Iterator[None]:
    """Has errors say in which rows of the stream they happen, unless an argument fits none of the rows."""
    where = f"In rows {first} to {first + count - 1} of the stream"
    try:
        yield
    except DataError as error:
        raise within(error, where) from error
    except ValueError as error:
        if isinstance(error, ArgumentError) and first == 0:
            raise ValueError(str(error)) from None
        raise ValueError(f"{where}: {error}") from error
