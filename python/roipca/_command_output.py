"""Writes the rows that the command `roipca` sends to a Parquet file.

cli/writers/parquet.cpp sends them. The command loads this file without the rest of the package, so that it starts
quickly: it must not import it.
"""

from __future__ import annotations

import json
import struct
import sys
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa
from pyarrow import parquet

_NUMBERS = 1 << 20  # numbers in a row group, and in memory


def receive(path: str) -> None:
    """Writes the rows from standard input, and reports on standard output when it is ready, done, or has failed."""
    out = sys.stdout.buffer
    try:
        _message(out)
        rows = _receive(path, sys.stdin.buffer)
        _message(out, rows=rows)
    except BrokenPipeError:
        sys.stdout = None  # the reader is gone, so nothing must be flushed at exit
    except Exception as error:  # of any kind: the user of the command must see it
        _message(out, error=str(error) or type(error).__name__)


def _receive(path: str, source: BinaryIO) -> int:
    about = json.loads(source.readline())
    dtype = np.dtype(about["type"])
    fields = [(name, pa.from_numpy_dtype(dtype)) for name in about["names"]]
    schema = pa.schema(([(about["id"], pa.string())] if about["id"] else []) + fields)
    width = len(fields)
    total = 0
    waiting: list[tuple[list[str], np.ndarray]] = []
    with parquet.ParquetWriter(path, schema) as file:
        while (message := json.loads(source.readline()))["rows"] >= 0:
            ids = source.read(message["id_bytes"]).decode(errors="replace").split("\0")[:-1]
            block = source.read(message["rows"] * width * dtype.itemsize)
            waiting.append((ids, np.frombuffer(block, dtype).reshape(-1, width)))
            total += message["rows"]
            if sum(rows.size for _, rows in waiting) >= _NUMBERS:
                _write(file, schema, waiting)
        if waiting:
            _write(file, schema, waiting)
    return total


def _write(file: Any, schema: Any, waiting: list[tuple[list[str], np.ndarray]]) -> None:
    """Writes one row group, and leaves nothing waiting."""
    rows = np.concatenate([block for _, block in waiting])
    columns = [pa.array(np.ascontiguousarray(column)) for column in rows.T]
    if len(schema) > len(columns):
        columns.insert(0, pa.array([name for ids, _ in waiting for name in ids], pa.string()))
    file.write_batch(pa.record_batch(columns, schema=schema))
    waiting.clear()


def _message(out: BinaryIO, **fields: Any) -> None:
    text = json.dumps(fields).encode()
    out.write(struct.pack("<Q", len(text)) + text)
    out.flush()
