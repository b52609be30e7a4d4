"""Sparse rows: the same results as dense ones, in bounded memory."""

import pickle
import tracemalloc

import numpy as np
import pytest
from scipy import sparse

from roipca import OnlinePCA


@pytest.fixture
def X():
    return sparse.random_array((800, 300), density=0.05, rng=np.random.default_rng(0), format="csr")


def assert_same_components(a, b):
    """To rounding of the products among rows, which are not centred first for sparse ones."""
    rounding = 1e-4 if a.components_.dtype == np.float32 else 1e-11
    np.testing.assert_allclose(a.explained_variance_, b.explained_variance_, rtol=rounding)
    np.testing.assert_allclose(np.abs(np.sum(a.components_ * b.components_, axis=1)), 1, atol=rounding)
    np.testing.assert_allclose(a.mean_, b.mean_, rtol=1e-13, atol=1e-15)
    assert a.n_samples_seen_ == b.n_samples_seen_


@pytest.mark.parametrize("method", ["auto", "roipca", "ipca", "fd", "exact"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_sparse_rows_give_the_components_of_dense_ones(X, method, dtype):
    X = X.astype(dtype)
    from_sparse = OnlinePCA(5, method=method).partial_fit(X[:300]).partial_fit(X[300:])
    from_dense = OnlinePCA(5, method=method).partial_fit(X.toarray())
    assert_same_components(from_sparse, from_dense)
    assert from_sparse.components_.dtype == dtype


def test_the_way_sparse_rows_are_cut_into_calls_changes_no_bit(X):
    whole, pieces = OnlinePCA(5).partial_fit(X), OnlinePCA(5)
    for first in range(0, 800, 37):
        pieces.partial_fit(X[first : first + 37])
        _ = pieces.components_
    assert np.array_equal(whole.components_, pieces.components_)


@pytest.fixture(scope="module")
def wide():
    """Rows of so many features that all of them wait for others."""
    return sparse.random_array((400, 120_000), density=2e-4, rng=np.random.default_rng(1), format="csr")


def test_results_of_wide_rows_are_those_of_the_saved_model(wide, tmp_path):
    pca = OnlinePCA(10).partial_fit(wide)
    components, scores = pca.components_, pca.transform(wide)
    variance, counts = pca.explained_variance_, pca.suggest_components()
    gaps = wide[:3].toarray()
    gaps[:, ::2] = np.nan
    filled = pca.impute(gaps)
    pca.save(tmp_path / "model.safetensors")
    saved = OnlinePCA.load(tmp_path / "model.safetensors")
    for model in (pca, saved):
        assert np.array_equal(model.components_, components)
        assert np.array_equal(model.transform(wide), scores)
        assert np.array_equal(model.explained_variance_, variance)
        assert model.suggest_components() == counts
        assert np.array_equal(model.impute(gaps), filled)
    saved.set_params(n_components=15)  # the model has those that were held beside the reported ones
    assert saved.components_.shape == (15, 120_000)


def test_many_components_are_a_view_that_outlives_the_estimator(wide):
    pca = OnlinePCA(10).partial_fit(wide)
    components = pca.components_
    assert np.shares_memory(components, pca.components_)
    with pytest.raises(ValueError, match="read-only"):
        components[0] = 0
    kept = components.copy()
    pca.partial_fit(wide[:100])
    del pca
    assert np.array_equal(components, kept)
    # Sums of 120,000 products, of which each rounds to half an epsilon of a component's squared length.
    np.testing.assert_allclose(components @ components.T, np.eye(10), atol=1e-13)
    assert (components.max(axis=1) > -components.min(axis=1)).all()


def test_sparse_and_dense_calls_may_be_mixed(X):
    mixed = OnlinePCA(5)
    for first in range(0, 800, 100):
        part = X[first : first + 100]
        mixed.partial_fit(part if first % 200 else part.toarray())
    dense = X.toarray()
    variance = np.linalg.eigvalsh(np.cov(dense.T))[::-1][:5]
    assert mixed.n_samples_seen_ == 800
    np.testing.assert_allclose(mixed.mean_, dense.mean(axis=0), rtol=1e-12)
    np.testing.assert_allclose(mixed.explained_variance_, variance, rtol=0.1)


def test_an_estimator_of_sparse_rows_resumes_from_a_pickle_with_the_same_bits(X):
    whole = OnlinePCA(5).partial_fit(X)
    half = pickle.loads(pickle.dumps(OnlinePCA(5).partial_fit(X[:333])))
    assert np.array_equal(half.partial_fit(X[333:]).components_, whole.components_)


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
    assert_same_components(from_sparse, from_dense)


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


@pytest.mark.parametrize("value, words", [(np.nan, "NaN in column"), (np.inf, "infinity")])
def test_a_bad_number_is_refused_with_its_row_and_nothing_is_lost(X, value, words):
    pca = OnlinePCA(5).fit(X)
    before = pca.components_.copy()
    broken = X.copy()
    broken.data[broken.indptr[17]] = value
    with pytest.raises(ValueError, match=f"row 17: .*{words}|row 17: {words}"):
        pca.partial_fit(broken)
    assert np.array_equal(pca.components_, before)
    assert pca.n_samples_seen_ == 800


def test_indices_out_of_range_are_refused(X):
    pca = OnlinePCA(5).fit(X)
    broken = X.copy()
    broken.indices[7] = 300
    with pytest.raises(ValueError, match=r"row [0-9]+: column index 300 is out of range: the rows have 300 columns"):
        pca.partial_fit(broken)
    broken = X.copy()
    broken.indptr[-1] += 1000
    with pytest.raises(ValueError, match="indptr points beyond the data"):
        pca.partial_fit(broken)
