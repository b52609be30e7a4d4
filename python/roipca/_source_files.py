"""The files that sources of rows are in, so that results do not replace them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.sparse import issparse

from ._sources import several_paths


def refuse_input(out: str | os.PathLike[str], source: Any) -> None:
    """Raises ValueError if the file `out` is one of those that the source reads.

    Files of sources that do not tell theirs are not known: generators, Arrow tables and readers, lazy frames of polars.
    """
    if not os.path.exists(out):
        return
    for path in _files(source):
        if os.path.exists(path) and os.path.samefile(path, out):
            raise ValueError(f"{os.fspath(out)} is an input, and would be lost: give another output")


def _files(source: Any) -> Iterator[str | os.PathLike[str]]:
    is_path = isinstance(source, (str, os.PathLike))
    for path in several_paths(source) or ([source] if is_path else []):
        yield path
        for folder, _, names in os.walk(path):  # nothing for a file
            yield from (os.path.join(folder, name) for name in names)
    if type(source).__module__.startswith("pyarrow."):
        yield from getattr(source, "files", ())  # of a dataset
    if isinstance(file := getattr(getattr(source, "file", None), "filename", None), str):  # of h5py
        yield file
    for array in _arrays(source):
        yield from _mapped_file(array)


def _arrays(source: Any) -> Iterator[Any]:
    if isinstance(source, (list, tuple)):
        for block in source:
            yield from _arrays(block) if not isinstance(block, (list, tuple)) else ()
    elif issparse(source):
        yield from (getattr(source, name, None) for name in ("data", "indices", "indptr", "row", "col"))
    elif hasattr(source, "iloc"):  # a frame of pandas: a part without rows is a view of the same memory
        yield source.iloc[:0].to_numpy()
    else:
        yield source


def _mapped_file(array: Any) -> Iterator[str | os.PathLike[str]]:
    """Yields the file of a memory map, or of the one that an array is a view of."""
    while isinstance(array, np.ndarray):
        if isinstance(array, np.memmap) and array.filename is not None:
            yield array.filename
            return
        array = array.base
