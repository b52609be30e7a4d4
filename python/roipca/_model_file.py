"""Models on disk, of float32 or float64."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from . import _core
from ._caller import caller_level
from ._parameters import estimator_parameters

_LONGEST_NAMES = 1_000_000  # in bytes of the header, of which the rest is left for other fields
_MODEL = b'{"__metadata__":{"format":"roipca-model"'  # after the eight bytes of the header's length
_FIRST_BYTES = {
    b"\x93NUMPY": "a NumPy array (.npy)",
    b"PK\x03\x04": "a zip archive, such as .npz",
    b"\x89HDF": "an HDF5 file",
    b"PAR1": "a Parquet file",
    b"\x1f\x8b": "a file packed by gzip",
    b"\x80": "a pickle: load it with pickle or joblib",
    b"roipca-state": "a checkpoint of the command line, for roipca fit --resume",
}


def load_model(path: str | os.PathLike[str]) -> Any:
    """Return the model in the file. Raises OSError that says what is wrong with the file."""
    with open(path, "rb") as file:
        start = file.read(1000)
    if not start[8:].startswith(_MODEL[: max(1, len(start) - 8)]):
        raise OSError(
            f"{os.fspath(path)}: not a model: it seems to be {_kind(start)}. OnlinePCA.load reads "
            "the files that OnlinePCA.save and the command `roipca fit` write (safetensors)"
        )
    return _core.load(path)


def save_model(
    model: Any, path: str | os.PathLike[str], names: Sequence[str], parameters: dict[str, Any]
) -> None:
    """Write the model with the names of its features and the estimator's parameters."""
    names = list(names)
    # In the form of the header: a JSON list inside a JSON string.
    if len(json.dumps(json.dumps(names, ensure_ascii=False), ensure_ascii=False).encode()) > _LONGEST_NAMES:
        message = "The feature names are too long for a model file and are left out of it"
        warnings.warn(message, stacklevel=caller_level())
        names = []
    told = {name: value.item() if isinstance(value, np.generic) else value for name, value in parameters.items()}
    model.save(path, names, json.dumps(told))


def saved_parameters(model: Any, known: Sequence[str]) -> dict[str, Any]:
    """Return the estimator's parameters as they were saved, or those that made the model if the file has none."""
    try:
        saved = dict(json.loads(model.parameters))
    except (ValueError, TypeError):  # none, or of another interface
        saved = {}
    parameters = {**estimator_parameters(model.options), **saved}
    return {name: value for name, value in parameters.items() if name in known}


def _kind(start: bytes) -> str:
    """Return the kind of file that these first bytes suggest."""
    if not start:
        return "an empty file"
    if start[8:].startswith(b"{"):
        return "a safetensors file of something else"
    for first, kind in _FIRST_BYTES.items():
        if start.startswith(first):
            return kind
    if b"\0" not in start:
        return "text, such as CSV"
    return "data of another kind"
