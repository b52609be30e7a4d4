"""Parameters as scikit-learn means them: subclasses that have their own, and changes after a fit."""

import pickle

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.base import clone

from roipca import OnlineKernelPCA, OnlinePCA, merge_all


class ScaledPCA(OnlinePCA):
    """Has a parameter of its own, and fixes those of OnlinePCA that it does not name."""

    def __init__(self, n_components=2, *, scale=1.0, update_every="row"):
        super().__init__(n_components, method="roipca", update_every=update_every, whiten=True)
        self.scale = scale

    def transform(self, X):
        return self.scale * super().transform(X)


def test_a_subclass_has_the_parameters_of_its_own_init():
    pca = ScaledPCA(3, scale=2.0, update_every="block")
    assert pca.get_params() == {"n_components": 3, "scale": 2.0, "update_every": "block"}
    assert clone(pca.set_params(update_every="row", scale=5.0)).get_params() == pca.get_params()
    assert repr(pca) == "ScaledPCA(n_components=3, scale=5.0)"


def test_a_subclass_learns_as_its_init_says_and_keeps_its_type(rows, tmp_path):
    expected = OnlinePCA(3, method="roipca", update_every="row", whiten=True).fit(rows)
    pca = ScaledPCA(3, scale=2.0).fit(rows)
    assert np.array_equal(pca.transform(rows), 2 * expected.transform(rows))
    assert np.array_equal(pca.fit_transform(rows), 2 * expected.transform(rows))
    streamed = ScaledPCA(3, scale=2.0).fit_stream(rows, progress=False)
    half = ScaledPCA(3, scale=2.0).fit(rows[:250])
    pca.save(tmp_path / "model")
    copies = [
        pickle.loads(pickle.dumps(pca)),
        half.merge(half),
        merge_all([half, half]),
        streamed,
        ScaledPCA.load(tmp_path / "model").set_params(scale=2.0),
    ]
    for other in copies:
        assert isinstance(other, ScaledPCA)
        assert other.get_params() == pca.get_params() and (other.method, other.whiten) == ("roipca", True)
        assert other.partial_fit(rows).n_samples_seen_ == 2 * len(rows)


CHANGED = [
    ("method", "exact"),
    ("mu", "zero"),
    ("tau", "optimal"),
    ("oversampling", 3),
    ("update_every", "row"),
    ("block_size", 8),
    ("center", False),
    ("forgetting", 0.9),
    ("learning_rate", 1.0),
    ("n_jobs", 2),
]


@pytest.mark.parametrize("name, value", CHANGED)
def test_a_parameter_of_learning_that_changes_after_a_fit_is_refused_until_fit(rows, tmp_path, name, value):
    pca, other = OnlinePCA(3).fit(rows), OnlinePCA(3).fit(rows)
    before = getattr(pca, name)
    pca.set_params(**{name: value})
    for use in (
        lambda: pca.partial_fit(rows),
        lambda: pca.partial_fit(csr_matrix(rows)),
        lambda: pca.update(rows[0]),
        lambda: pca.fit_stream(rows, resume=True, progress=False),
        lambda: pca.merge(other),
        lambda: other.merge(pca),
        lambda: merge_all([other, pca]),
        lambda: pca.save(tmp_path / "model"),
    ):
        with pytest.raises(ValueError, match=f"{name} was changed from {before!r} to {value!r} after the first rows"):
            use()
    assert pca.n_samples_seen_ == len(rows) and np.array_equal(pca.components_, other.components_)
    assert not (tmp_path / "model").exists()
    fresh = OnlinePCA(3, **{name: value}).fit(rows)
    assert np.array_equal(clone(pca).fit(rows).components_, fresh.components_)
    assert np.array_equal(pca.fit(rows).partial_fit(rows).components_, fresh.partial_fit(rows).components_)


def test_a_parameter_that_is_set_back_is_not_a_change(rows):
    pca = OnlinePCA(3).fit(rows).set_params(forgetting=0.9).set_params(forgetting=1)
    assert pca.partial_fit(rows).n_samples_seen_ == 2 * len(rows)


def test_whiten_takes_effect_at_the_next_reading(rows):
    pca = OnlinePCA(3).fit(rows).set_params(whiten=True)
    assert np.array_equal(pca.transform(rows), OnlinePCA(3, whiten=True).fit(rows).transform(rows))


@pytest.mark.parametrize(
    "made_with, n_components",
    [(5, 3), (5, 7), (5, 0.9), (0.99, 3), (0.99, 0.9), (0.99, None), (None, 3), (None, 0.9)],
)
def test_n_components_takes_effect_at_the_next_reading(rows, tmp_path, made_with, n_components):
    pca = OnlinePCA(made_with, method="exact").fit(rows).set_params(n_components=n_components)
    expected = OnlinePCA(n_components, method="exact").fit(rows)
    assert pca.n_components_ == expected.n_components_ and np.array_equal(pca.components_, expected.components_)
    assert np.array_equal(pca.transform(rows), expected.transform(rows))
    pca.save(tmp_path / "model")
    loaded = OnlinePCA.load(tmp_path / "model")
    assert loaded.n_components == n_components
    assert np.array_equal(loaded.components_, expected.components_)
    for again in (pca, loaded):
        assert again.partial_fit(rows).n_components_ == expected.n_components_


def test_n_components_up_to_those_held_can_be_asked_for(rows):
    pca = OnlinePCA(3, method="roipca", oversampling=4).fit(rows)
    assert pca.set_params(n_components=7).components_.shape == (7, 30)
    assert np.array_equal(pca.set_params(n_components=3).components_, pca.components_[:3])
    for n_components in (8, None):
        with pytest.raises(ValueError, match=f"set to {n_components} after the first rows, but 7 components are held"):
            _ = pca.set_params(n_components=n_components).components_


@pytest.mark.parametrize("n_components", [0, -1, 31, 1.5, 0.0])
def test_n_components_that_cannot_take_effect_is_refused(rows, n_components):
    pca = OnlinePCA(3).fit(rows).set_params(n_components=n_components)
    for read in (lambda: pca.components_, lambda: pca.transform(rows)):
        with pytest.raises(ValueError, match="n_components"):
            read()


def test_estimators_that_forget_are_not_merged(rows):
    pca = OnlinePCA(3, forgetting=0.99).fit(rows)
    for use in (lambda: pca.merge(pca), lambda: merge_all([pca, pca]), lambda: OnlinePCA(3).fit(rows).merge(pca)):
        with pytest.raises(ValueError, match="cannot merge models with forgetting"):
            use()


def test_estimators_with_another_number_of_components_since_the_fit_are_not_merged(rows):
    pca = OnlinePCA(3).fit(rows).set_params(n_components=2)
    for use in (lambda: pca.merge(pca), lambda: OnlinePCA(3).fit(rows).merge(pca)):
        with pytest.raises(ValueError, match="n_components was changed from 3 to 2"):
            use()


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    "method, update_every",
    [("roipca", "block"), ("exact", "block"), ("roipca", "row"), ("ipca", "row")]
    + [(method, "block") for method in ("froipca", "ccipca", "gha", "oja", "fd")],
)
def test_fit_starts_alike_from_sparse_and_dense_rows(method, update_every, weighted):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((900, 40)) * (rng.random((900, 40)) < 0.2) * np.linspace(3, 1, 40)
    weights = rng.integers(0, 3, 900).astype(float) if weighted else None
    pca = OnlinePCA(4, method=method, update_every=update_every)
    dense = clone(pca).fit(X, sample_weight=weights)
    sparse = clone(pca).fit(csr_matrix(X), sample_weight=weights)
    # Only blocks of roipca have products of their own for sparse rows, right to rounding.
    rounding = 1e-11 if (method, update_every) == ("roipca", "block") else 0.0
    np.testing.assert_allclose(sparse.components_, dense.components_, rtol=0, atol=rounding)
    np.testing.assert_allclose(sparse.explained_variance_, dense.explained_variance_, rtol=rounding)


@pytest.mark.parametrize(
    "name, value",
    [
        ("n_components", 0),
        ("kernel", "cosine"),
        ("gamma", -1),
        ("degree", "3"),
        ("coef0", np.inf),
        ("center", "yes"),
        ("budget", 0),
        ("tolerance", 1.0),
        ("oversampling", -1),
        ("method", "exact"),
        ("map_size", 2.5),
        ("random_state", "now"),
    ],
)
def test_bad_parameters_of_kernel_pca_are_named(rows, name, value):
    with pytest.raises(ValueError, match=f"The '{name}' parameter of OnlineKernelPCA must be .* Got {value!r} instead"):
        OnlineKernelPCA(**{name: value}).fit(rows)


@pytest.mark.parametrize("method", ["kernel", "features"])
def test_kernel_pca_refuses_parameters_that_change_after_a_fit(rows, method):
    kpca = OnlineKernelPCA(3, method=method, random_state=0).fit(rows[:50])
    with pytest.raises(ValueError, match=r"gamma was changed from None to 2\.0 after the first rows"):
        kpca.set_params(gamma=2.0).partial_fit(rows[50:60])
    assert kpca.n_samples_seen_ == 50 and kpca.transform(rows).shape == (500, 3)
    with pytest.raises(ValueError, match="n_components was changed from 3 to 2"):
        kpca.set_params(n_components=2).transform(rows)
    assert kpca.fit(rows[:50]).transform(rows).shape == (500, 2)
