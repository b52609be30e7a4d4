"""The exception for a row that cannot be used."""

from __future__ import annotations


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


def missing_value(row: int, reason: str) -> DataError:
    """Return the error for a null, in the words for a NaN."""
    return DataError(row, reason, "Input X contains NaN.")
