"""Where rows come from: files and objects of many kinds as blocks of rows in bounded memory."""

from __future__ import annotations

import importlib
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

BLOCK = 1 << 20  # numbers to read at a time


class Stream(NamedTuple):
    """Blocks of rows, how many rows they hold together (None: nobody knows), and the features' names if they are
    known beforehand."""

    blocks: Iterable[Any]
    rows: int | None = None
    names: list[str] | None = None


def open_source(source: Any, batch_size: int | None, columns: list[str] | None) -> Stream:
    """The rows of whatever `OnlinePCA.fit_stream` takes."""
    if batch_size is not None and batch_size < 1:
        raise ValueError(f"batch_size must be None or an int from 1 on, got {batch_size!r}")
    if isinstance(source, (str, os.PathLike)):
        source = _open_path(Path(source))
    if _is_arrow(source):
        from ._arrow import arrow_stream

        return arrow_stream(source, batch_size, columns)
    if columns is not None:
        if not hasattr(source, "columns"):
            raise ValueError(f"columns are for sources that have names, not for {type(source).__name__}")
        source = source[columns]
    if len(getattr(source, "shape", ())) == 2:
        return Stream(_slices(source, batch_size), source.shape[0])
    if isinstance(source, Iterable):
        return Stream(source, _rows_of_list(source))
    raise TypeError(f"fit_stream takes arrays, tables, paths and iterables of blocks, not {type(source).__name__}")


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
            f"This source needs {module.partition('.')[0]}: pip install 'roipca[{extra}]'"
        ) from error


def _open_path(path: Path) -> Any:
    if path.suffix == ".npy":
        return np.load(path, mmap_mode="r")
    if path.suffix == ".zarr":
        return optional("zarr", "zarr").open_array(path, mode="r")
    if path.suffix in (".parquet", ".pq") or path.is_dir():
        return optional("pyarrow.dataset", "parquet").dataset(path, format="parquet")
    if path.suffix in (".h5", ".hdf5"):
        raise ValueError(f"{path} may hold many arrays: open it with h5py and pass one of them")
    raise ValueError(f"{path}: a .npy, .parquet or .zarr file was expected")


def _is_arrow(source: Any) -> bool:
    if type(source).__module__.partition(".")[0] == "pyarrow":
        return True
    return hasattr(source, "__arrow_c_stream__") and not hasattr(source, "shape")


def _slices(source: Any, batch_size: int | None) -> Iterator[Any]:
    rows, features = source.shape
    step = batch_size or _whole_chunks(source, max(1, BLOCK // max(1, features)))
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
    if not isinstance(source, (list, tuple)):
        return None
    return sum(block.shape[0] if hasattr(block, "shape") else len(block) for block in source)
