"""Opens npy files without reading their rows."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib import format as npy


def open_npy(path: Path) -> Any:
    """Maps the array of an npy file; raises ValueError, with the path, if there is none or the file is cut off."""
    try:
        return np.load(path, mmap_mode="r")
    except (EOFError, ValueError) as error:
        raise ValueError(f"{path} cannot be read as an array of NumPy: {_what_is_missing(path) or error}") from error


def _what_is_missing(path: Path) -> str | None:
    """Returns in the words of the command how much of the array the file lacks; None if it is not cut off there."""
    with path.open("rb") as file:
        try:
            read_header = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}[npy.read_magic(file)]
            shape, column_major, dtype = read_header(file)
        except (KeyError, ValueError):
            return None
        have = path.stat().st_size - file.tell()
    need = math.prod(shape) * dtype.itemsize
    if dtype.hasobject or not shape or have >= need:
        return None
    where = "" if column_major else f"row {have * shape[0] // need}: "
    return f"{where}the file is cut off: {shape[0]} rows need {need} bytes, but there are {have}"
