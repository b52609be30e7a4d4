"""Where rows come from: files and objects of many kinds as blocks of rows in bounded memory."""

from __future__ import annotations

import importlib
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ._rows import ONE_ROW

_BLOCK = 1 << 20  # numbers to read at a time
_PARQUET = (".parquet", ".pq")
_TEXT = (".csv", ".tsv", ".txt")


class Stream(NamedTuple):
    """Blocks of rows, how many rows they hold together (None: nobody knows), and the features' names where
    the blocks do not carry them.
    """

    blocks: Iterable[Any]
    rows: int | None = None
    names: list[str] | None = None


def open_source(source: Any, batch_size: int | None, columns: list[str] | None) -> Stream:
    """The rows of whatever `OnlinePCA.fit_stream` takes."""
    if batch_size is not None and batch_size < 1:
        raise ValueError(f"batch_size must be None or an int from 1 on, got {batch_size!r}")
    if isinstance(source, (str, os.PathLike)):
        path = Path(source)
        if not path.exists():
            raise FileNotFoundError(f"{path}: no such file or folder, looked for in {Path.cwd()}")
        if path.suffix in _PARQUET or (path.is_dir() and path.suffix != ".zarr"):
            return _arrow().parquet_stream(path, batch_size, columns)
        source = _open_array(path)
    if _is_arrow(source):
        return _arrow().arrow_stream(source, batch_size, columns)
    if columns is not None:
        if not hasattr(source, "columns"):
            raise ValueError(f"columns are for sources that have names, not for {type(source).__name__}")
        source = source[columns]
    dimensions = len(getattr(source, "shape", ()))
    if dimensions == 1:
        raise ValueError(ONE_ROW)
    if dimensions == 2:
        return Stream(_slices(source, batch_size), source.shape[0])
    if isinstance(source, Iterable):
        return Stream(source, _rows_of_list(source))
    raise TypeError(
        f"fit_stream takes arrays, tables, paths and iterables of blocks, not {type(source).__name__}"
    )


def count_rows(block: Any) -> int:
    """Rows in a block of any kind; 1 for what has no length, for the estimator to refuse."""
    shape = getattr(block, "shape", None)
    if shape is None:
        return len(block) if hasattr(block, "__len__") else 1
    return shape[0] if shape else 1


def rows_at_once(features: int) -> int:
    """Rows to read at a time where the caller did not say."""
    return max(1, _BLOCK // max(1, features))


def progress_bar(rows: int | None, shown: bool) -> Any:
    """A tqdm bar that counts rows."""
    from tqdm.auto import tqdm

    return tqdm(total=rows, unit=" rows", unit_scale=True, disable=not shown)


def optional(module: str, extra: str) -> Any:
    """The module, or an error that says how to get it."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ImportError(
            f"This needs {module.partition('.')[0]}: pip install 'roipca[{extra}]'"
        ) from error


def _arrow() -> Any:
    return importlib.import_module("._arrow", __package__)


def _open_array(path: Path) -> Any:
    if path.suffix == ".npy":
        return np.load(path, mmap_mode="r")
    if path.suffix == ".zarr":
        return optional("zarr", "zarr").open_array(path, mode="r")
    if path.suffix in (".h5", ".hdf5"):
        raise ValueError(f"{path} may hold many arrays: open it with h5py and pass one of them")
    if any(suffix in _TEXT for suffix in path.suffixes):  # packed or not
        raise ValueError(
            f"{path}: fit_stream does not read text. Read it in blocks, with "
            f"fit_stream(pandas.read_csv({str(path)!r}, chunksize=10_000)), or on the command line, with "
            f"roipca fit {path} -k 10 and then OnlinePCA.load('model.safetensors')"
        )
    raise ValueError(f"{path}: a .npy, .parquet or .zarr file was expected")


def _is_arrow(source: Any) -> bool:
    if type(source).__module__.partition(".")[0] == "pyarrow":
        return True
    return hasattr(source, "__arrow_c_stream__") and not hasattr(source, "shape")


def _slices(source: Any, batch_size: int | None) -> Iterator[Any]:
    rows, features = source.shape
    step = batch_size or _whole_chunks(source, rows_at_once(features))
    sliced = getattr(source, "iloc", source)  # a pandas frame's rows
    for first in range(0, rows, step):
        yield sliced[first : first + step]


def _whole_chunks(source: Any, step: int) -> int:
    """As many rows as whole chunks have, for h5py and zarr: no chunk is then read twice."""
    chunks = getattr(source, "chunks", None)
    if not chunks:
        return step
    return max(1, step // chunks[0]) * chunks[0]


def _rows_of_list(source: Iterable[Any]) -> int | None:
    return sum(map(count_rows, source)) if isinstance(source, (list, tuple)) else None
