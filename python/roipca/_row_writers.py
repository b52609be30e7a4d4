"""Writes rows to npy and Parquet files, a block at a time. A file is replaced as a whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from ._sources import optional

_NPY_HEADER = 128  # bytes, which is enough for any number of rows and columns


class RowWriter(Protocol):
    """Takes blocks of rows, and counts them."""

    rows: int

    def write(self, block: np.ndarray) -> None:
        """Appends the rows of a block."""

    def close(self) -> None:
        """Completes the file."""


@contextmanager
def row_writer(path: Path, names: Sequence[str], dtype: np.dtype) -> Iterator[RowWriter]:
    """Opens a file of rows of these names; the suffix says which kind. If the block raises, nothing is left."""
    kinds: dict[str, Any] = {".npy": _Npy, ".parquet": _Parquet, ".pq": _Parquet}
    if path.suffix not in kinds:
        raise ValueError(f"{path}: a .npy or .parquet file was expected")
    if not path.parent.is_dir():
        raise FileNotFoundError(f"{path}: there is no folder {path.parent}")
    unfinished = path.with_name(f".{path.name}-{os.getpid()}.tmp")
    try:
        writer = kinds[path.suffix](unfinished, names, dtype)
        try:
            yield writer
        finally:
            writer.close()
        os.replace(unfinished, path)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise


class _Npy:
    """The header, which contains the number of rows, is written when that is known."""

    def __init__(self, path: Path, names: Sequence[str], dtype: np.dtype) -> None:
        self.rows = 0
        self._shape, self._dtype = len(names), dtype.newbyteorder("<")
        self._file = path.open("wb")
        self._file.write(b" " * _NPY_HEADER)

    def write(self, block: np.ndarray) -> None:
        self._file.write(np.ascontiguousarray(block, self._dtype).tobytes())
        self.rows += len(block)

    def close(self) -> None:
        about = {"descr": self._dtype.str, "fortran_order": False, "shape": (self.rows, self._shape)}
        magic = b"\x93NUMPY\x01\x00" + (_NPY_HEADER - 10).to_bytes(2, "little")
        self._file.seek(0)
        self._file.write(magic + repr(about).encode().ljust(_NPY_HEADER - 11) + b"\n")
        self._file.close()


class _Parquet:
    def __init__(self, path: Path, names: Sequence[str], dtype: np.dtype) -> None:
        self.rows = 0
        self._pa = optional("pyarrow", "parquet")
        number = self._pa.from_numpy_dtype(dtype)
        self._schema = self._pa.schema([(name, number) for name in names])
        self._file = optional("pyarrow.parquet", "parquet").ParquetWriter(path, self._schema)

    def write(self, block: np.ndarray) -> None:
        columns = [self._pa.array(np.ascontiguousarray(column)) for column in block.T]
        self._file.write_batch(self._pa.record_batch(columns, schema=self._schema))
        self.rows += len(block)

    def close(self) -> None:
        self._file.close()
