"""Reads sparse rows block by block: scipy matrices, `.npz` and `.h5ad` files, sparse groups of HDF5 and zarr."""

from __future__ import annotations

import math
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from ._errors import DataError, first_start
from ._rows import NamedBlock, is_store
from ._sources import Stream, numbers_at_once, optional, slices, whole_chunks

_STARTS = 1 << 16  # row starts to read at a time
_PIECES = 8  # number of pieces in which a matrix of another form is converted; each reads all of its indices
_PARTS = ("data", "indices", "indptr")
_UNREADABLE = (OSError, EOFError, RuntimeError, zlib.error, zipfile.BadZipFile)


class CsrArrays(NamedTuple):
    """The arrays of a CSR matrix, which are sliced in order, from the first number to the last."""

    data: Any
    indices: Any
    indptr: Any
    shape: tuple[int, int]


def matrix_stream(matrix: Any, batch_size: int | None) -> Stream:
    """Streams the rows of a scipy matrix or array; CSC and COO are converted an eighth of the rows at a time."""
    if matrix.format == "csc":
        matrix.check_format(full_check=True)
        return _converted(lambda first, last: matrix[first:last].tocsr(), matrix.shape, batch_size)
    if matrix.format == "coo":
        return _converted(_coo_rows(matrix), matrix.shape, batch_size)
    return csr_stream(_in_memory(matrix.tocsr()), batch_size)


def npz_stream(path: Path, batch_size: int | None) -> Stream:
    """Streams the rows of a file of `scipy.sparse.save_npz`; matrices that are not CSR are read whole first."""
    try:
        archive = zipfile.ZipFile(path)
    except zipfile.BadZipFile as error:
        raise ValueError(f"{path}: {error}") from error
    members = {name.removesuffix(".npy") for name in archive.namelist()}
    if not {"format", "shape", "data"} <= members:
        raise ValueError(
            f"{path} was not written by scipy.sparse.save_npz: it has the arrays {', '.join(sorted(members))}. "
            "Load it with numpy.load and pass one of them"
        )
    with np.load(path) as small:
        form, shape = small["format"].item(), tuple(int(length) for length in small["shape"])
    if form not in (b"csr", "csr"):
        archive.close()
        return matrix_stream(sparse.load_npz(path), batch_size)
    data, indices, indptr = (_Member(archive, name) for name in _PARTS)
    stream = csr_stream(CsrArrays(data, indices, indptr, (shape[0], shape[1])), batch_size)
    return stream._replace(blocks=_closing(archive, stream.blocks))


def h5ad_stream(path: Path, layer: str | None, batch_size: int | None) -> Stream:
    """Streams the rows of the matrix `X` of an AnnData file, or those of a layer."""
    h5py = optional("h5py", "hdf5")
    try:
        file = h5py.File(path, "r")
    except OSError as error:
        raise OSError(f"{path}: {error}") from error
    try:
        stream = store_stream(file, layer, batch_size)
    except BaseException:
        file.close()
        raise
    return stream._replace(blocks=_closing(file, stream.blocks))


def store_stream(store: Any, layer: str | None, batch_size: int | None) -> Stream:
    """Streams the rows of a sparse group, or of the matrix `X` or a layer of an AnnData store."""
    if all(part in store for part in _PARTS):
        if layer is not None:
            raise ValueError(f"layer={layer!r} is for AnnData files; the source is one matrix")
        return csr_stream(_group_arrays(store), batch_size)
    layers = list(store["layers"].keys()) if "layers" in store else []
    if layer is None and "X" not in store:
        remedy = "pass one of its datasets, or a group with data, indices and indptr"
        if layers:
            remedy = f"choose one of its layers with layer=: {', '.join(map(repr, layers))}"
        raise ValueError(f"The file has no matrix 'X': {remedy}")
    if layer is not None and layer not in layers:
        raise ValueError(f"There is no layer {layer!r}; the layers are {', '.join(map(repr, layers)) or 'none'}")
    matrix = store["X"] if layer is None else store["layers"][layer]
    names = _feature_names(store)
    if is_store(matrix):
        return csr_stream(_group_arrays(matrix), batch_size, names)
    if len(matrix.shape) != 2:
        raise ValueError(f"{matrix.name} has {len(matrix.shape)} dimensions; rows are arrays of two dimensions")
    rows = slices(matrix, batch_size)
    return Stream(rows if names is None else (NamedBlock(block, names) for block in rows), matrix.shape[0])


def csr_stream(arrays: CsrArrays, batch_size: int | None, names: Sequence[str] | None = None) -> Stream:
    """Streams the rows of CSR arrays, about a million entries at a time, with the names of their features."""
    rows, features = arrays.shape
    if len(arrays.indptr) != rows + 1:
        raise ValueError(f"{rows} rows need an indptr of {rows + 1} numbers, got {len(arrays.indptr)}")
    if len(arrays.data) != len(arrays.indices):
        raise ValueError(f"data has {len(arrays.data)} numbers and indices has {len(arrays.indices)}")
    for name, kinds in (("data", "biuf"), ("indices", "iu"), ("indptr", "iu")):
        kind = getattr(arrays, name).dtype
        if kind.kind not in kinds:
            raise ValueError(f"{name} holds {kind}, not {'numbers' if name == 'data' else 'integers'}")
    if names is not None and len(names) != features:
        raise ValueError(f"There are {len(names)} names for {features} features")
    blocks = _blocks(arrays, batch_size)
    return Stream(blocks if names is None else (NamedBlock(block, names) for block in blocks), rows)


def _blocks(arrays: CsrArrays, batch_size: int | None) -> Iterator[sparse.csr_array]:
    rows, total = arrays.shape[0], len(arrays.data)
    most = whole_chunks(arrays.data, numbers_at_once())
    piece = batch_size * max(1, _STARTS // batch_size) if batch_size else _STARTS
    end = int(_read(arrays.indptr, 0, 1, 0, 0)[0])
    if end != 0:
        raise first_start(0, end)
    for first in range(0, rows, piece):
        last = min(first + piece, rows)
        ends = _read(arrays.indptr, first + 1, last + 1, first, last).astype(np.int64)
        starts = np.concatenate(([end], ends))
        broken = np.flatnonzero((ends < starts[:-1]) | (ends > total))
        usable = int(broken[0]) if broken.size else len(ends)
        at = 0
        while at < usable:
            if batch_size:
                to = min(at + batch_size, usable)
            else:
                to = max(at + 1, int(np.searchsorted(starts[: usable + 1], starts[at] + most, side="right")) - 1)
            yield _block(arrays, starts[at : to + 1], first + at)
            at = to
        if broken.size:
            raise DataError(
                first + usable,
                f"indptr is damaged: from entry {starts[usable]} to entry {ends[usable]} of {total} entries",
            )
        end = int(ends[-1])
    if end != total:
        raise ValueError(f"indptr ends at entry {end}, but there are {total} entries")


def _block(arrays: CsrArrays, starts: np.ndarray, first_row: int) -> sparse.csr_array:
    entries = (int(starts[0]), int(starts[-1]), first_row, first_row + len(starts) - 1)
    data, indices = _read(arrays.data, *entries), _read(arrays.indices, *entries)
    kind = np.float32 if data.dtype.newbyteorder("=") == np.float32 else np.float64
    return sparse.csr_array(
        (data.astype(kind, copy=False), indices.astype(np.int64, copy=False), starts - starts[0]),
        shape=(len(starts) - 1, arrays.shape[1]),
    )


def _read(numbers: Any, first: int, last: int, first_row: int, last_row: int) -> np.ndarray:
    try:
        part = np.asarray(numbers[first:last])
    except _UNREADABLE as error:
        raise OSError(f"In rows {first_row} to {last_row - 1} of the stream: {error}") from error
    if len(part) != last - first:
        raise OSError(
            f"In rows {first_row} to {last_row - 1} of the stream: {last - first} numbers expected, got {len(part)}"
        )
    return part


class _Member:
    """A vector in a `.npz` file, compressed or not. Slices are read in order, and nothing is kept."""

    def __init__(self, archive: zipfile.ZipFile, name: str) -> None:
        try:
            self._file = archive.open(f"{name}.npy")
            version = np.lib.format.read_magic(self._file)
            read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
            shape, _, self.dtype = read(self._file)
        except (KeyError, ValueError, *_UNREADABLE) as error:
            raise ValueError(f"{archive.filename}: {name} cannot be read: {error}") from error
        self._left = self._length = math.prod(shape)

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, part: slice) -> np.ndarray:
        count = part.stop - part.start
        numbers = np.frombuffer(self._file.read(count * self.dtype.itemsize), self.dtype)
        self._left -= count
        if self._left == 0 and self._file.read(1):  # at the end of the file its checksum is compared
            raise OSError(f"{self._file.name} is longer than its header says")
        return numbers


def _in_memory(matrix: Any) -> CsrArrays:
    used = min(max(int(matrix.indptr[-1]), 0), len(matrix.data))  # scipy may have allocated more
    return CsrArrays(matrix.data[:used], matrix.indices[:used], matrix.indptr, matrix.shape)


def _converted(take: Callable[[int, int], Any], shape: tuple[int, int], batch_size: int | None) -> Stream:
    step = max(1, -(-shape[0] // _PIECES))
    if batch_size:
        step = -(-step // batch_size) * batch_size

    def blocks() -> Iterator[Any]:
        for first in range(0, shape[0], step):
            yield from _blocks(_in_memory(take(first, min(first + step, shape[0]))), batch_size)

    return Stream(blocks(), shape[0])


def _coo_rows(matrix: Any) -> Callable[[int, int], Any]:
    rows, features = matrix.shape
    row, col, data = matrix.row, matrix.col, matrix.data
    outside = np.flatnonzero((row < 0) | (row >= rows) | (col < 0) | (col >= features))
    if outside.size:
        entry = outside[0]
        raise ValueError(
            f"Entry {entry} is in row {row[entry]}, column {col[entry]}: out of range for {rows} rows of {features} "
            "columns"
        )

    def take(first: int, last: int) -> Any:
        chosen = (row >= first) & (row < last)
        places = (row[chosen] - first, col[chosen])
        return sparse.coo_array((data[chosen], places), shape=(last - first, features)).tocsr()

    return take


def _closing(file: Any, blocks: Any) -> Iterator[Any]:
    with file:
        yield from blocks


def _text(value: Any) -> Any:
    return value.decode() if isinstance(value, bytes) else value


def _group_arrays(group: Any) -> CsrArrays:
    attributes = dict(group.attrs)
    form = _text(attributes.get("encoding-type", attributes.get("h5sparse_format")))
    shape = attributes.get("shape", attributes.get("h5sparse_shape"))
    if form in ("csc_matrix", "csc"):
        raise ValueError(
            f"{group.name} is stored by columns (CSC), so that its first row cannot be read without all others. Write "
            "it by rows: adata.X = adata.X.tocsr() and adata.write(...). If it fits in memory, pass a scipy matrix"
        )
    if form not in ("csr_matrix", "csr") or shape is None or not all(part in group for part in _PARTS):
        raise ValueError(
            f"{group.name} is not a sparse matrix: it needs an encoding-type of csr_matrix (got {form!r}), a shape, "
            "and data, indices and indptr"
        )
    data, indices, indptr = (group[part] for part in _PARTS)
    for part, array in zip(_PARTS, (data, indices, indptr), strict=True):
        if len(getattr(array, "shape", ())) != 1:
            raise ValueError(f"{part} of {group.name} is not a one-dimensional array")
    rows, features = (int(length) for length in shape)
    return CsrArrays(_Vector(data), _Vector(indices), _Vector(indptr), (rows, features))


class _Vector:
    """A dataset of one dimension, of h5py or zarr, whose arrays have no length in common."""

    def __init__(self, array: Any) -> None:
        self._array = array
        self.dtype, self.chunks = np.dtype(array.dtype), array.chunks

    def __len__(self) -> int:
        return self._array.shape[0]

    def __getitem__(self, part: slice) -> np.ndarray:
        return self._array[part]


def _feature_names(store: Any) -> list[str] | None:
    """Returns the index of the table `var` of an AnnData store, if it has one of strings."""
    if "var" not in store:
        return None
    var = store["var"]
    if getattr(getattr(var, "dtype", None), "names", None):  # files of anndata before 0.7
        return [str(_text(name)) for name in var[:]["index" if "index" in var.dtype.names else var.dtype.names[0]]]
    index = _text(dict(var.attrs).get("_index", "_index"))
    if index not in var or not hasattr(var[index], "shape"):
        return None
    return [str(_text(name)) for name in var[index][:]]
