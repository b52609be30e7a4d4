"""Reads Arrow tables, datasets and readers, and Parquet and IPC files, in blocks of rows."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ._errors import DataError, missing_value
from ._sources import Stream, optional, rows_at_once

_USUAL_WIDTH = 1024  # assumed length of lists if their type does not tell it
_BUFFER = 1 << 20  # bytes of each column that are read ahead, instead of a whole row group


def parquet_stream(path: Path, batch_size: int | None, columns: Sequence[str] | None) -> Stream:
    """Streams the rows of a Parquet file, or of all in a folder, without reading whole row groups at once."""
    files = optional("pyarrow.dataset", "parquet").dataset(path, format="parquet")
    names = _chosen(files.schema, columns)
    size = batch_size or rows_at_once(_width(files.schema, names))

    def batches() -> Iterator[Any]:
        for file in files.files:
            with _parquet().ParquetFile(file, pre_buffer=False, buffer_size=_BUFFER) as rows:
                yield from rows.iter_batches(size, columns=names)

    return Stream(_parts(batches(), names, size), files.count_rows())


def ipc_stream(path: Path, batch_size: int | None, columns: Sequence[str] | None) -> Stream:
    """Streams the rows of an Arrow IPC file, such as Feather writes."""
    return arrow_stream(optional("pyarrow.dataset", "parquet").dataset(path, format="ipc"), batch_size, columns)


def arrow_stream(source: Any, batch_size: int | None, columns: Sequence[str] | None) -> Stream:
    """Streams the rows of a pyarrow object or of anything else that exports an Arrow stream."""
    pa = optional("pyarrow", "parquet")
    dataset = optional("pyarrow.dataset", "parquet")
    if isinstance(source, dataset.Scanner):
        source = source.to_reader()
    elif not isinstance(source, (dataset.Dataset, _parquet().ParquetFile, pa.Table)):
        source = _reader(source)
    is_file = isinstance(source, _parquet().ParquetFile)
    names = _chosen(source.schema_arrow if is_file else source.schema, columns)
    size = batch_size or rows_at_once(_width(source.schema_arrow if is_file else source.schema, names))
    if is_file:
        batches, rows = source.iter_batches(size, columns=names), source.metadata.num_rows
    elif isinstance(source, dataset.Dataset):
        batches = source.to_batches(columns=names, batch_size=size, batch_readahead=0, fragment_readahead=0)
        rows = source.count_rows()
    elif isinstance(source, pa.Table):
        batches, rows = source.select(names).to_batches(), source.num_rows
    else:
        batches, rows = source, None
    return Stream(_parts(batches, names, size), rows)


def rows_and_names(X: Any, dtype: Any, first_row: int, *, gaps: bool = False) -> tuple[np.ndarray, list[str] | None]:
    """Reads a whole table: rows of `dtype` (None: float32 or float64, as `as_rows` chooses), and their names.

    A column of lists contains all features, which have no names. A null becomes NaN if there may be `gaps`; otherwise
    it raises ValueError with its row, counted from `first_row`.
    """
    table = _table(X)
    names = _chosen(table.schema, None)
    of_lists = [name for name in names if _lists(table.schema.field(name).type)]
    if of_lists and len(names) > 1:
        name = of_lists[0]
        raise ValueError(f"Column {name!r} holds all features of a row: choose it with columns=[{name!r}]")
    if of_lists:
        return list_rows(table.column(names[0]), first_row, gaps=gaps), None
    columns = [table.column(name) for name in names]
    nulls = [(_first_null(column), name) for name, column in zip(names, columns, strict=True) if column.null_count]
    if nulls and not gaps:
        row, name = min(nulls)
        raise missing_value(first_row + row, f"null in column {name!r}")
    rows = np.empty((table.num_rows, len(names)), _common_type(columns) if dtype is None else dtype)
    for j, column in enumerate(columns):
        rows[:, j] = column.to_numpy(zero_copy_only=False)
    return rows, names


def list_rows(column: Any, first_row: int = 0, *, gaps: bool = False) -> np.ndarray:
    """Returns a column of lists of equal length as rows, without a copy if it is one array without nulls.

    Nulls in the lists become NaN if there may be `gaps`.
    """
    pa = optional("pyarrow", "parquet")
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks() if column.num_chunks != 1 else column.chunk(0)
    if column.null_count > 0:
        raise missing_value(first_row + _first_null(column), "null")
    values = column.flatten()
    if pa.types.is_fixed_size_list(column.type):
        width = column.type.list_size
    else:
        lengths = column.value_lengths().to_numpy(zero_copy_only=False)
        width = int(lengths[0]) if len(lengths) else 0
        odd = np.flatnonzero(lengths != width)
        if len(odd) > 0:
            raise DataError(first_row + int(odd[0]), f"{lengths[odd[0]]} features, but {width} were expected")
    if values.null_count > 0 and not gaps:
        row, place = divmod(_first_null(values), width)
        raise missing_value(first_row + row, f"null in column {place}")
    return values.to_numpy(zero_copy_only=False).reshape(len(column), width)


def _lists(kind: Any) -> bool:
    """Returns whether a column of this type contains lists of numbers."""
    from pyarrow import types

    is_list = types.is_fixed_size_list(kind) or types.is_list(kind) or types.is_large_list(kind)
    return is_list and (types.is_floating(kind.value_type) or types.is_integer(kind.value_type))


def _width(schema: Any, names: Sequence[str]) -> int:
    """Returns the number of features of a row, as far as the types tell."""
    kinds = (schema.field(name).type for name in names)
    return sum(getattr(kind, "list_size", _USUAL_WIDTH) if _lists(kind) else 1 for kind in kinds)


def _parquet() -> Any:
    return optional("pyarrow.parquet", "parquet")


def _table(X: Any) -> Any:
    pa = optional("pyarrow", "parquet")
    if isinstance(X, (pa.Table, pa.RecordBatch)):
        return X
    for method in ("to_table", "read"):  # methods of datasets and scanners, and of Parquet files
        if type(X).__module__.startswith("pyarrow") and hasattr(X, method):
            return getattr(X, method)()
    return _reader(X).read_all()


def _first_null(column: Any) -> int:
    return int(column.is_null().to_numpy(zero_copy_only=False).argmax())


def _reader(source: Any) -> Any:
    pa = optional("pyarrow", "parquet")
    if hasattr(source, "__arrow_c_stream__"):
        return pa.RecordBatchReader.from_stream(source)
    batch = pa.record_batch(source)
    return pa.RecordBatchReader.from_batches(batch.schema, [batch])


def _common_type(columns: Sequence[Any]) -> type:
    """Returns float32 where NumPy would make float32 of the columns, else float64."""
    kinds = [np.dtype(column.type.to_pandas_dtype()) for column in columns]
    return np.float32 if np.result_type(*kinds) == np.float32 else np.float64


def _chosen(schema: Any, columns: Sequence[str] | None) -> list[str]:
    """Returns the names of the columns to read, all of them columns of numbers."""
    from pyarrow import types

    index = _pandas_index(schema)
    names = [name for name in schema.names if name not in index] if columns is None else list(columns)
    if not names:
        raise ValueError("The source has no columns: at least one feature is required.")
    for name in names:
        if name not in schema.names:
            raise ValueError(f"There is no column {name!r}; the columns are {', '.join(map(repr, schema.names))}")
        kind = schema.field(name).type
        if not (_lists(kind) or types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind)):
            raise ValueError(f"Column {name!r} holds {kind}, not numbers: choose others with columns=[...]")
    return names


def _pandas_index(schema: Any) -> set[str]:
    """Returns the columns in which pandas stored the index of a frame, which are not features."""
    try:
        index = json.loads((schema.metadata or {})[b"pandas"])["index_columns"]
    except (KeyError, TypeError, ValueError):  # not written by pandas
        return set()
    return {name for name in index if isinstance(name, str)}


def _parts(batches: Any, names: list[str], size: int) -> Iterator[Any]:
    for batch in batches:
        chosen = batch.select(names).replace_schema_metadata(None)  # may include a stored index, if it was asked for
        for first in range(0, batch.num_rows, size):
            yield chosen.slice(first, size)
