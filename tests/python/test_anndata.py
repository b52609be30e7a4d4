"""AnnData: results where scanpy puts them, in memory and in backed mode."""

import doctest
import subprocess
import sys

import numpy as np
import pytest
from oracle import batch_components, subspace_error
from scipy import sparse

ad = pytest.importorskip("anndata", reason="anndata is not installed: pip install 'roipca[anndata]'")

import roipca.anndata  # noqa: E402
from roipca import OnlinePCA  # noqa: E402


@pytest.fixture
def counts():
    rng = np.random.default_rng(0)
    programs = rng.gamma(0.5, size=(5, 40))
    return rng.poisson(3 * programs[rng.integers(0, 5, 300)]).astype(np.float32)


def stored(counts, form, path):
    """The cells as AnnData: in memory or on disk, dense or sparse."""
    kind, place = form.split()
    adata = ad.AnnData({"dense": np.asarray, "csr": sparse.csr_matrix, "csc": sparse.csc_matrix}[kind](counts))
    adata.var_names = [f"gene{j}" for j in range(adata.n_vars)]
    adata.var["highly_variable"] = np.arange(adata.n_vars) % 3 > 0
    adata.layers["twice"] = adata.X * 2
    if place == "memory":
        return adata
    adata.write_h5ad(path)
    return ad.read_h5ad(path, backed="r")


@pytest.mark.parametrize("form", ["dense memory", "csr memory", "csc memory", "dense file", "csr file"])
@pytest.mark.parametrize("mask", [None, "highly_variable"])
def test_results_are_those_of_batch_pca_and_where_scanpy_puts_them(counts, form, mask, tmp_path):
    adata = stored(counts, form, tmp_path / "cells.h5ad")
    model = roipca.anndata.pca(adata, 4, mask_var=mask, batch_size=70)
    used = np.ones(40, bool) if mask is None else adata.var[mask].to_numpy()
    X = counts[:, used].astype(np.float64)
    truth = batch_components(X, 4)
    assert subspace_error(truth, adata.varm["PCs"][used].T) < 1e-9  # float32: 40 features, squared roundings
    assert not adata.varm["PCs"][~used].any()
    scores = adata.obsm["X_pca"]
    assert scores.dtype == np.float32
    np.testing.assert_allclose(scores, (X - X.mean(axis=0)) @ adata.varm["PCs"][used], rtol=1e-3, atol=1e-3)
    variance = np.linalg.svd(X - X.mean(axis=0), compute_uv=False)[:4] ** 2 / 299
    np.testing.assert_allclose(adata.uns["pca"]["variance"], variance, rtol=1e-4)
    np.testing.assert_allclose(adata.uns["pca"]["variance_ratio"], variance / X.var(axis=0, ddof=1).sum(), rtol=1e-4)
    assert adata.uns["pca"]["params"] == {
        "zero_center": True,
        "use_highly_variable": mask is not None,
        "mask_var": mask,
    }
    assert list(model.feature_names_in_) == list(adata.var_names[used])


def test_a_layer_and_other_keys(counts, tmp_path):
    adata = stored(counts, "csr memory", None)
    roipca.anndata.pca(adata, 3, layer="twice", key_added="twice")
    roipca.anndata.pca(adata, 3)
    np.testing.assert_allclose(adata.uns["twice"]["variance"], 4 * adata.uns["pca"]["variance"], rtol=1e-4)
    assert adata.uns["twice"]["params"]["layer"] == "twice"
    assert adata.obsm["twice"].shape == (300, 3) and adata.varm["twice"].shape == (40, 3)
    adata.write_h5ad(tmp_path / "results.h5ad")  # what was added can be written
    assert ad.read_h5ad(tmp_path / "results.h5ad").obsm["X_pca"].shape == (300, 3)


@pytest.mark.parametrize("form", ["csr memory", "csr file"])
def test_counts_are_prepared_as_in_fit_stream(counts, form, tmp_path):
    adata = stored(counts, form, tmp_path / "cells.h5ad")
    weights = np.linspace(0.5, 2, 40)
    how = {"target_sum": 1e4, "log1p": True, "feature_weights": weights}
    model = roipca.anndata.pca(adata, 4, mask_var="highly_variable", dtype=np.float64, **how)
    used = adata.var["highly_variable"].to_numpy()
    sums = counts.sum(axis=1, keepdims=True, dtype=np.float64)
    X = (np.log1p(1e4 * counts / np.where(sums == 0, 1, sums)) * weights)[:, used]
    assert subspace_error(batch_components(X, 4), model.components_) < 1e-9  # float32
    np.testing.assert_allclose(adata.obsm["X_pca"], (X - X.mean(axis=0)) @ model.components_.T, rtol=1e-3, atol=1e-2)
    with pytest.raises(TypeError, match="feature_mask is called mask_var here"):
        roipca.anndata.pca(adata, 4, feature_mask=used)


@pytest.mark.parametrize("call", ["fit", "partial_fit", "transform", "refine"])
def test_a_sparse_matrix_in_backed_mode_is_for_streams(counts, call, tmp_path):
    backed = stored(counts, "csr file", tmp_path / "cells.h5ad")
    pca = OnlinePCA(3, method="roipca").fit(backed.X[:])
    if call == "refine":
        assert pca.refine(backed.X).n_passes_ == 2
        return
    with pytest.raises(TypeError, match=r"is read by fit_stream, transform_stream and .* pass X\[:\]$"):
        getattr(pca, call)(backed.X)
    scores = np.concatenate(list(pca.transform_stream(backed.X)))
    np.testing.assert_allclose(scores, pca.transform(backed.X[:]), rtol=1e-4, atol=1e-4)


def test_the_default_number_of_components_is_scanpys(counts):
    adata = ad.AnnData(counts)
    assert roipca.anndata.pca(adata).n_components_ == 39
    assert roipca.anndata.pca(ad.AnnData(np.tile(counts, 2) + 0.0)).n_components_ == 50


def test_what_cannot_be_used_is_refused(counts, tmp_path):
    adata = stored(counts, "dense memory", None)
    for options, what in (
        ({"layer": "none"}, "no layer 'none'; the layers are 'twice'"),
        ({"mask_var": "best"}, "no column 'best' in adata.var"),
        ({"mask_var": np.ones(3, bool)}, "mask_var must be 40 bools"),
    ):
        with pytest.raises(ValueError, match=what):
            roipca.anndata.pca(adata, 2, **options)
    with pytest.raises(TypeError, match="must be an AnnData, not ndarray"):
        roipca.anndata.pca(counts, 2)
    with pytest.raises(ValueError, match="stored by columns"):
        roipca.anndata.pca(stored(counts, "csc file", tmp_path / "columns.h5ad"), 2)
    assert "X_pca" not in adata.obsm


BACKED = """
import resource, sys, anndata, roipca.anndata
adata = anndata.read_h5ad(sys.argv[1], backed="r")
import numpy
small = anndata.AnnData(numpy.eye(60, 50, dtype=numpy.float32))
roipca.anndata.pca(small, 5)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
roipca.anndata.pca(adata, 5, batch_size=1000)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


def test_a_file_in_backed_mode_is_not_loaded(tmp_path):
    import h5py

    path = tmp_path / "cells.h5ad"
    ad.AnnData(shape=(60_000, 500)).write_h5ad(path)
    with h5py.File(path, "a") as file:  # 120 MB, written by blocks
        if "X" in file:
            del file["X"]
        X = file.create_dataset("X", (60_000, 500), "f4", chunks=(1000, 500))
        X.attrs["encoding-type"], X.attrs["encoding-version"] = "array", "0.2.0"
        rng = np.random.default_rng(0)
        for first in range(0, 60_000, 10_000):
            X[first : first + 10_000] = rng.standard_normal((10_000, 500), dtype=np.float32)
    shown = subprocess.run([sys.executable, "-c", BACKED, path], capture_output=True, text=True, check=True)
    assert int(shown.stdout) < 60_000  # KiB: half of the matrix


def test_examples_in_docstrings_run():
    result = doctest.testmod(roipca.anndata)
    assert result.attempted > 0 and result.failed == 0
