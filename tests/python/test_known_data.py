"""On scikit-learn's data sets: nearer to batch PCA than IncrementalPCA."""

import numpy as np
import pytest
from oracle import batch_components, subspace_error
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.decomposition import PCA, IncrementalPCA

from roipca import OnlinePCA

DATA = {
    "digits": (load_digits, 7),
    "iris": (load_iris, 2),
    "wine": (load_wine, 3),
    "cancer": (load_breast_cancer, 5),
}


@pytest.fixture(params=DATA)
def data(request):
    load, m = DATA[request.param]
    return load().data, m


@pytest.mark.parametrize("method", ["auto", "roipca"])
def test_components_are_nearer_to_batch_pca_than_incremental_pcas(data, method):
    X, m = data
    truth = batch_components(X, m)
    ours = subspace_error(truth, OnlinePCA(m, method=method).fit(X).components_)
    theirs = subspace_error(truth, IncrementalPCA(m).fit(X).components_)
    assert ours < theirs


@pytest.mark.parametrize("method", ["auto", "roipca"])
def test_variances_are_nearer_to_batch_pca_than_incremental_pcas(data, method):
    X, m = data
    truth = PCA(m, svd_solver="full").fit(X)

    def error(pca):
        return np.abs(pca.explained_variance_ / truth.explained_variance_ - 1).max()

    assert error(OnlinePCA(m, method=method).fit(X)) < error(IncrementalPCA(m).fit(X))


def test_auto_is_exact_on_small_data(data):
    X, m = data
    pca, truth = OnlinePCA(m).fit(X), PCA(m, svd_solver="full").fit(X)
    # The scatter squares the singular values, whose ratio here is at most 1e4: eight digits of them are left.
    rtol = 1e-8
    np.testing.assert_allclose(pca.explained_variance_, truth.explained_variance_, rtol=rtol)
    np.testing.assert_allclose(pca.explained_variance_ratio_, truth.explained_variance_ratio_, rtol=rtol)
    np.testing.assert_allclose(pca.singular_values_, truth.singular_values_, rtol=rtol)
    np.testing.assert_allclose(pca.noise_variance_, truth.noise_variance_, rtol=1e-6)
    np.testing.assert_allclose(pca.mean_, truth.mean_, rtol=1e-12)
    np.testing.assert_allclose(pca.var_, X.var(axis=0, ddof=1), rtol=1e-10, atol=1e-20)
    np.testing.assert_allclose(
        np.abs(pca.transform(X)), np.abs(truth.transform(X)), atol=1e-6 * np.abs(X).max()
    )


def test_incremental_pcas_documented_example():
    X, _ = load_digits(return_X_y=True)
    transformer = OnlinePCA(n_components=7)
    transformer.partial_fit(X[:100, :])
    X_transformed = transformer.fit_transform(sparse.csr_matrix(X))
    assert X_transformed.shape == (1797, 7)
    assert subspace_error(batch_components(X, 7), transformer.components_) < 1e-20


def test_a_last_batch_smaller_than_the_components_is_no_problem():
    X = load_digits().data
    pca = OnlinePCA(20)
    for part in (X[:1000], X[1000:1001], X[1001:1004], X[1004:]):
        pca.partial_fit(part)
    assert np.array_equal(pca.components_, OnlinePCA(20).partial_fit(X).components_)
