"""Models on disk, of whichever of the two kinds they are."""

from __future__ import annotations

import json
import os
from typing import Any

from . import _core

_LONGEST_HEADER = 1 << 20


def _holds_float32(path: str | os.PathLike[str]) -> bool:
    """Whether the safetensors header says so. A file without a readable header holds nothing: False."""
    with open(path, "rb") as file:
        length = int.from_bytes(file.read(8), "little")
        header = file.read(min(length, _LONGEST_HEADER))
    try:
        return json.loads(header)["components"]["dtype"] == "F32"
    except (ValueError, KeyError, TypeError, RecursionError):
        return False


def load_model(path: str | os.PathLike[str]) -> Any:
    """The model in the file; OSError that says what is wrong with it otherwise."""
    kind = _core.ModelF32 if _holds_float32(path) else _core.ModelF64
    return kind.load(path)
