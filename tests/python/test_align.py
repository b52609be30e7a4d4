"""Axes that stay where they were in the reading before."""

import copy
import pickle

import numpy as np
import pytest
from drifting_axes import READINGS, changes, drifting, readings
from scipy.linalg import orthogonal_procrustes

from roipca import OnlinePCA


@pytest.fixture(scope="module")
def stream():
    return drifting()


def test_the_default_flips_and_swaps(stream):
    flips, swaps = changes(readings(stream, None))
    assert flips > 5 and swaps > 5


def test_previous_never_flips(stream):
    shown = readings(stream, "previous")
    assert len(shown) > 0.99 * READINGS
    assert changes(shown)[0] == 0


def test_previous_order_never_flips_and_never_swaps(stream):
    shown = readings(stream, "previous-order")
    assert len(shown) > 0.99 * READINGS
    assert changes(shown) == (0, 0)


def test_the_stream_is_learned_as_without(stream):
    X = stream[:3000]
    plain, steady = OnlinePCA(2, forgetting=0.99), OnlinePCA(2, forgetting=0.99, align="previous-order")
    for part in np.array_split(X, 300):
        plain.partial_fit(part)
        order = np.argsort(-steady.partial_fit(part).explained_variance_, kind="stable")
        np.testing.assert_array_equal(np.abs(steady.components_[order]), np.abs(plain.components_))
        np.testing.assert_array_equal(steady.explained_variance_[order], plain.explained_variance_)
    assert len(np.unique(order)) == 2
    back = [pca.inverse_transform(pca.transform(X)) for pca in (steady, plain)]
    np.testing.assert_allclose(*back, atol=1e-12)
    np.testing.assert_array_equal(steady.t2(X), plain.t2(X))


def test_variances_and_scores_have_the_order_of_the_components(stream):
    pca = OnlinePCA(2, forgetting=0.99, align="previous-order", whiten=True)
    swapped = 0
    for part in np.array_split(stream, 400):
        pca.partial_fit(part)
        variance = pca.explained_variance_
        swapped += variance[1] > variance[0]
        scores = (part - pca.mean_) @ pca.components_.T / np.sqrt(variance)
        np.testing.assert_allclose(pca.transform(part), scores, atol=1e-9)
    assert swapped > 20


def test_copies_pickles_and_files_continue_from_the_same_axes(stream, tmp_path):
    pca = OnlinePCA(2, forgetting=0.99, align="previous-order")
    for part in np.array_split(stream[:6000], 600):
        last = pca.partial_fit(part).components_
    pca.save(tmp_path / "m.safetensors")
    loaded = OnlinePCA.load(tmp_path / "m.safetensors")
    np.testing.assert_array_equal(loaded.components_, last)
    others = [pickle.loads(pickle.dumps(pca)), copy.deepcopy(pca), loaded]
    pca.partial_fit(stream[6000:6010])
    for other in others:
        other.partial_fit(stream[6000:6010])
        np.testing.assert_allclose(other.components_, pca.components_, atol=1e-9)


def test_the_rotation_is_that_of_scipy():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((400, 20)) * np.linspace(3, 1, 20)
    one, other = OnlinePCA(4).fit(X[:200]), OnlinePCA(4).fit(X[200:])
    expected, _ = orthogonal_procrustes(one.components_.T, other.components_.T)
    np.testing.assert_allclose(one.rotation_to(other), expected, atol=1e-10)
    np.testing.assert_allclose(one.rotation_to(one), np.eye(4), atol=1e-10)
    with pytest.raises(ValueError, match="cannot rotate between models with 4 and 3 components"):
        one.rotation_to(OnlinePCA(3).fit(X))
    with pytest.raises(ValueError, match="float32"):
        one.rotation_to(OnlinePCA(4).fit(X.astype(np.float32)))


def test_a_number_of_components_that_changes_keeps_the_axes():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((2000, 10)) * [5, 4.9, 4.8, 1, 1, 1, 1, 1, 1, 1]
    pca = OnlinePCA("auto", align="previous-order")
    for part in np.array_split(X, 200):
        before = pca.components_ if hasattr(pca, "n_features_in_") else None
        pca.partial_fit(part)
        if before is not None and len(before) == len(pca.components_):
            assert (np.sum(before * pca.components_, axis=1) > -1e-12).all()
