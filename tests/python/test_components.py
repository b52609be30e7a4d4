"""How many components are reported."""

import warnings

import numpy as np
import pytest
from oracle import batch_components, subspace_error
from sklearn.decomposition import PCA

from roipca import OnlinePCA


def spectrum(variances, rows, seed=0):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((rows, len(variances))) * np.sqrt(variances)


@pytest.mark.parametrize("fraction", [0.3, 0.8, 0.95, 0.999])
def test_a_fraction_reports_what_batch_pca_reports(fraction):
    X = spectrum(0.8 ** np.arange(40), 600)
    pca, truth = OnlinePCA(fraction).fit(X), PCA(fraction, svd_solver="full").fit(X)
    assert pca.n_components_ == truth.n_components_
    assert pca.components_.shape == (truth.n_components_, 40)
    assert pca.transform(X).shape == (600, truth.n_components_)
    assert pca.get_feature_names_out().shape == (truth.n_components_,)
    np.testing.assert_allclose(pca.noise_variance_, truth.noise_variance_, rtol=1e-9)


def test_a_fraction_of_wide_rows_is_found_among_the_components_held():
    d = 1200  # beyond what is exact
    X = spectrum(np.where(np.arange(d) < 5, 100.0, 1e-3), 400)
    pca = OnlinePCA(0.95).fit(X)
    assert pca.n_components_ == 5
    assert subspace_error(batch_components(X, 5), pca.components_) < 1e-10


def test_a_fraction_that_is_not_reached_gives_all_components_and_a_warning():
    X = spectrum(np.ones(1200), 400)
    pca = OnlinePCA(0.95).fit(X)
    with pytest.warns(UserWarning, match="explain .* less than n_components=0.95"):
        n_components = pca.n_components_
    assert n_components == 200  # 100 and their oversampling


def test_the_number_follows_the_stream():
    pca = OnlinePCA(0.9).fit(spectrum([100, 1, 1, 1], 500))
    assert pca.n_components_ == 1
    pca.partial_fit(spectrum([1, 100, 100, 1], 5000))
    assert pca.n_components_ == 2


def test_a_fraction_of_no_variance_is_one_component():
    assert OnlinePCA(0.9).fit(np.ones((5, 4))).n_components_ == 1


@pytest.mark.parametrize("shape", [(5, 8), (8, 5), (5, 5)])
def test_none_is_the_lesser_of_rows_and_features(shape):
    X = np.random.default_rng(0).standard_normal(shape)
    assert OnlinePCA().fit(X).n_components_ == min(shape)
    assert OnlinePCA().fit_stream(iter([X[:2], X[2:]]), progress=False).n_components_ == min(shape)
    pca = OnlinePCA()
    for i, x in enumerate(X):
        assert pca.partial_fit(x[None]).n_components_ == min(i + 1, shape[1])


def test_all_components_of_a_stream_are_those_of_batch_pca():
    X = spectrum(0.5 ** np.arange(6), 100)
    pca = OnlinePCA()
    for x in X:
        pca.update(x)
    np.testing.assert_allclose(pca.explained_variance_, PCA().fit(X).explained_variance_, rtol=1e-10)


def test_reading_does_not_warn_or_disturb(rows):
    pca, undisturbed = OnlinePCA(0.9), OnlinePCA(0.9)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for x in rows:
            pca.partial_fit(x[None])
            _ = pca.components_
    assert np.array_equal(pca.components_, undisturbed.partial_fit(rows).components_)
