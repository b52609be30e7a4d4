"""Sends the rows of a Parquet or Arrow file to the command `roipca`, which starts Python to read them.

Messages are JSON, preceded by their length; cli/readers/arrow.cpp receives them. The command loads this file
without the rest of the package, so that it starts quickly: it must not import it.
"""

from __future__ import annotations

import json
import struct
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa
from pyarrow import dataset, parquet, types

_NUMBERS = 1 << 20  # numbers to send at a time
_USUAL_WIDTH = 1024  # assumed length of lists if their type does not tell it


def send(path: str) -> None:
    """Sends a file to standard output. It reads the choice of columns from standard input after it sent their names."""
    out = sys.stdout.buffer
    try:
        _send(Path(path), sys.stdin.buffer, out)
        out.flush()
    except BrokenPipeError:
        sys.stdout = None  # the reader is gone, so nothing must be flushed at exit
    except Exception as error:  # of any kind: the user of the command must see it
        _message(out, error=str(error) or type(error).__name__)
        out.flush()


def _send(path: Path, answers: BinaryIO, out: BinaryIO) -> None:
    with path.open("rb") as file:
        kind = "parquet" if file.read(4) == b"PAR1" else "ipc"
    source = dataset.dataset(path, format=kind)
    columns = _columns(source.schema)
    _message(out, columns=columns)
    out.flush()
    choice = json.loads(answers.readline())
    features = [columns[j] for j in choice["columns"]]
    for name in features:
        kind_of_column = source.schema.field(name).type
        if not _is_list(kind_of_column) and not _is_number(kind_of_column):
            raise ValueError(f"column {name!r} holds {kind_of_column}, not numbers: leave it out with --exclude")
    identity = None if choice["id"] is None else columns[choice["id"]]

    names: list[str] | None = None
    for batch in _batches(source, kind, features, identity):
        parts = [_numbers(batch.column(name)) for name in features]
        if names is None:
            names = _feature_names(features, parts)
            _message(out, names=names, rows=source.count_rows())
        rows = np.concatenate(parts, axis=1, dtype=np.float64)
        if rows.shape[1] != len(names):
            raise ValueError(f"a list of {rows.shape[1]} numbers, where the first has {len(names)}")
        ids = b"" if identity is None else _texts(batch.column(identity))
        _message(out, rows=len(rows), id_bytes=len(ids))
        out.write(ids)
        out.write(np.ascontiguousarray(rows).data)
    if names is None:
        raise ValueError("there are no rows: the file is empty")


def _columns(schema: Any) -> list[str]:
    """Returns the names of all columns but those in which pandas stored an index."""
    try:
        index = json.loads((schema.metadata or {})[b"pandas"])["index_columns"]
    except (KeyError, TypeError, ValueError):  # not written by pandas
        index = []
    return [name for name in schema.names if name not in index]


def _is_number(kind: Any) -> bool:
    return types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind)


def _is_list(kind: Any) -> bool:
    is_list = types.is_fixed_size_list(kind) or types.is_list(kind) or types.is_large_list(kind)
    return is_list and _is_number(kind.value_type)


def _width(kind: Any) -> int:
    """Returns the number of features in a column, as far as its type tells."""
    return getattr(kind, "list_size", _USUAL_WIDTH) if _is_list(kind) else 1


def _message(out: BinaryIO, **fields: Any) -> None:
    text = json.dumps(fields).encode()
    out.write(struct.pack("<Q", len(text)) + text)


def _batches(source: Any, kind: str, features: Sequence[str], identity: str | None) -> Iterator[Any]:
    """Yields batches of bounded size, without the rows of whole row groups at once."""
    names = [*features, *([] if identity is None or identity in features else [identity])]
    size = max(1, _NUMBERS // sum(_width(source.schema.field(name).type) for name in features))
    if kind == "parquet":
        for path in source.files:
            with parquet.ParquetFile(path, pre_buffer=False, buffer_size=1 << 20) as file:
                yield from (batch for batch in file.iter_batches(size, columns=names) if batch.num_rows > 0)
        return
    for batch in source.to_batches(columns=names, batch_size=size, batch_readahead=0, fragment_readahead=0):
        for first in range(0, batch.num_rows, size):
            yield batch.slice(first, size)


def _numbers(column: Any) -> np.ndarray:
    """Returns a column as rows of float64: several features for a column of lists, NaN for nulls of others."""
    if _is_list(column.type):
        lengths = np.unique(column.value_lengths().to_numpy(zero_copy_only=False))
        if len(lengths) != 1 or np.isnan(lengths[0]):
            raise ValueError("lists of different lengths, or nulls, where each row needs a list of the same length")
        values = column.flatten().cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
        return values.reshape(len(column), -1)
    return column.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)[:, np.newaxis]


def _feature_names(columns: Sequence[str], parts: Sequence[np.ndarray]) -> list[str]:
    names: list[str] = []
    for name, part in zip(columns, parts, strict=True):
        names += [name] if part.shape[1] == 1 else [f"{name}_{i}" for i in range(part.shape[1])]
    return names


def _texts(column: Any) -> bytes:
    """Returns the values as text, each followed by a zero byte."""
    texts = ("" if value is None else str(value) for value in column.to_pylist())
    return b"".join(text.replace("\0", "").encode() + b"\0" for text in texts)
