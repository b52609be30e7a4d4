"""fit_stream from sparse sources: the components of the same rows, block by block, and errors that name the row."""

import tracemalloc
import zipfile
from pathlib import Path
from types import SimpleNamespace

import h5py
import numpy as np
import pytest
import zarr
from oracle import state
from scipy import sparse
from sklearn.decomposition import PCA

from roipca import DataError, OnlinePCA, _sources

ROWS, FEATURES = 700, 300
NAMES = [f"gene{j}" for j in range(FEATURES)]


@pytest.fixture
def X():
    """Rows of counts with strong directions, among them empty rows and one that is dense."""
    rng = np.random.default_rng(0)
    rates = np.exp(rng.standard_normal((ROWS, 4)) @ rng.standard_normal((4, FEATURES)) - 3)
    dense = rng.poisson(np.minimum(rates, 20)).astype(float)
    dense[[0, 17, 18, 699]] = 0
    dense[300] = 1 + np.arange(FEATURES) % 3
    return sparse.csr_array(dense)


def write_group(group, X, form="csr_matrix", **options):
    group.attrs["encoding-type"], group.attrs["encoding-version"] = form, "0.1.0"
    group.attrs["shape"] = [int(length) for length in X.shape]
    for name in ("data", "indices", "indptr"):
        if isinstance(group, h5py.Group):
            group.create_dataset(name, data=getattr(X, name), **options)
        else:
            group.create_array(name, data=getattr(X, name), **options)


def write_names(store):
    var = store.create_group("var")
    var.attrs["_index"] = "names"
    if isinstance(store, h5py.Group):
        var["names"] = NAMES
    else:
        var.create_array("names", data=np.array(NAMES, dtype=np.dtypes.StringDType()))


def h5ad(X, folder, names=True, **options):
    with h5py.File(folder / "cells.h5ad", "w") as file:
        write_group(file.create_group("X"), X, **options)
        doubled = SimpleNamespace(data=2 * X.data, indices=X.indices, indptr=X.indptr, shape=X.shape)
        write_group(file.create_group("layers/doubled"), doubled)
        if names:
            write_names(file)
    return folder / "cells.h5ad"


def dense_h5ad(X, folder):
    with h5py.File(folder / "cells.h5ad", "w") as file:
        file.create_dataset("X", data=X.toarray(), chunks=(64, FEATURES), compression="gzip")
        write_names(file)
    return folder / "cells.h5ad"


def old_h5ad(X, folder):
    """As anndata wrote before 0.7: other attributes, and the table of features as one dataset."""
    with h5py.File(folder / "cells.h5ad", "w") as file:
        group = file.create_group("X")
        group.attrs["h5sparse_format"], group.attrs["h5sparse_shape"] = b"csr", X.shape
        for name in ("data", "indices", "indptr"):
            group[name] = getattr(X, name)
        file["var"] = np.array([(name.encode(), 1.0) for name in NAMES], dtype=[("index", "S10"), ("mean", "f8")])
    return folder / "cells.h5ad"


def zarr_group(X, folder, **options):
    group = zarr.create_group(folder / "matrix.zarr")
    write_group(group, X, **options)
    return folder / "matrix.zarr"


def zarr_store(X, folder):
    store = zarr.create_group(folder / "cells.zarr")
    write_group(store.create_group("X"), X, chunks=(100,))
    write_names(store)
    return folder / "cells.zarr"


def npz(X, folder, compressed=True):
    sparse.save_npz(folder / "rows.npz", X, compressed=compressed)
    return folder / "rows.npz"


SOURCES = {
    "csr": lambda X, folder: X,
    "csr matrix": lambda X, folder: sparse.csr_matrix(X),
    "csc": lambda X, folder: X.tocsc(),
    "coo": lambda X, folder: X.tocoo(),
    "coo matrix": lambda X, folder: sparse.coo_matrix(X),
    "npz": npz,
    "npz as text": lambda X, folder: str(npz(X, folder)),
    "npz not compressed": lambda X, folder: npz(X, folder, compressed=False),
    "npz of csc": lambda X, folder: npz(X.tocsc(), folder),
    "npz of coo": lambda X, folder: npz(X.tocoo(), folder),
    "h5ad without names": lambda X, folder: h5ad(X, folder, names=False),
    "h5ad": h5ad,
    "h5ad in chunks": lambda X, folder: h5ad(X, folder, chunks=(333,), compression="gzip"),
    "h5ad of old": old_h5ad,
    "hdf5 file": lambda X, folder: h5py.File(h5ad(X, folder)),
    "hdf5 group": lambda X, folder: h5py.File(h5ad(X, folder))["X"],
    "zarr group path": zarr_group,
    "zarr group": lambda X, folder: zarr.open_group(zarr_group(X, folder, chunks=(100,)), mode="r"),
    "zarr store path": zarr_store,
    "blocks": lambda X, folder: (X[first : first + 90] for first in range(0, ROWS, 90)),
    "blocks of csr matrices": lambda X, folder: [sparse.csr_matrix(X[:1]), sparse.csr_matrix(X[1:])],
    "blocks of csc": lambda X, folder: iter([X[:400].tocsc(), X[400:].tocoo()]),
}
NAMED = {"h5ad", "h5ad in chunks", "h5ad of old", "hdf5 file", "zarr store path"}


def fit_stream(source, **options):
    return OnlinePCA(4).fit_stream(source, progress=False, **options)


@pytest.mark.parametrize("batch_size", [None, 7, 5000])
@pytest.mark.parametrize("kind", SOURCES)
def test_every_sparse_source_gives_the_model_of_its_rows_to_the_last_bit(X, tmp_path, kind, batch_size, monkeypatch):
    monkeypatch.setattr(_sources, "_BLOCK", 1 << 10)
    pca = fit_stream(SOURCES[kind](X, tmp_path), batch_size=batch_size)
    want = OnlinePCA(4).partial_fit(X)
    assert pca.n_samples_seen_ == ROWS
    assert np.array_equal(pca.components_, want.components_)
    assert list(getattr(pca, "feature_names_in_", [])) == (NAMES if kind in NAMED else [])


def test_the_components_are_those_of_batch_pca(X, tmp_path):
    want = PCA(4).fit(X.toarray())
    pca = fit_stream(h5ad(X, tmp_path))
    np.testing.assert_allclose(pca.mean_, want.mean_, rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(pca.explained_variance_, want.explained_variance_, rtol=1e-2)
    np.testing.assert_allclose(np.abs(np.sum(pca.components_ * want.components_, axis=1)), 1, atol=1e-2)


def test_a_dense_matrix_in_an_h5ad_file_is_read_too(X, tmp_path):
    pca = fit_stream(dense_h5ad(X, tmp_path))
    assert np.array_equal(pca.components_, OnlinePCA(4).partial_fit(X.toarray()).components_)
    assert list(pca.feature_names_in_) == NAMES


@pytest.mark.filterwarnings("error")
def test_sparse_rows_without_names_are_scored_by_a_model_with_names(X, tmp_path):
    pca = fit_stream(h5ad(X, tmp_path))
    scores = pca.partial_fit(X).transform(X)
    np.testing.assert_allclose(scores, (X.toarray() - pca.mean_) @ pca.components_.T, atol=1e-10)
    with pytest.raises(ValueError, match="X has 299 features, but OnlinePCA is expecting 300 features"):
        pca.transform(X[:, :299])


def test_a_layer_can_be_chosen(X, tmp_path):
    pca = fit_stream(h5ad(X, tmp_path), layer="doubled")
    np.testing.assert_allclose(pca.mean_, 2 * X.toarray().mean(axis=0), rtol=1e-12, atol=1e-15)
    with pytest.raises(ValueError, match="no layer 'counts'; the layers are 'doubled'"):
        fit_stream(tmp_path / "cells.h5ad", layer="counts")


@pytest.mark.parametrize("kind", ["csr", "npz", "h5ad", "zarr group"])
@pytest.mark.parametrize("dtype", [np.float32, np.int32, np.uint8])
def test_float32_stays_float32_and_other_types_become_float64(X, tmp_path, kind, dtype):
    pca = fit_stream(SOURCES[kind](X.astype(dtype), tmp_path))
    assert pca.components_.dtype == (np.float32 if dtype == np.float32 else np.float64)
    np.testing.assert_allclose(pca.mean_, X.toarray().mean(axis=0), rtol=1e-6)


@pytest.mark.parametrize("dtype", [">f8", ">f4", np.float16, bool])
def test_types_that_scipy_does_not_have_are_read_from_files(X, tmp_path, dtype):
    pca = fit_stream(h5ad_with("data", lambda data: data.astype(dtype))(X, tmp_path))
    assert pca.components_.dtype == (np.float32 if dtype == ">f4" else np.float64)
    want = X.toarray() != 0 if dtype is bool else X.toarray()
    np.testing.assert_allclose(pca.mean_, want.mean(axis=0), rtol=1e-6)


def test_a_source_closes_its_file(X, tmp_path):
    fit_stream(h5ad(X, tmp_path))
    h5py.File(tmp_path / "cells.h5ad", "a").close()


def test_a_stream_of_files_resumes(X, tmp_path):
    (tmp_path / "later").mkdir()
    pca = fit_stream(h5ad(X[:333], tmp_path))
    pca.fit_stream(h5ad(X[333:], tmp_path / "later"), resume=True, progress=False)
    assert np.array_equal(pca.components_, OnlinePCA(4).partial_fit(X).components_)


def test_the_bar_knows_the_length(X, tmp_path, capsys):
    OnlinePCA(2).fit_stream(npz(X, tmp_path), batch_size=100)
    assert "700/700" in capsys.readouterr().err


@pytest.mark.parametrize("kind", ["npz", "npz not compressed", "h5ad in chunks", "zarr group", "csc", "coo"])
def test_memory_does_not_grow_with_the_stream(tmp_path, kind, monkeypatch):
    monkeypatch.setattr(_sources, "_BLOCK", 1 << 14)
    X = sparse.random_array((100_000, FEATURES), density=0.05, rng=np.random.default_rng(0), format="csr")
    source = SOURCES[kind](X, tmp_path) if kind != "zarr group" else zarr.open_group(
        zarr_group(X, tmp_path, chunks=(1 << 14,)), mode="r"
    )
    monkeypatch.setattr(OnlinePCA, "_add", lambda self, *_, **__: self)  # what the source itself holds
    tracemalloc.start()
    OnlinePCA(2).fit_stream(source, progress=False)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < (X.data.nbytes + X.indices.nbytes) / 2


def damaged_indptr(X):
    broken = X.copy()
    broken.indptr[502] = broken.indptr[501] - 1
    return broken


def indptr_too_far(X):
    broken = X.copy()
    broken.indptr[502:] += 100_000
    return broken


def index_too_large(X):
    broken = X.copy()
    broken.indices[broken.indptr[501]] = FEATURES
    return broken


def index_negative(X):
    broken = X.copy()
    broken.indices[broken.indptr[501]] = -1
    return broken


def not_a_number(X):
    broken = X.copy()
    broken.data[broken.indptr[501]] = np.nan
    return broken


def test_an_error_of_a_file_names_it(X, tmp_path):
    path = h5ad(damaged_indptr(X), tmp_path, names=False)
    with pytest.raises(DataError, match=f"^{path}: Input X is not a valid sparse matrix.\nrow 501: indptr is damaged"):
        fit_stream([npz(X, tmp_path), path], batch_size=100)


@pytest.mark.parametrize("kind", ["csr", "npz", "h5ad without names", "zarr group path"])
@pytest.mark.parametrize(
    "damage, message",
    [
        (damaged_indptr, "row 501: indptr is damaged"),
        (indptr_too_far, "row 501: indptr is damaged"),
        (index_too_large, "row 501: column index 300 is out of range: the rows have 300 columns"),
        (index_negative, "row 501: column index -1 is out of range"),
        (not_a_number, "row 501: NaN in column"),
    ],
)
def test_damage_is_an_error_that_names_the_row_and_the_blocks_before_are_kept(X, tmp_path, kind, damage, message):
    pca = OnlinePCA(4)
    with pytest.raises(DataError, match=message) as caught:
        pca.fit_stream(SOURCES[kind](damage(X), tmp_path), batch_size=100, progress=False)
    assert caught.value.row == 501
    kept = pca.n_samples_seen_
    assert kept in (500, 501)  # a block ends before a damaged start
    pca.fit_stream(X[kept:], resume=True, progress=False)
    assert np.array_equal(pca.components_, OnlinePCA(4).partial_fit(X).components_)


def test_blocks_of_an_iterator_are_checked_like_those_of_a_file(X):
    broken = X[300:]
    broken.indices[broken.indptr[201]] = FEATURES
    with pytest.raises(DataError, match="row 501: column index 300 is out of range"):
        fit_stream([X[:300], broken])
    with pytest.raises(ValueError, match="In rows 300 to 399 of the stream: X has 299 features"):
        fit_stream([X[:300], X[300:400, :299]])


def coo_out_of_range(X, folder):
    broken = X.tocoo()
    broken.coords[0][5] = ROWS
    return broken


def csc_out_of_range(X, folder):
    broken = X.tocsc()
    broken.indices[5] = ROWS
    return broken


def h5ad_with(name, value):
    def write(X, folder):
        path = h5ad(X, folder)
        with h5py.File(path, "a") as file:
            del file["X"][name]
            file["X"][name] = value(getattr(X, name))
        return path

    return write


def h5ad_of_columns(X, folder):
    return h5ad(X.tocsc(), folder, form="csc_matrix")


def plain_npz(X, folder):
    np.savez(folder / "rows.npz", a=np.eye(3), b=np.eye(4))
    return folder / "rows.npz"


def empty_file(name):
    def write(X, folder):
        (folder / name).touch()
        return folder / name

    return write


def h5_without_matrix(X, folder):
    with h5py.File(folder / "cells.h5ad", "w") as file:
        file["rows"] = X.toarray()
    return folder / "cells.h5ad"


@pytest.mark.parametrize(
    "source, message",
    [
        (coo_out_of_range, "Entry 5 is in row 700, column .*: out of range for 700 rows of 300 columns"),
        (csc_out_of_range, "indices must be < 700"),
        (h5ad_with("indptr", lambda a: a[:-1]), "700 rows need an indptr of 701 numbers, got 700"),
        (h5ad_with("indptr", lambda a: a + 1), "row 0: indptr begins with 1, not with 0"),
        (h5ad_with("indices", lambda a: a[:-1]), "data has [0-9]+ numbers and indices has [0-9]+"),
        (h5ad_with("indices", lambda a: a.astype(float)), "indices holds float64, not integers"),
        (h5ad_with("data", lambda a: a.astype("S3")), r"data holds \|S3, not numbers"),
        (h5ad_with("data", lambda a: a[:, None]), "data of /X is not a one-dimensional array"),
        (h5ad_of_columns, r"/X is stored by columns \(CSC\).*tocsr\(\)"),
        (h5_without_matrix, "no matrix 'X'"),
        (plain_npz, "not written by scipy.sparse.save_npz: it has the arrays a, b"),
        (empty_file("rows.npz"), "rows.npz: File is not a zip file"),
        (lambda X, folder: X[:0], r"0 sample\(s\)"),
    ],
)
def test_a_bad_sparse_source_is_refused_and_nothing_is_lost(X, tmp_path, source, message):
    pca = OnlinePCA(4).fit(X)
    before = state(pca)
    with pytest.raises(ValueError, match=message):
        pca.fit_stream(source(X, tmp_path), progress=False)
    assert state(pca) == before


def test_entries_that_belong_to_no_row_are_an_error(X, tmp_path):
    path = h5ad_with("indptr", lambda a: np.minimum(a, a[-5]))(X, tmp_path)
    with pytest.raises(ValueError, match=r"indptr ends at entry [0-9]+, but there are [0-9]+ entries"):
        fit_stream(path)


def test_a_file_that_is_not_hdf5_is_named(X, tmp_path):
    with pytest.raises(OSError, match=r"cells.h5ad: .*signature not found"):
        fit_stream(empty_file("cells.h5ad")(X, tmp_path))


@pytest.mark.parametrize("compressed", [False, True])
def test_a_flipped_byte_in_an_npz_file_is_an_error(X, tmp_path, compressed):
    path = npz(X, tmp_path, compressed=compressed)
    with zipfile.ZipFile(path) as archive:
        member = archive.getinfo("data.npy")
    data = bytearray(path.read_bytes())
    data[member.header_offset + member.compress_size // 2 + 100] ^= 1
    path.write_bytes(data)
    with pytest.raises((OSError, ValueError), match=f"^{path}: "):
        fit_stream(path)


@pytest.mark.parametrize("kind", ["npz", "h5ad", "zarr store path"])
def test_columns_and_layers_are_refused_where_they_mean_nothing(X, tmp_path, kind):
    source = SOURCES[kind](X, tmp_path)
    with pytest.raises(ValueError, match="columns are for tables; feature_mask"):
        fit_stream(source, columns=["gene1"])
    with pytest.raises(ValueError, match=r"layer='a' is for .h5ad files"):
        fit_stream(X, layer="a")


def test_allocated_entries_beyond_the_last_row_are_no_error(X):
    roomy = X.copy()
    roomy.data, roomy.indices = np.append(X.data, [7.0, 7.0]), np.append(X.indices, [9, 9]).astype(X.indices.dtype)
    assert np.array_equal(fit_stream(roomy).components_, OnlinePCA(4).partial_fit(X).components_)


@pytest.mark.parametrize("layer, factor", [(None, 1), ("doubled", 2), ("dense", 1)])
def test_files_of_the_anndata_package_are_read(layer, factor):
    path = Path(__file__).parents[1] / "support" / "anndata" / "cells.h5ad"  # of anndata 0.12: see write.py there
    i, j = np.indices((50, 30))
    rows = factor * np.where((i * 7 + j * 13) % 5 == 0, (i * 3 + j * 11) % 17, 0)
    pca = OnlinePCA(2).fit_stream(path, layer=layer, progress=False)
    np.testing.assert_allclose(pca.mean_, rows.mean(axis=0), rtol=1e-6)
    np.testing.assert_allclose(pca.explained_variance_, np.linalg.eigvalsh(np.cov(rows.T))[::-1][:2], rtol=1e-5)
    assert list(pca.feature_names_in_[:2]) == ["gene0", "gene1"]
