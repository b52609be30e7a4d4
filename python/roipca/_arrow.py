"""Arrow tables, datasets and readers, and Parquet files, as blocks of rows."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from ._sources import Stream, optional, rows_at_once

_BUFFER = 1 << 20  # bytes of each column that are read ahead, instead of all of a row group


def parquet_stream(path: Path, batch_size: int | None, columns: list[str] | None) -> Stream:
    """The rows of a Parquet file, or of all in a folder, without reading whole row groups at once."""
    files = optional("pyarrow.dataset", "parquet").dataset(path, format="parquet")
    names = _chosen(files.schema, columns)
    size = batch_size or rows_at_once(len(names))

    def batches() -> Iterator[Any]:
        for file in files.files:
            with _parquet().ParquetFile(file, pre_buffer=False, buffer_size=_BUFFER) as rows:
                yield from rows.iter_batches(size, columns=names)

    return Stream(_arrays(batches(), names, size), files.count_rows(), names)


def arrow_stream(source: Any, batch_size: int | None, columns: list[str] | None) -> Stream:
    """The rows of a pyarrow object or of anything else with `__arrow_c_stream__`."""
    pa = optional("pyarrow", "parquet")
    dataset = optional("pyarrow.dataset", "parquet")
    if isinstance(source, dataset.Scanner):
        source = source.to_reader()
    elif not isinstance(source, (dataset.Dataset, _parquet().ParquetFile, pa.Table)):
        source = pa.RecordBatchReader.from_stream(source)
    is_file = isinstance(source, _parquet().ParquetFile)
    names = _chosen(source.schema_arrow if is_file else source.schema, columns)
    size = batch_size or rows_at_once(len(names))
    if is_file:
        batches, rows = source.iter_batches(size, columns=names), source.metadata.num_rows
    elif isinstance(source, dataset.Dataset):
        batches = source.to_batches(columns=names, batch_size=size, batch_readahead=0, fragment_readahead=0)
        rows = source.count_rows()
    elif isinstance(source, pa.Table):
        batches, rows = source.select(names).to_batches(), source.num_rows
    else:
        batches, rows = source, None
    return Stream(_arrays(batches, names, size), rows, names)


def _parquet() -> Any:
    return optional("pyarrow.parquet", "parquet")


def _chosen(schema: Any, columns: list[str] | None) -> list[str]:
    """The names to read, all of them columns of numbers."""
    from pyarrow import types

    names = list(schema.names) if columns is None else list(columns)
    if not names:
        raise ValueError("The source has no columns: at least one feature is required.")
    for name in names:
        if name not in schema.names:
            raise ValueError(f"There is no column {name!r}; there are {', '.join(map(repr, schema.names))}")
        kind = schema.field(name).type
        if not (types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind)):
            raise ValueError(f"Column {name!r} holds {kind}, not numbers: choose others with columns=[...]")
    return names


def _arrays(batches: Any, names: list[str], size: int) -> Iterator[np.ndarray]:
    for batch in batches:
        for first in range(0, batch.num_rows, size):
            yield _array(batch.slice(first, size), names)


def _array(batch: Any, names: list[str]) -> np.ndarray:
    columns = [batch.column(name) for name in names]
    single = all(str(column.type) in ("float", "halffloat") for column in columns)
    rows = np.empty((batch.num_rows, len(names)), np.float32 if single else np.float64)
    for j, column in enumerate(columns):
        if column.null_count > 0:
            raise ValueError(f"Input X contains NaN.\ncolumn {names[j]!r} has a null")
        rows[:, j] = column.to_numpy(zero_copy_only=False)
    return rows
