"""Sparse rows: the same results as dense ones, in bounded memory."""

import tracemalloc

import numpy as np
import pytest
from scipy import sparse

from roipca import OnlinePCA


@pytest.fixture
def X():
    return sparse.random_array((800, 300), density=0.05, rng=np.random.default_rng(0), format="csr")


@pytest.mark.parametrize("method", ["auto", "roipca", "fd", "exact"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_sparse_rows_give_the_components_of_dense_ones_to_the_last_bit(X, method, dtype):
    X = X.astype(dtype)
    from_sparse = OnlinePCA(5, method=method).partial_fit(X[:300]).partial_fit(X[300:])
    from_dense = OnlinePCA(5, method=method).partial_fit(X.toarray())
    assert np.array_equal(from_sparse.components_, from_dense.components_)
    assert from_sparse.components_.dtype == dtype


@pytest.mark.parametrize("make", [sparse.csr_array, sparse.csr_matrix, sparse.csc_matrix, sparse.coo_array])
def test_any_sparse_format_is_accepted(X, make):
    assert np.array_equal(OnlinePCA(5).fit(make(X)).components_, OnlinePCA(5).fit(X).components_)


def test_indices_of_64_bits_are_accepted(X):
    wide = X.copy()
    wide.indices, wide.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    assert np.array_equal(OnlinePCA(5).fit(wide).components_, OnlinePCA(5).fit(X).components_)


def test_weights_of_sparse_rows(X):
    weights = np.random.default_rng(0).uniform(0, 2, 800)
    from_sparse = OnlinePCA(5).partial_fit(X, sample_weight=weights)
    from_dense = OnlinePCA(5).partial_fit(X.toarray(), sample_weight=weights)
    assert np.array_equal(from_sparse.components_, from_dense.components_)


@pytest.mark.parametrize("whiten", [False, True])
def test_results_for_sparse_rows_are_those_for_dense_ones(X, whiten):
    pca, dense = OnlinePCA(5, whiten=whiten).fit(X), X.toarray()
    np.testing.assert_allclose(pca.transform(X), pca.transform(dense), atol=1e-12)
    for read in (pca.score_samples, pca.t2, pca.spe):
        np.testing.assert_allclose(read(X), read(dense), rtol=1e-10)


def test_sparse_rows_are_never_all_dense_at_once():
    X = sparse.random_array((20_000, 5_000), density=1e-3, rng=np.random.default_rng(0), format="csr")
    pca = OnlinePCA(2).fit(X[:10])
    dense_bytes = X.shape[0] * X.shape[1] * 8
    tracemalloc.start()
    pca.partial_fit(X[:2000])
    pca.transform(X)
    pca.spe(X[:2000])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < dense_bytes / 20


def test_indices_out_of_range_are_refused(X):
    pca = OnlinePCA(5).fit(X)
    broken = X.copy()
    broken.indices[7] = 300
    with pytest.raises(ValueError, match="column index out of range"):
        pca.partial_fit(broken)
    broken = X.copy()
    broken.indptr[-1] += 1000
    with pytest.raises(ValueError, match="indptr points beyond the data"):
        pca.partial_fit(broken)
