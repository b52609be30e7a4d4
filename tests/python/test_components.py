"""How many components are reported."""

import copy
import pickle
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
    d = 2000  # beyond what is exact
    X = spectrum(np.where(np.arange(d) < 5, 100.0, 1e-3), 400)
    pca = OnlinePCA(0.95).fit(X)
    assert pca.n_components_ == 5
    assert subspace_error(batch_components(X, 5), pca.components_) < 1e-10


def test_a_fraction_that_is_not_reached_gives_all_components_and_a_warning():
    X = spectrum(np.ones(2000), 400)
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


@pytest.mark.parametrize(
    "learn",
    [
        lambda pca, X: pca.fit(X),
        lambda pca, X: pca.fit_transform(X),
        lambda pca, X: pca.fit_stream(X, progress=False),
        lambda pca, X: pca.fit_stream(X[2:], progress=False, resume=True),
        lambda pca, X: pca.fit(np.tile(X, (2, 1)), sample_weight=[1.0] * 5 + [0.0] * 5),
    ],
)
def test_a_fit_with_more_components_than_rows_warns(learn):
    X = spectrum(np.ones(20), 5)
    message = "^5 rows have at most 4 components with variance, but n_components is 10$"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pca = OnlinePCA(10).fit(X[:2])
    with pytest.warns(UserWarning, match=message) as caught:
        learn(pca, X)
    assert [warning.filename for warning in caught] == [__file__]
    assert np.count_nonzero(pca.explained_variance_ > 1e-9) == 4


def test_the_warning_counts_what_can_have_variance():
    X = spectrum(np.ones(20), 5)
    with pytest.warns(UserWarning, match="^5 rows have at most 5 components with variance, but n_components is 6$"):
        OnlinePCA(6, center=False).fit(X)
    with pytest.warns(UserWarning, match="^1 row has at most 0 components with variance, but n_components is 2$"):
        OnlinePCA(2).fit(X[:1])


def test_enough_rows_and_parts_of_a_stream_do_not_warn():
    X = spectrum(np.ones(20), 5)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        OnlinePCA(4).fit(X)
        OnlinePCA(5, center=False).fit(X)
        OnlinePCA().fit(X)
        OnlinePCA("auto").fit(X)
        OnlinePCA(10).partial_fit(X).update(X[0])


@pytest.mark.parametrize(
    "options, features, method, held",
    [
        ({}, 40, "exact", 40),
        ({}, 2000, "roipca", 13),
        ({"oversampling": 4}, 2000, "roipca", 7),
        ({"missing": "impute"}, 40, "roipca", 13),
        ({"method": "froipca"}, 40, "froipca", 3),
        ({"n_components": 0.9}, 2000, "roipca", 200),
        ({"n_components": "auto"}, 60, "exact", 60),
        ({"n_components": None}, 40, "exact", 40),
    ],
    ids=str,
)
def test_what_auto_chose_is_known_from_the_first_rows_on(options, features, method, held, tmp_path):
    X = spectrum(np.ones(features), 250)
    pca = OnlinePCA(**{"n_components": 3, **options})
    assert not hasattr(pca, "method_") and not hasattr(pca, "n_components_held_")
    pca.partial_fit(X[:1])
    assert (pca.method_, pca.n_components_held_) == (method, held)
    pca.partial_fit(X[1:])
    pca.save(tmp_path / "model")
    for other in (pca, pickle.loads(pickle.dumps(pca)), OnlinePCA.load(tmp_path / "model"), copy.deepcopy(pca)):
        assert (other.method_, other.n_components_held_) == (method, held)


@pytest.mark.parametrize("method", ["exact", "roipca"])
def test_as_many_components_can_be_reported_as_are_held(method):
    X = spectrum(np.ones(60), 400)
    half, whole = OnlinePCA(3, method=method).fit(X[:200]), OnlinePCA(3, method=method).fit(X)
    for pca in (whole, half.merge(half), OnlinePCA(3, method=method).fit(X, passes=2)):
        pca.set_params(n_components=pca.n_components_held_)
        assert pca.components_.shape == (pca.n_components_held_, 60)
        with pytest.raises(ValueError, match=f"but {pca.n_components_held_} components are held"):
            pca.set_params(n_components=pca.n_components_held_ + 1).components_  # noqa: B018


def test_what_auto_chose_is_told_without_reading_a_model():
    pca = OnlinePCA(3).partial_fit(spectrum(np.ones(40), 100))
    merged = pca.merge(pca)

    class Unread:
        features = 40

    for estimator in (pca, merged):
        estimator._fitted.core = Unread()
        assert (estimator.method_, estimator.n_components_held_) == ("exact", 40)
