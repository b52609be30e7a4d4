"""How many components the rows support."""

import pickle
import warnings

import numpy as np
import pytest
from oracle import subspace_error
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, load_wine
from sklearn.decomposition import PCA

from roipca import OnlinePCA


def spiked(rows, features, spikes, seed=0, noise=1.0):
    """Noise of variance `noise`, and in random directions as much more as `spikes` times it."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((rows, features))
    Q = np.linalg.qr(rng.standard_normal((features, max(1, len(spikes)))))[0]
    for spike, q in zip(spikes, Q.T, strict=False):
        X += np.sqrt(spike) * np.outer(rng.standard_normal(rows), q)
    return np.sqrt(noise) * X


def counts(X, **parameters):
    return OnlinePCA(**{"n_components": 5, **parameters}).fit(X).suggest_components()


@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer, load_diabetes])
@pytest.mark.parametrize("rows", [None, 40])
def test_minka_is_the_mle_of_scikit_learn_on_known_data(load, rows):
    X = load().data
    X = (X / X.std(axis=0))[:rows]
    assert counts(X, n_components=3).minka == PCA("mle").fit(X).n_components_


@pytest.mark.parametrize("seed", range(5))
def test_minka_is_the_mle_of_scikit_learn_on_spikes(seed):
    X = spiked(150, 30, [9, 4, 2, 1, 0.5, 0.3], seed)
    assert counts(X).minka == PCA("mle").fit(X).n_components_


@pytest.mark.parametrize("rows, features", [(1000, 60), (400, 300), (150, 400)])
@pytest.mark.parametrize("method", ["exact", "roipca"])
def test_spikes_well_above_the_noise_are_counted(rows, features, method):
    spikes = np.array([40, 20, 10, 8]) * max(1, features / rows)
    for seed in range(3):
        suggested = counts(spiked(rows, features, spikes, seed, noise=1e-6), n_components=10, method=method)
        assert suggested.gavish_donoho == suggested.consensus == 4
        assert suggested.minka == (4 if rows >= features else None)
        np.testing.assert_allclose(suggested.noise_variance, 1e-6, rtol=4 / np.sqrt(rows * features))


def test_pure_noise_is_seldom_taken_for_a_component():
    found = [counts(spiked(80, 40, [], seed)) for seed in range(300)]
    # 1 % of 300 samples: more than 10 of them are less likely than 1 in 1,000.
    assert sum(c.tracy_widom > 0 for c in found) <= 10
    assert all(c.marchenko_pastur >= c.tracy_widom for c in found)
    assert sum(c.consensus > 0 for c in found) <= 10


@pytest.mark.parametrize("rows, features", [(200, 30), (40, 60)])
def test_tracy_widom_is_parallel_analysis_without_simulation(rows, features):
    simulated = [np.linalg.eigvalsh(np.cov(spiked(rows, features, [], seed).T))[-1] for seed in range(600)]
    low, high = np.quantile(simulated, [0.97, 0.998])  # around the quantile of 99 %
    # Samples of noise whose largest variance is set.
    above, below = [], []
    for seed in range(5):
        X = spiked(rows, features, [], seed)
        X -= X.mean(axis=0)
        U, S, V = np.linalg.svd(X, full_matrices=False)
        noise = (X**2).sum() / rows / features
        for variance, found in ((low * 0.97, below), (high * 1.06, above)):
            leading = np.concatenate([[np.sqrt(variance * noise * rows)], S[1:]])
            found.append(counts((U * leading) @ V).tracy_widom)
    assert set(above) == {1}
    assert set(below) == {0}


@pytest.mark.parametrize("rows, features", [(300, 300), (600, 150), (100, 500)])
def test_gavish_and_donoho_with_the_median_say_the_same(rows, features):
    # Their rule for unknown noise, as published: omega(beta) times the median singular value. The median of
    # Marchenko and Pastur's law is taken from a simulation.
    X = spiked(rows, features, np.geomspace(60, 0.2, 12), seed=3)
    X -= X.mean(axis=0)
    beta = min(rows, features) / max(rows, features)
    limit = np.sqrt(2 * (beta + 1) + 8 * beta / (beta + 1 + np.sqrt(beta**2 + 14 * beta + 1)))
    noise = np.linalg.svd(spiked(rows, features, [], 9), compute_uv=False)
    S = np.linalg.svd(X, compute_uv=False)
    omega = limit * np.sqrt(max(rows, features)) / np.median(noise)
    suggested = counts(X, n_components=20).gavish_donoho
    assert suggested == np.count_nonzero(omega * np.median(S) < S)


def test_the_broken_stick_is_that_of_the_variances():
    X = np.random.default_rng(0).standard_normal((500, 12)) * 0.7 ** np.arange(12)
    ratio = PCA().fit(X).explained_variance_ratio_
    stick = np.cumsum(1 / np.arange(12, 0, -1))[::-1] / 12
    assert counts(X).broken_stick == np.argmin(ratio > stick)


def test_auto_reports_the_consensus():
    X = spiked(500, 40, [30, 20, 10])
    pca = OnlinePCA("auto").fit(X)
    assert pca.n_components_ == pca.suggest_components().consensus == 3
    assert pca.transform(X).shape == (500, 3)
    assert pca.get_feature_names_out().shape == (3,)
    assert subspace_error(OnlinePCA(3).fit(X).components_, pca.components_) < 1e-20


def test_auto_reports_one_component_of_pure_noise_and_of_one_row():
    with pytest.warns(UserWarning, match="No component stands out from the noise"):
        assert OnlinePCA("auto").fit(spiked(500, 40, [], 2)).n_components_ == 1
    alone = OnlinePCA("auto").partial_fit(np.ones((1, 40)))
    assert alone.n_components_ == 1
    assert alone.suggest_components().cautions == ["The rows have no variance."]


def test_the_width_of_auto_follows_the_stream_but_not_its_cuts():
    X = np.concatenate([spiked(500, 30, [20]), spiked(500, 30, [20, 15, 15], seed=1)])
    pca = OnlinePCA("auto").partial_fit(X[:500])
    assert pca.transform(X).shape[1] == 1
    for part in np.array_split(X[500:], 7):
        pca.partial_fit(part)
    assert pca.transform(X).shape[1] == 4  # one direction of the first half, three of the second
    np.testing.assert_array_equal(pca.components_, OnlinePCA("auto").partial_fit(X).components_)


def test_auto_survives_pickle_file_and_merge(tmp_path):
    X = spiked(600, 40, [30, 20])
    pca = OnlinePCA("auto").fit(X)
    pca.save(tmp_path / "a.safetensors")
    merged = OnlinePCA("auto").fit(X[:200]).merge(OnlinePCA("auto").fit(X[200:]))
    for other in (pickle.loads(pickle.dumps(pca)), OnlinePCA.load(tmp_path / "a.safetensors"), merged):
        assert other.n_components == "auto"
        assert other.suggest_components().consensus == other.n_components_ == 2


def test_auto_can_be_set_after_a_fit():
    pca = OnlinePCA(7).fit(spiked(600, 40, [30, 20])).set_params(n_components="auto")
    assert pca.n_components_ == 2


def test_forgetting_counts_the_rows_that_are_left():
    pca = OnlinePCA(5, forgetting=0.99).fit(spiked(5000, 20, [30]))
    suggested = pca.suggest_components()
    # (sum w)^2 / sum w^2 = (1 + 0.99) / (1 - 0.99)
    assert suggested.cautions == ["The weights of the rows differ, and count as 199 rows of equal weight."]
    assert suggested.consensus == 1


def test_equal_weights_count_as_rows():
    X = spiked(300, 20, [30])
    weighted = OnlinePCA(5).fit(X, sample_weight=np.full(300, 1e-3)).suggest_components()
    plain = counts(X)
    assert weighted.cautions == plain.cautions == []
    assert weighted.consensus == plain.consensus == 1
    np.testing.assert_allclose(weighted.noise_variance, plain.noise_variance)


def test_cautions_say_what_is_wrong():
    rng = np.random.default_rng(0)
    assert counts(spiked(10, 4, [30]), n_components=2).cautions[0] == "There are only 10 rows."
    exact_rank = rng.standard_normal((100, 3)) @ rng.standard_normal((3, 20))
    assert "No noise is left" in counts(exact_rank).cautions[0]
    many = spiked(2000, 300, np.full(60, 30.0))
    assert "hold more" in counts(many, n_components=20, method="roipca", oversampling=10).cautions[0]
    units = spiked(500, 30, [5]) * np.where(np.arange(30) < 15, 1.0, 10.0)
    assert "differs between features" in counts(units).cautions[-1]
    slow = rng.standard_normal((300, 100)) / np.sqrt(1 + np.arange(100))
    assert any("disagree" in caution for caution in counts(slow).cautions)


@pytest.mark.parametrize("parameters", [{"method": "exact"}, {"method": "roipca"}, {"missing": "impute"}])
@pytest.mark.parametrize("sensors", [9, 10, 20, 40])
def test_auto_warns_of_sensors_in_different_units(sensors, parameters):
    for seed in range(10):
        rng = np.random.default_rng(seed)
        units = 10.0 ** rng.uniform(-2, 4, sensors)
        causes = rng.standard_normal((2000, 3)) @ rng.standard_normal((3, sensors))
        rows = units * (5 + causes + 0.2 * rng.standard_normal((2000, sensors)))
        with pytest.warns(UserWarning, match='n_components="auto": '):
            assert OnlinePCA("auto", **parameters).fit(rows).n_components_ > 3


@pytest.mark.parametrize("scale", [1e-140, 1e140])
def test_counts_do_not_depend_on_the_unit(scale):
    X = spiked(300, 30, [30, 20])
    one, other = counts(X), counts(X * scale)
    assert (one.gavish_donoho, one.tracy_widom, one.minka, one.consensus) == (
        other.gavish_donoho,
        other.tracy_widom,
        other.minka,
        other.consensus,
    )


def test_doubts_about_auto_are_warned_of_once():
    rows = spiked(600, 40, [30, 20]) * np.repeat([1.0, 3.0], 20)
    pca = OnlinePCA("auto").partial_fit(rows[:500])
    with pytest.warns(UserWarning, match='n_components="auto": The noise differs between features') as caught:
        assert pca.n_components_ > 2
    assert caught[0].filename == __file__
    pca.partial_fit(rows[500:])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pca.transform(rows)
        OnlinePCA("auto").fit(spiked(600, 40, [30, 20])).transform(rows)
