"""Covariance, precision, likelihoods and monitoring statistics, beside scikit-learn's PCA."""

import numpy as np
import pytest
from scipy import stats
from sklearn.decomposition import PCA

from roipca import OnlinePCA


@pytest.fixture
def X():
    return np.random.default_rng(0).standard_normal((300, 8)) * np.linspace(4, 1, 8) + 7


@pytest.mark.parametrize("m", [1, 3, 7, 8])
def test_model_is_that_of_scikit_learns_pca(X, m):
    pca, truth = OnlinePCA(m).fit(X), PCA(m, svd_solver="full").fit(X)
    np.testing.assert_allclose(pca.get_covariance(), truth.get_covariance(), atol=1e-10)
    np.testing.assert_allclose(pca.get_precision(), truth.get_precision(), atol=1e-10)
    np.testing.assert_allclose(pca.score_samples(X), truth.score_samples(X), rtol=1e-8)
    assert pca.score(X) == pytest.approx(truth.score(X))


def test_likelihood_is_that_of_a_normal_distribution(X):
    pca = OnlinePCA(3).fit(X)
    normal = stats.multivariate_normal(pca.mean_, pca.get_covariance())
    np.testing.assert_allclose(pca.score_samples(X), normal.logpdf(X), rtol=1e-9)


def test_whitening_does_not_change_the_covariance(X):
    assert np.array_equal(
        OnlinePCA(3, whiten=True).fit(X).get_covariance(), OnlinePCA(3).fit(X).get_covariance()
    )


def test_precision_is_finite_where_the_covariance_is_singular():
    for X in (np.outer(np.arange(9.0), np.arange(1, 5.0)), np.ones((5, 4))):
        for m in (1, 2, 4):
            pca = OnlinePCA(m).fit(X)
            assert np.isfinite(pca.get_precision()).all()
            assert np.isfinite(pca.score(X))
            assert np.isfinite(pca.score(X + 1))


def test_t2_and_spe_split_a_row_into_inside_and_outside(X):
    pca = OnlinePCA(3).fit(X)
    scores = pca.transform(X)
    np.testing.assert_allclose(pca.t2(X), (scores**2 / pca.explained_variance_).sum(axis=1), rtol=1e-10)
    residual = X - pca.inverse_transform(scores)
    np.testing.assert_allclose(pca.spe(X), (residual**2).sum(axis=1), rtol=1e-9)
