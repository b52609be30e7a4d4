"""standardize=True: PCA of the correlation matrix."""

import pickle
import warnings

import numpy as np
import pandas
import pytest
from scipy.sparse import csr_matrix

from roipca import OnlinePCA


def rows_in_units(count=3000, features=30, seed=0):
    random = np.random.default_rng(seed)
    rows = random.standard_normal((count, 6)) @ random.standard_normal((6, features))
    rows += 0.3 * random.standard_normal((count, features)) + 2
    return rows * 10.0 ** random.uniform(-8, 8, features)


def subspace_error(components, truth):
    return np.linalg.norm(truth - truth @ components.T @ components) ** 2 / len(truth)


def correlation_pca(rows, count):
    values, vectors = np.linalg.eigh(np.corrcoef(rows.T))
    return values[::-1][:count], vectors.T[::-1][:count]


def test_exact_equals_the_eigenpairs_of_the_correlation_matrix():
    rows = rows_in_units()
    values, vectors = correlation_pca(rows, 4)
    pca = OnlinePCA(4, method="exact", standardize=True).fit(rows)
    np.testing.assert_allclose(pca.explained_variance_, values, rtol=1e-11)
    assert subspace_error(pca.components_, vectors) < 1e-20
    np.testing.assert_allclose(pca.scale_, rows.std(axis=0, ddof=1), rtol=1e-12)
    np.testing.assert_allclose(pca.scale_ratio_, 1, rtol=1e-12)
    np.testing.assert_allclose(pca.var_, rows.var(axis=0, ddof=1), rtol=1e-11)


def test_blocks_are_right_to_the_error_of_the_scales():
    rows = rows_in_units()
    pca = OnlinePCA(4, method="roipca", standardize=True, first_rows=500).fit(rows)
    np.testing.assert_allclose(pca.scale_, rows[:500].std(axis=0, ddof=1), rtol=1e-12)
    np.testing.assert_allclose(pca.scale_ratio_, rows.std(axis=0, ddof=1) / pca.scale_, rtol=1e-10)
    # Deviations of 500 rows are off by 1 / sqrt(2 * 500) = 3 %, and components by about as much.
    assert subspace_error(pca.components_, correlation_pca(rows, 4)[1]) < 0.03**2 * 4


def test_results_are_those_of_rows_that_were_divided_before():
    rows = rows_in_units()
    pca = OnlinePCA(4, method="roipca", standardize=True, first_rows=500).fit(rows)
    divided = (rows - pca.mean_) / pca.scale_
    plain = OnlinePCA(4, method="roipca").fit(divided)
    for name in ("transform", "t2", "spe"):
        np.testing.assert_allclose(getattr(pca, name)(rows), getattr(plain, name)(divided), rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(
        pca.score_samples(rows), plain.score_samples(divided) - np.log(pca.scale_).sum(), rtol=1e-8
    )
    np.testing.assert_allclose(
        (pca.inverse_transform(pca.transform(rows)) - pca.mean_) / pca.scale_,
        plain.inverse_transform(plain.transform(divided)),
        atol=1e-8,
    )
    covariance = pca.get_covariance()
    divided_covariance = covariance / np.outer(pca.scale_, pca.scale_)
    np.testing.assert_allclose(divided_covariance, plain.get_covariance(), rtol=1e-6, atol=1e-9)
    product = pca.get_precision() @ covariance * pca.scale_[:, None] / pca.scale_
    np.testing.assert_allclose(product, np.eye(30), atol=1e-9)


@pytest.mark.parametrize("method", ["exact", "roipca"])
def test_parts_that_were_fitted_separately_merge(method):
    rows = rows_in_units()
    parts = [OnlinePCA(4, method=method, standardize=True, first_rows=300).fit(part) for part in np.split(rows, 2)]
    merged = parts[0].merge(parts[1])
    np.testing.assert_allclose(merged.scale_ratio_, 1, rtol=1e-12)
    assert subspace_error(merged.components_, correlation_pca(rows, 4)[1]) < (1e-20 if method == "exact" else 1e-4)
    assert merged.partial_fit(rows[:5]).n_samples_seen_ == len(rows) + 5


def test_sparse_rows_are_those_of_the_dense_ones():
    rows = rows_in_units(count=400) * (np.random.default_rng(1).random((400, 30)) < 0.2)
    dense = OnlinePCA(3, method="roipca", standardize=True, first_rows=50).fit(rows)
    sparse = OnlinePCA(3, method="roipca", standardize=True, first_rows=50).fit(csr_matrix(rows))
    np.testing.assert_array_equal(sparse.components_, dense.components_)
    np.testing.assert_array_equal(sparse.transform(csr_matrix(rows)), dense.transform(rows))
    np.testing.assert_array_equal(sparse.spe(csr_matrix(rows)), dense.spe(rows))


def test_files_and_pickles_keep_the_scales(tmp_path):
    rows = rows_in_units(count=400)
    pca = OnlinePCA(3, method="roipca", standardize=True, first_rows=100).fit(rows)
    pca.save(tmp_path / "model.safetensors")
    loaded = OnlinePCA.load(tmp_path / "model.safetensors")
    assert loaded.standardize and loaded.first_rows == 100
    np.testing.assert_array_equal(loaded.transform(rows), pca.transform(rows))
    held = pickle.loads(pickle.dumps(OnlinePCA(3, standardize=True).partial_fit(rows[:50])))
    whole = OnlinePCA(3, standardize=True).partial_fit(rows)
    np.testing.assert_array_equal(held.partial_fit(rows[50:]).components_, whole.components_)


@pytest.mark.parametrize("method", ["gha", "oja"])
def test_a_tuned_rate_goes_with_scales(method):
    rows = rows_in_units(count=600)
    pca = OnlinePCA(2, method=method, learning_rate="auto", standardize=True)
    pca.partial_fit(rows[:150]).partial_fit(rows[150:])
    assert np.isfinite(pca.explained_variance_).all()


def test_without_it_the_scales_are_ones():
    pca = OnlinePCA(2).fit(rows_in_units(count=50))
    assert (pca.scale_ == 1).all() and (pca.scale_ratio_ == 1).all()


def with_late_feature(count=4000):
    """Correlated rows of eight features, one of which begins to vary, in a small unit, after the first rows."""
    rng = np.random.default_rng(2)
    rows = rng.standard_normal((count, 2)) @ rng.standard_normal((2, 8)) + 0.3 * rng.standard_normal((count, 8))
    rows[:, 4] *= 1e5
    rows[:1500, 4] = 0
    return rows


def test_a_scale_that_the_first_rows_do_not_show_is_warned_of_once():
    pca = OnlinePCA(2, method="roipca", standardize=True).fit(with_late_feature())
    with pytest.warns(UserWarning, match="feature 4 is .* times the number from the first rows.*first_rows") as warned:
        assert pca.components_.shape == (2, 8)
    assert [str(w.filename) for w in warned] == [__file__]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert pca.partial_fit(with_late_feature()[2000:2100]).components_.shape == (2, 8)
        enough = OnlinePCA(2, method="roipca", standardize=True, first_rows=3000).fit(with_late_feature())
        assert enough.components_.shape == (2, 8)


def test_limits_after_a_pass_are_those_of_the_new_scales():
    rows = with_late_feature()
    rows[:1500, 4] = 1e5 * np.random.default_rng(3).standard_normal(1500) * 1e-6
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pca = OnlinePCA(2, method="roipca", standardize=True).fit(rows, passes=2)
    scores = pca.spe(rows[1500:])
    assert 0.2 < pca.spe_limit(0.99) / np.quantile(scores, 0.99) < 3


def test_a_frame_is_read_twice_without_warnings():
    frame = pandas.DataFrame(rows_in_units(count=300)).add_prefix("x")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        OnlinePCA(2, method="roipca").fit(frame, passes=2)
        OnlinePCA(2, missing="impute").fit(frame, passes=2)


@pytest.mark.parametrize("how", ["refine", "fit", "fit_stream"])
def test_two_passes_are_pca_of_the_correlation_matrix(tmp_path, how):
    rng = np.random.default_rng(5)
    factors = rng.standard_normal((4000, 8)) * np.geomspace(6, 1, 8)
    X = factors @ rng.standard_normal((8, 60)) + rng.standard_normal((4000, 60))
    X *= np.geomspace(1e-6, 1e6, 60)
    X[:1000] *= np.where(np.arange(60) % 2, 1.0, 0.4)
    Z = (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)
    values, vectors = np.linalg.eigh(np.cov(Z.T))
    pca = OnlinePCA(4, method="roipca", standardize=True)
    np.save(tmp_path / "a.npy", X)
    if how == "refine":
        pca.fit(X)
        assert 1 - np.linalg.norm(pca.components_ @ vectors[:, -4:]) ** 2 / 4 > 1e-4
        pca.refine(X)
    elif how == "fit":
        pca.fit(X, passes=2)
    else:
        pca.fit_stream(tmp_path / "a.npy", passes=2)
    np.testing.assert_allclose(pca.scale_ratio_, 1, rtol=1e-9)
    np.testing.assert_allclose(pca.scale_, X.std(axis=0, ddof=1), rtol=1e-9)
    assert 1 - np.linalg.norm(pca.components_ @ vectors[:, -4:]) ** 2 / 4 < 1e-7
    np.testing.assert_allclose(pca.explained_variance_, values[:-5:-1], rtol=1e-6)
    assert pca.error_estimate_ < 1e-5
