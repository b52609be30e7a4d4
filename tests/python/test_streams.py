"""fit_stream: one result from every kind of source, in bounded memory."""

import sys
import tracemalloc
import warnings

import h5py
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset
import pyarrow.parquet as pq
import pytest
import zarr
from oracle import state
from scipy import sparse

from roipca import OnlinePCA, _sources

NAMES = [f"x{j}" for j in range(6)]


@pytest.fixture
def X():
    return np.random.default_rng(0).standard_normal((1000, 6)) * np.linspace(3, 1, 6)


def frame_of(X):
    return pd.DataFrame(X, columns=NAMES)


def npy(X, folder):
    np.save(folder / "rows.npy", X)
    return folder / "rows.npy"


def parquet(X, folder):
    pq.write_table(pa.Table.from_pandas(frame_of(X)), folder / "rows.parquet", row_group_size=150)
    return folder / "rows.parquet"


def parquet_folder(X, folder):
    (folder / "parts").mkdir()
    for i, part in enumerate(np.array_split(X, 3)):
        pq.write_table(pa.Table.from_pandas(frame_of(part)), folder / "parts" / f"{i}.parquet")
    return folder / "parts"


def hdf5(X, folder):
    return h5py.File(folder / "rows.h5", "w").create_dataset(
        "rows", data=X, chunks=(64, 6), compression="gzip"
    )


def zarr_path(X, folder):
    zarr.create_array(folder / "rows.zarr", data=X, chunks=(64, 6))
    return folder / "rows.zarr"


def table(X, folder=None):
    return pa.Table.from_pandas(frame_of(X))


SOURCES = {
    "array": lambda X, folder: X,
    "npy path": npy,
    "memory map": lambda X, folder: np.load(npy(X, folder), mmap_mode="r"),
    "column-major memory map": lambda X, folder: np.load(npy(np.asfortranarray(X), folder), mmap_mode="r"),
    "parquet path": parquet,
    "parquet path as text": lambda X, folder: str(parquet(X, folder)),
    "parquet folder": parquet_folder,
    "parquet file": lambda X, folder: pq.ParquetFile(parquet(X, folder)),
    "arrow table": table,
    "arrow batch": lambda X, folder: table(X).combine_chunks().to_batches()[0],
    "arrow dataset": lambda X, folder: pa.dataset.dataset(parquet(X, folder)),
    "arrow scanner": lambda X, folder: pa.dataset.dataset(parquet(X, folder)).scanner(),
    "arrow reader": lambda X, folder: table(X).to_reader(100),
    "hdf5": hdf5,
    "zarr path": zarr_path,
    "zarr array": lambda X, folder: zarr.open_array(zarr_path(X, folder), mode="r"),
    "pandas": lambda X, folder: frame_of(X),
    "polars": lambda X, folder: pl.DataFrame(X, schema=NAMES),
    "sparse": lambda X, folder: sparse.csr_matrix(X),
    "generator": lambda X, folder: (part for part in np.array_split(X, 13)),
    "list of blocks": lambda X, folder: np.array_split(X, 13),
    "list of lists": lambda X, folder: [X[:10].tolist(), X[10:].tolist()],
    "frames": lambda X, folder: (frame_of(part) for part in np.array_split(X, 3)),
    "blocks of nothing": lambda X, folder: iter([X[:0], X[:7], X[:0], X[7:]]),
}
NAMED = {"parquet", "arrow", "pandas", "polars", "frames"}


@pytest.mark.parametrize("batch_size", [None, 7, 5000])
@pytest.mark.parametrize("kind", SOURCES)
def test_every_source_gives_the_model_of_its_rows_to_the_last_bit(X, tmp_path, kind, batch_size):
    pca = OnlinePCA(2).fit_stream(SOURCES[kind](X, tmp_path), batch_size=batch_size, progress=False)
    want = OnlinePCA(2).partial_fit(X)
    assert pca.n_samples_seen_ == 1000
    assert np.array_equal(pca.components_, want.components_)
    assert hasattr(pca, "feature_names_in_") == (kind.split()[0] in NAMED)
    if hasattr(pca, "feature_names_in_"):
        assert list(pca.feature_names_in_) == NAMES


@pytest.mark.parametrize(
    "kind", ["npy path", "parquet path", "arrow reader", "hdf5", "zarr array", "generator"]
)
def test_float32_stays_float32(X, tmp_path, kind):
    X = X.astype(np.float32)
    pca = OnlinePCA(2).fit_stream(SOURCES[kind](X, tmp_path), progress=False)
    assert np.array_equal(pca.components_, OnlinePCA(2).partial_fit(X).components_)
    assert pca.components_.dtype == np.float32


@pytest.mark.parametrize("kind", ["parquet path", "arrow table", "arrow reader", "pandas", "polars"])
def test_some_columns_can_be_chosen(X, tmp_path, kind):
    pca = OnlinePCA(2).fit_stream(SOURCES[kind](X, tmp_path), columns=["x4", "x1", "x0"], progress=False)
    assert list(pca.feature_names_in_) == ["x4", "x1", "x0"]
    assert np.array_equal(pca.components_, OnlinePCA(2).partial_fit(X[:, [4, 1, 0]].copy()).components_)


def test_integers_and_booleans_of_a_table_are_numbers():
    columns = {"a": [1, 2, 3], "b": [True, False, True], "c": [0.5, 1.5, 2.0]}
    pca = OnlinePCA(2).fit_stream(pa.table(columns), progress=False)
    np.testing.assert_allclose(pca.mean_, [2, 2 / 3, 4 / 3])


def indexed(X):
    """A frame whose index would hold all the variance, were it a feature."""
    return frame_of(X).set_index(1e6 * np.arange(len(X)) ** 2)


def parquet_by_pandas(frame, folder):
    frame.to_parquet(folder / "rows.parquet")
    return folder / "rows.parquet"


INDEXED = {
    "path": parquet_by_pandas,
    "dataset": lambda frame, folder: pa.dataset.dataset(parquet_by_pandas(frame, folder)),
    "table": lambda frame, folder: pa.Table.from_pandas(frame),
    "batches": lambda frame, folder: iter(pa.Table.from_pandas(frame).to_batches(100)),
}


@pytest.mark.parametrize("name", [None, "time"])
@pytest.mark.parametrize("kind", INDEXED)
def test_the_stored_index_of_a_pandas_frame_is_no_feature(X, tmp_path, kind, name):
    frame = indexed(X).rename_axis(index=name)
    pca = OnlinePCA(2).fit_stream(INDEXED[kind](frame, tmp_path), progress=False)
    assert list(pca.feature_names_in_) == NAMES
    assert np.array_equal(pca.components_, OnlinePCA(2).partial_fit(X).components_)


def test_the_stored_index_can_be_chosen_by_name(X, tmp_path):
    path = parquet_by_pandas(indexed(X).rename_axis(index="time"), tmp_path)
    pca = OnlinePCA(1).fit_stream(path, columns=["time", "x0"], progress=False)
    assert list(pca.feature_names_in_) == ["time", "x0"]


@pytest.mark.parametrize("kind", ["array", "npy path", "memory map", "hdf5", "zarr path"])
def test_arrays_of_three_dimensions_mean_the_same_as_in_fit(tmp_path, kind):
    images = np.ones((100, 28, 28))
    sources = {
        "hdf5": lambda X, folder: h5py.File(folder / "rows.h5", "w").create_dataset("rows", data=X),
        "zarr path": lambda X, folder: (zarr.create_array(folder / "rows.zarr", data=X), folder / "rows.zarr")[1],
    }
    source = {**SOURCES, **sources}[kind](images, tmp_path)
    message = r"Found array with dim 3.*X.reshape\(len\(X\), -1\)"
    with pytest.raises(ValueError, match=message):
        OnlinePCA(2).fit_stream(source, progress=False)
    with pytest.raises(ValueError, match=message):
        OnlinePCA(2).fit(images)
    with pytest.raises(ValueError, match=message):
        OnlinePCA(2).partial_fit(images)


class Relation:
    """As DuckDB's: a lazy table with columns and a shape, which exports Arrow and cannot be sliced by rows."""

    def __init__(self, table):
        self._table = table
        self.columns, self.shape = table.column_names, table.shape

    def __getitem__(self, name):
        raise KeyError(name)

    def __arrow_c_stream__(self, requested_schema=None):
        return self._table.__arrow_c_stream__(requested_schema)


def test_a_lazy_table_that_exports_arrow_is_a_table(X):
    want = OnlinePCA(2).partial_fit(X).components_
    pca = OnlinePCA(2).fit_stream(Relation(table(X)), batch_size=300, progress=False)
    assert np.array_equal(pca.components_, want)
    assert list(OnlinePCA(2).partial_fit(Relation(table(X))).feature_names_in_) == NAMES


@pytest.mark.parametrize("container", [list, tuple])
def test_batches_of_one_element_are_their_rows(X, container):
    pca = OnlinePCA(2).fit_stream((container([part]) for part in np.array_split(X, 7)), progress=False)
    assert np.array_equal(pca.components_, OnlinePCA(2).partial_fit(X).components_)


@pytest.mark.parametrize("made", [list, iter])
def test_batches_of_rows_and_labels_say_how_to_take_the_rows(X, made):
    with pytest.raises(ValueError, match=r"tuple of 2 arrays.*\(block\[0\] for block in source\)"):
        OnlinePCA(2).fit_stream(made([(X, np.ones(len(X)))]), progress=False)


@pytest.mark.parametrize("form", ["coo", "csc", "lil", "dok", "bsr"])
def test_sparse_matrices_of_every_form_are_streamed(X, form):
    pca = OnlinePCA(2).fit_stream(sparse.csr_array(X).asformat(form), batch_size=300, progress=False)
    assert np.array_equal(pca.components_, OnlinePCA(2).partial_fit(X).components_)


class Annotated:
    """As AnnData: a matrix with tables about its rows and columns."""

    shape = (1000, 6)

    def __init__(self, X):
        self.X, self.obs, self.var = X, None, None
        self.obs_names, self.var_names = range(len(X)), NAMES


@pytest.mark.parametrize("learn", ["fit", "partial_fit", "fit_stream"])
def test_an_annotated_matrix_says_how_to_pass_its_rows(X, learn):
    with pytest.raises(TypeError, match=r"Annotated holds more than one matrix: .* \.X"):
        getattr(OnlinePCA(2), learn)(Annotated(X))


@pytest.mark.parametrize("source", [table, frame_of])
def test_columns_as_one_string_are_refused(X, source):
    with pytest.raises(TypeError, match=r"columns must be a list of names.*columns=\['x0'\]"):
        OnlinePCA(2).fit_stream(source(X), columns="x0")


def test_the_error_for_a_null_names_row_and_column(X):
    columns = {name: list(X[:, j]) for j, name in enumerate(NAMES)}
    columns["x4"][650], columns["x2"][651] = None, None
    reader = pa.table(columns).to_reader(100)
    pca = OnlinePCA(2)
    message = r"In rows 600 to 699 of the stream: Input X contains NaN.\nrow 650: null in column 'x4'"
    with pytest.raises(ValueError, match=message):
        pca.fit_stream(reader, progress=False)
    assert pca.n_samples_seen_ == 600
    with pytest.raises(ValueError, match=r"row 650: null in column 'x4'"):
        OnlinePCA(2).fit(pa.table(columns))


@pytest.mark.parametrize(
    "source, message",
    [
        (pa.table({"a": [1.0], "b": ["text"]}), "Column 'b' holds string, not numbers"),
        (pa.table({"a": [1.0, None]}), "NaN"),
        (pa.table({}), "no columns"),
        (np.empty((0, 3)), r"0 sample\(s\)"),
        (iter([]), r"0 sample\(s\)"),
        (np.ones(5), r"Expected 2D array, got 1D array instead: update\(x\) adds one row"),
        (iter(np.eye(6)), r"In rows 0 to 5 .* got 1D array instead: update\(x\) adds one row"),
        (np.eye(6).tolist(), r"got 1D array instead: update\(x\) adds one row"),
    ],
)
def test_a_bad_source_is_refused_and_nothing_is_lost(X, source, message):
    pca = OnlinePCA(2).fit(X)
    before = state(pca)
    with pytest.raises(ValueError, match=message):
        pca.fit_stream(source, progress=False)
    assert state(pca) == before


@pytest.mark.parametrize(
    "name, message",
    [
        ("rows.xyz", "a .npy, .npz, .h5ad, .parquet, .feather, .arrow, .ipc or .zarr file was expected"),
        ("rows.h5", "open it with h5py"),
        ("rows.csv", r"fit_stream\(pandas.read_csv\('.*rows.csv', chunksize=10_000\)\)"),
        ("rows.csv.gz", "roipca fit .*rows.csv.gz -k 10"),
        ("rows.mtx", r"fit\(scipy.io.mmread\('.*rows.mtx'\)\), or .* roipca fit .*rows.mtx .*OnlinePCA.load"),
        ("rows.svm", r"load_svmlight_file\('.*rows.svm'\)\[0\]\), or .* roipca fit .*rows.svm .*OnlinePCA.load"),
        ("rows.mtx.gz", "roipca fit .*rows.mtx.gz -k 10"),
    ],
)
def test_a_path_that_cannot_be_streamed_says_what_to_do(tmp_path, name, message):
    (tmp_path / name).touch()
    with pytest.raises(ValueError, match=message):
        OnlinePCA(2).fit_stream(tmp_path / name)


def truncated(X, path):
    np.save(path, X)
    path.write_bytes(path.read_bytes()[:-500])


@pytest.mark.parametrize(
    "write, message",
    [
        (truncated, "row 989: the file is cut off: 1000 rows need 48000 bytes, but there are 47500$"),
        (lambda X, path: truncated(np.asfortranarray(X), path), "NumPy: the file is cut off: 1000 rows need"),
        (lambda X, path: np.save(path, X.astype(object)), "Array can't be memory-mapped"),
        (lambda X, path: path.touch(), "No data left in file"),
        (lambda X, path: path.write_bytes(b"\x93NUMPY"), ""),
    ],
)
def test_a_file_that_is_no_array_of_numbers_is_named(X, tmp_path, write, message):
    path = tmp_path / "rows.npy"
    write(X, path)
    for source in (path, [npy(X, tmp_path.parent), path]):
        with pytest.raises(ValueError, match=f"^{path} cannot be read as an array of .*{message}"):
            OnlinePCA(2).fit_stream(source, progress=False)


@pytest.mark.parametrize("made", [np.asarray, frame_of, lambda X: list(np.array_split(X, 3))])
@pytest.mark.parametrize(
    "options, message",
    [
        ({"feature_mask": np.ones(5, bool)}, r"feature_mask has shape \(5,\); the rows have 6 features"),
        ({"feature_weights": np.ones(5)}, r"feature_weights has shape \(5,\); the rows have 6 features"),
        ({"feature_mask": ["gene1"]}, "feature_mask .*names"),
        ({"sample_weight": np.ones(999)}, "sample_weight has 999 weights, but the source has 1000 rows"),
        ({"sample_weight": np.ones(1001)}, "sample_weight has 1001 weights, but the source has 1000 rows"),
        ({"sample_weight": np.ones((1000, 2))}, r"sample_weight has shape \(1000, 2\)"),
        ({"sample_weight": "w"}, "There is no column 'w' for sample_weight"),
    ],
    ids=str,
)
def test_an_argument_that_does_not_fit_names_no_rows_and_nothing_is_lost(X, made, options, message):
    pca = OnlinePCA(2).fit(X)
    before = state(pca)
    with pytest.raises(ValueError, match=f"^{message}") as caught:
        pca.fit_stream(made(X), batch_size=100, progress=False, **options)
    assert caught.type is ValueError
    assert state(pca) == before


def test_a_block_of_another_width_is_still_named(X):
    with pytest.raises(ValueError, match=r"^In rows 500 to 999 of the stream: feature_mask has shape \(6,\)"):
        OnlinePCA(2).fit_stream(iter([X[:500], X[500:, :5]]), feature_mask=np.ones(6, bool), progress=False)


@pytest.mark.parametrize("name", ["rows", "rows.npy", "rows.csv", "rows.parquet", "rows.zarr"])
def test_a_missing_file_is_named_with_the_folder(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(FileNotFoundError, match=f"^{name}: no such file .*{tmp_path}"):
        OnlinePCA(2).fit_stream(name)


def test_csv_is_streamed_by_pandas_as_the_message_says(X, tmp_path):
    frame_of(X).to_csv(tmp_path / "rows.csv", index=False)
    pca = OnlinePCA(2).fit_stream(pd.read_csv(tmp_path / "rows.csv", chunksize=300), progress=False)
    assert pca.n_samples_seen_ == 1000 and list(pca.feature_names_in_) == NAMES
    np.testing.assert_allclose(pca.mean_, X.mean(axis=0))


def test_objects_that_are_not_sources_are_refused():
    with pytest.raises(TypeError, match="not int"):
        OnlinePCA(2).fit_stream(7)
    with pytest.raises(ValueError, match="columns are for sources that have names"):
        OnlinePCA(2).fit_stream(np.eye(3), columns=["a"])
    for source in (table(np.ones((2, 6))), frame_of(np.ones((2, 6)))):
        with pytest.raises(ValueError, match="There is no column 'z'; the columns are 'x0'"):
            OnlinePCA(2).fit_stream(source, columns=["z"])
    with pytest.raises(ValueError, match="batch_size"):
        OnlinePCA(2).fit_stream(np.eye(3), batch_size=0)


def test_a_missing_library_is_named_with_its_extra(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "pyarrow.dataset", None)
    (tmp_path / "rows.parquet").touch()
    with pytest.raises(ImportError, match=r"needs pyarrow: pip install 'roipca\[parquet\]'"):
        _sources.open_source(tmp_path / "rows.parquet", None, None)


def test_after_a_bad_block_the_rows_before_it_are_kept_and_the_stream_can_resume(X):
    bad = X[600:700].copy()
    bad[50, 2] = np.nan
    pca = OnlinePCA(2)
    with pytest.raises(ValueError, match=r"In rows 600 to 699 of the stream: .*\nrow 650: NaN in column 2"):
        pca.fit_stream([X[:300], X[300:600], bad, X[700:]], progress=False)
    assert pca.n_samples_seen_ == 600
    pca.fit_stream(X[600:], resume=True, progress=False)
    assert np.array_equal(pca.components_, OnlinePCA(2).partial_fit(X).components_)


@pytest.mark.parametrize("made", [np.array, sparse.csr_array])
def test_a_bad_row_is_numbered_from_the_start_of_the_stream(X, made):
    X[999, 1] = 1e200
    with pytest.raises(ValueError, match=r"row 999: 1e.200 .too large"):
        OnlinePCA(2).fit_stream((made(part) for part in np.array_split(X, 7)), progress=False)


def test_a_stream_starts_again_unless_it_resumes(X):
    pca = OnlinePCA(2).fit(X)
    assert pca.fit_stream(X[:400], progress=False).n_samples_seen_ == 400
    assert pca.fit_stream(X[400:], resume=True, progress=False).n_samples_seen_ == 1000


def test_a_stream_with_other_names_does_not_resume(X):
    pca = OnlinePCA(2).fit_stream(table(X), progress=False)
    with pytest.raises(ValueError, match="feature names should match"):
        pca.fit_stream(table(X).rename_columns(list("abcdef")), resume=True, progress=False)


def test_a_resumed_stream_of_a_table_keeps_names_and_type(X):
    pca = OnlinePCA(2).fit_stream(table(X[:400]), resume=True, progress=False)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pca.fit_stream(table(X[400:].astype(np.float32)), resume=True, progress=False)
    assert list(pca.feature_names_in_) == NAMES
    assert pca.components_.dtype == np.float64
    assert pca.n_samples_seen_ == 1000


def test_the_bar_counts_rows_and_knows_the_length(X, capsys):
    OnlinePCA(2).fit_stream(X, batch_size=100)
    shown = capsys.readouterr().err
    assert "100%" in shown and "1.00k/1.00k" in shown and "rows/s" in shown
    OnlinePCA(2).fit_stream(iter([X]))
    assert "1.00k rows" in capsys.readouterr().err
    OnlinePCA(2).fit_stream(X, progress=False)
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("kind", ["npy path", "hdf5", "zarr path", "parquet path", "generator"])
def test_memory_does_not_grow_with_the_stream(tmp_path, kind, monkeypatch):
    monkeypatch.setattr(_sources, "_BLOCK", 1 << 14)
    X = np.random.default_rng(0).standard_normal((100_000, 6))
    source = SOURCES[kind](X, tmp_path)
    tracemalloc.start()
    OnlinePCA(2).fit_stream(source, progress=False)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < X.nbytes / 4


def test_large_row_groups_are_read_in_parts(tmp_path):
    X = np.random.default_rng(0).standard_normal((1_000_000, 6))
    pq.write_table(table(X), tmp_path / "rows.parquet", row_group_size=len(X), use_dictionary=False)
    source = _sources.open_source(tmp_path / "rows.parquet", 10_000, None)
    before = pa.total_allocated_bytes()
    peak = max(pa.total_allocated_bytes() - before for _ in source.blocks)
    assert peak < X.nbytes / 2
