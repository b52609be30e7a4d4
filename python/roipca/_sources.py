"""Opens sources of rows: files and objects of many kinds, read in blocks and in bounded memory."""

from __future__ import annotations

import glob
import importlib
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from scipy.sparse import issparse

from ._errors import DataError, within
from ._npy import open_npy
from ._rows import ONE_ROW, is_arrow, is_store, refuse_containers, too_many_dimensions

_BLOCK = 1 << 20  # numbers to read at a time
_PARQUET = (".parquet", ".pq")
_IPC = (".feather", ".arrow", ".ipc")
_TEXT = (".csv", ".tsv", ".txt")
# Formats that the command reads, and the functions that read a whole file of them into memory.
_OTHER_TEXT = {
    ".mtx": "scipy.io.mmread({path!r})",
    ".svm": "sklearn.datasets.load_svmlight_file({path!r})[0]",
    ".libsvm": "sklearn.datasets.load_svmlight_file({path!r})[0]",
    ".svmlight": "sklearn.datasets.load_svmlight_file({path!r})[0]",
}


class Stream(NamedTuple):
    """Blocks of rows, and their total number of rows (None: unknown)."""

    blocks: Iterable[Any]
    rows: int | None = None


def open_source(
    source: Any, batch_size: int | None, columns: Sequence[str] | None, layer: str | None = None
) -> Stream:
    """Opens whatever `OnlinePCA.fit_stream` takes."""
    if batch_size is not None and batch_size < 1:
        raise ValueError(f"batch_size must be None or an int of at least 1, got {batch_size!r}")
    if isinstance(columns, str):
        raise TypeError(f"columns must be a list of names, not a string: write columns=[{columns!r}]")
    paths = several_paths(source)
    if paths is not None:
        return Stream(_chained(paths, batch_size, columns, layer))
    if isinstance(source, (str, os.PathLike)):
        path = Path(source)
        with _naming(path):
            stream = _open_path(path, batch_size, columns, layer)
        return stream._replace(blocks=_of_file(path, stream.blocks))
    return _open_object(source, batch_size, columns, layer)


def _open_path(path: Path, batch_size: int | None, columns: Sequence[str] | None, layer: str | None) -> Stream:
    if not path.exists():
        raise FileNotFoundError(f"{path}: no such file or folder, looked for in {Path.cwd()}")
    if path.suffix in _PARQUET or (path.is_dir() and path.suffix != ".zarr"):
        _refuse_layer(layer)
        return _arrow().parquet_stream(path, batch_size, columns)
    if path.suffix in _IPC:
        _refuse_layer(layer)
        return _arrow().ipc_stream(path, batch_size, columns)
    if path.suffix in (".npz", ".h5ad"):
        _refuse_columns(columns)
        if path.suffix == ".h5ad":
            return _sparse().h5ad_stream(path, layer, batch_size)
        _refuse_layer(layer)
        return _sparse().npz_stream(path, batch_size)
    return _open_object(_open_array(path), batch_size, columns, layer)


def _open_object(source: Any, batch_size: int | None, columns: Sequence[str] | None, layer: str | None) -> Stream:
    refuse_containers(source)
    if is_store(source):
        _refuse_columns(columns)
        return _sparse().store_stream(source, layer, batch_size)
    _refuse_layer(layer)
    if is_arrow(source):
        return _arrow().arrow_stream(source, batch_size, columns)
    if type(source).__module__.startswith("polars.") and hasattr(source, "collect_batches"):
        return _lazy_frame_stream(source, batch_size, columns)
    if columns is not None:
        source = _with_columns(source, columns)
    dimensions = len(getattr(source, "shape", ()))
    if dimensions == 1:
        raise ValueError(ONE_ROW)
    if dimensions == 2:
        if issparse(source):
            return _sparse().matrix_stream(source, batch_size)
        return Stream(slices(source, batch_size), source.shape[0])
    if dimensions > 2:
        raise ValueError(too_many_dimensions(source))
    if isinstance(source, Iterable):
        return Stream(map(_unpacked, source), _rows_of_list(source))
    raise TypeError(
        f"fit_stream takes arrays, tables, paths and iterables of blocks, not {type(source).__name__}"
    )


@contextmanager
def _naming(path: Path) -> Iterator[None]:
    """Has errors begin with the name of the file, unless they contain it."""
    try:
        yield
    except DataError as error:
        raise within(error, str(path)) from error
    except (OSError, ValueError) as error:
        if str(path) in str(error):
            raise
        raise (OSError if isinstance(error, OSError) else ValueError)(f"{path}: {error}") from error


def _of_file(path: Path, blocks: Iterable[Any]) -> Iterator[Any]:
    with _naming(path):
        yield from blocks


def several_paths(source: Any) -> list[Path] | None:
    """Returns the files of a pattern, in the order of their names, or of a list of paths; None for other sources."""
    if isinstance(source, (list, tuple)) and source and all(isinstance(part, (str, os.PathLike)) for part in source):
        return [Path(part) for part in source]
    if not isinstance(source, str) or not glob.has_magic(source) or os.path.exists(source):
        return None
    found = sorted(glob.glob(source, recursive=True))
    if not found:
        raise FileNotFoundError(f"{source}: no file matches this pattern, looked for in {Path.cwd()}")
    return [Path(name) for name in found]


def _chained(
    paths: Sequence[Path], batch_size: int | None, columns: Sequence[str] | None, layer: str | None
) -> Iterator[Any]:
    for path in paths:
        yield from open_source(path, batch_size, columns, layer).blocks


def _lazy_frame_stream(frame: Any, batch_size: int | None, columns: Sequence[str] | None) -> Stream:
    """Streams the rows of a polars LazyFrame, computed a batch at a time."""
    if columns is not None:
        frame = frame.select(columns)
    return Stream(frame.collect_batches(chunk_size=batch_size, maintain_order=True))


def count_rows(block: Any) -> int:
    """Returns the number of rows in a block of any kind; 1 if it has no length, so that the estimator refuses it."""
    shape = getattr(block, "shape", None)
    if shape is None:
        return len(block) if hasattr(block, "__len__") else 1
    return shape[0] if shape else 1


def numbers_at_once() -> int:
    """Returns the default of how many numbers to read at a time."""
    return _BLOCK


def rows_at_once(features: int) -> int:
    """Returns the default of how many rows to read at a time."""
    return max(1, _BLOCK // max(1, features))


def slices(source: Any, batch_size: int | None) -> Iterator[Any]:
    """Yields the rows of an array of two dimensions, or of a pandas frame."""
    rows, features = source.shape
    step = batch_size or whole_chunks(source, rows_at_once(features))
    sliced = getattr(source, "iloc", source)  # a pandas frame's rows
    for first in range(0, rows, step):
        yield sliced[first : first + step]


def whole_chunks(source: Any, step: int) -> int:
    """Rounds to rows of whole chunks, for h5py and zarr, so that no chunk is read twice."""
    chunks = getattr(source, "chunks", None)
    if not chunks:
        return step
    return max(1, step // chunks[0]) * chunks[0]


class _NoBar:
    """Stands in for a bar that is not shown."""

    def __enter__(self) -> _NoBar:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def update(self, rows: int) -> None:
        pass


def progress_bar(rows: int | None, shown: bool) -> Any:
    """Returns a tqdm bar that counts rows, or nothing visible if none is to be shown or tqdm is not installed."""
    if not shown:
        return _NoBar()
    try:
        tqdm = importlib.import_module("tqdm.auto").tqdm
    except ImportError:
        return _NoBar()
    return tqdm(total=rows, unit=" rows", unit_scale=True)


def optional(module: str, extra: str) -> Any:
    """Imports the module, or raises an error that says how to install it."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ImportError(
            f"This needs {module.partition('.')[0]}: pip install 'roipca[{extra}]'"
        ) from error


def _arrow() -> Any:
    return importlib.import_module("._arrow", __package__)


def _sparse() -> Any:
    return importlib.import_module("._sparse_sources", __package__)


def _refuse_layer(layer: str | None) -> None:
    if layer is not None:
        raise ValueError(f"layer={layer!r} is for .h5ad files and AnnData stores of zarr")


def _refuse_columns(columns: Sequence[str] | None) -> None:
    if columns is not None:
        raise ValueError("columns are for tables; feature_mask chooses the features of sparse rows and .h5ad files")


def _open_array(path: Path) -> Any:
    if path.suffix == ".npy":
        return open_npy(path)
    if path.suffix == ".zarr":
        return optional("zarr", "zarr").open(path, mode="r")  # an array or a group
    if path.suffix in (".h5", ".hdf5"):
        raise ValueError(f"{path} may hold many arrays: open it with h5py and pass one of them")
    command = f"on the command line, with roipca fit {path} -k 10 and then OnlinePCA.load('model.safetensors')"
    for suffix in path.suffixes:  # packed or not
        if suffix in _TEXT:
            blocks = f"fit_stream(pandas.read_csv({str(path)!r}, chunksize=10_000))"
            raise ValueError(f"{path}: fit_stream does not read text. Read it in blocks, with {blocks}, or {command}")
        if suffix in _OTHER_TEXT:
            whole = _OTHER_TEXT[suffix].format(path=str(path))
            raise ValueError(f"{path}: fit_stream does not read text. Read it whole, with fit({whole}), or {command}")
    raise ValueError(f"{path}: a .npy, .npz, .h5ad, .parquet, .feather, .arrow, .ipc or .zarr file was expected")


def _with_columns(source: Any, columns: Sequence[str]) -> Any:
    if not hasattr(source, "columns"):
        raise ValueError(f"columns are for sources that have names, not for {type(source).__name__}")
    for name in columns:
        if name not in source.columns:
            raise ValueError(f"There is no column {name!r}; the columns are {', '.join(map(repr, source.columns))}")
    return source[list(columns)]


def _unpacked(block: Any) -> Any:
    """Returns the rows of a batch of a torch DataLoader, which is a list of tensors; other blocks as they are."""
    if not isinstance(block, (list, tuple)) or not any(len(getattr(part, "shape", ())) > 1 for part in block):
        return block
    if len(block) > 1:
        raise ValueError(
            f"A block is a {type(block).__name__} of {len(block)} arrays, not rows. To learn from the first of "
            "each, as from the X of a DataLoader of (X, y), pass (block[0] for block in source)"
        )
    return block[0]


def _rows_of_list(source: Iterable[Any]) -> int | None:
    return sum(count_rows(_unpacked(block)) for block in source) if isinstance(source, (list, tuple)) else None
