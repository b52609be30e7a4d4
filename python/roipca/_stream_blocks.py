"""Processes each block of `fit_stream`: takes out its weights, leaves out bad rows, prepares counts, and learns."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from scipy.sparse import issparse

from ._caller import caller_level
from ._errors import ArgumentError, DataError
from ._preparation import Preparation, plain_rows
from ._rows import NamedBlock, as_weights, is_arrow
from ._sources import count_rows


class StreamBlocks:
    """Blocks on their way to an estimator, and the number of rows that were skipped."""

    def __init__(self, preparation: Preparation, sample_weight: Any, on_bad_row: str, *, gaps: bool = False) -> None:
        if on_bad_row not in ("error", "skip"):
            raise ValueError(f"on_bad_row must be 'error' or 'skip', got {on_bad_row!r}")
        self._preparation = preparation
        self._weight_column = sample_weight if isinstance(sample_weight, str) else None
        self._weights = None if self._weight_column is not None or sample_weight is None else np.asarray(sample_weight)
        if self._weights is not None and self._weights.ndim > 1:
            raise ValueError(f"sample_weight has shape {self._weights.shape}, not one weight per row")
        self._skips = on_bad_row == "skip"
        self._gaps = gaps  # whether NaN means a missing value, and is not a reason to skip a row
        self.skipped = 0

    def columns(self, columns: Sequence[str] | None) -> Sequence[str] | None:
        """Returns the columns to read: those of the features and the one of the weights."""
        if columns is None or self._weight_column is None or isinstance(columns, str):
            return columns
        return [*(name for name in columns if name != self._weight_column), self._weight_column]

    def use(self, block: Any, first_row: int, add: Callable[[Any, Any, int], None]) -> None:
        """Calls add(rows, weights, first_row) with a block, which begins at row `first_row` of the stream."""
        block, weights = self._split(block, first_row)
        if not self._skips:
            add(self._prepared(block, first_row), weights, first_row)
            return
        block, weights = self._without_missing(block, weights, first_row)
        while count_rows(block) > 0:
            bad = self._bad_row(block, weights, add)
            if bad is None:
                return
            block, weights = self._kept(block, weights, np.arange(count_rows(block)) != bad)

    def warn_of_skipped(self, rows: int) -> None:
        """Warns if rows were skipped, with their number."""
        if self.skipped:
            message = f"Skipped {self.skipped} of {rows} rows that have missing or bad numbers"
            warnings.warn(message, stacklevel=caller_level())

    def check_weights(self, rows: int) -> None:
        """Raises ValueError if there is not one weight for each of the rows of the stream."""
        if self._weights is not None and self._weights.ndim == 1 and len(self._weights) != rows:
            raise ValueError(f"sample_weight has {len(self._weights)} weights, but the source has {rows} rows")

    def _prepared(self, block: Any, first_row: int) -> Any:
        return self._preparation.apply(block, first_row) if self._preparation else block

    def _bad_row(self, block: Any, weights: Any, add: Callable[[Any, Any, int], None]) -> int | None:
        """Adds a block. If a row of it is refused, returns its number in the block, and nothing is added."""
        try:
            add(self._prepared(block, 0), weights, 0)
        except DataError as error:
            return error.row
        return None

    def _split(self, block: Any, first_row: int) -> tuple[Any, np.ndarray | None]:
        count = count_rows(block)
        if self._weights is not None and self._weights.ndim != 1:
            return block, as_weights(self._weights.item(), count)  # one weight for all rows
        if self._weights is not None:
            rows = first_row + count
            if rows > len(self._weights):
                raise ArgumentError(f"sample_weight has {len(self._weights)} weights for {rows} rows or more")
            return block, as_weights(self._weights[first_row : first_row + count], count)
        if self._weight_column is None:
            return block, None
        name = self._weight_column
        names = getattr(getattr(block, "schema", None), "names", None) if is_arrow(block) else None
        known = list(names if names is not None else getattr(block, "columns", ()))
        if name not in known:
            raise ArgumentError(f"There is no column {name!r} for sample_weight; the columns are {known}")
        others = [column for column in known if column != name]
        if names is None:
            return block[others], as_weights(np.asarray(block[name]), count)
        return block.select(others), as_weights(block.column(name).to_numpy(zero_copy_only=False), count)

    def _without_missing(
        self, block: Any, weights: np.ndarray | None, first_row: int
    ) -> tuple[Any, np.ndarray | None]:
        if is_arrow(block) and not self._gaps:
            import pyarrow.compute as pc

            complete = np.ones(count_rows(block), bool)
            for column in block.columns:
                if column.null_count:
                    complete &= pc.is_valid(column).to_numpy(zero_copy_only=False)
            block, weights = self._kept(block, weights, complete)
            if count_rows(block) == 0:
                return block, weights
        rows, names = plain_rows(block, first_row, gaps=self._gaps)
        finite = np.ones(rows.shape[0], bool)
        if issparse(rows):
            bad = np.flatnonzero(~np.isfinite(rows.data))
            finite[np.searchsorted(rows.indptr, bad, side="right") - 1] = False
        elif rows.dtype.kind == "f":
            finite = ~np.isinf(rows).any(axis=1) if self._gaps else np.isfinite(rows).all(axis=1)
        return self._kept(rows if names is None else NamedBlock(rows, names), weights, finite)

    def _kept(self, block: Any, weights: Any, kept: np.ndarray) -> tuple[Any, Any]:
        """Returns the rows for which `kept` is true, and counts the others."""
        if kept.all():
            return block, weights
        self.skipped += int(len(kept) - kept.sum())
        weights = None if weights is None else weights[kept]
        if isinstance(block, NamedBlock):
            return NamedBlock(block.rows[kept], block.names), weights
        if is_arrow(block):
            import pyarrow as pa

            return block.filter(pa.array(kept)), weights
        return block[kept], weights
