"""The latest rows only."""

import pickle

import numpy as np
import pytest
from oracle import batch_components, subspace_error

from roipca import OnlinePCA, merge_all


def changing(rows, features, seed=0):
    """Factors whose directions change twice, and noise."""
    rng = np.random.default_rng(seed)
    parts = []
    for size in np.diff(np.linspace(0, rows, 4).astype(int)):
        factors = rng.standard_normal((size, 5)) * [9, 7, 5, 4, 3]
        parts.append(factors @ np.linalg.qr(rng.standard_normal((features, 5)))[0].T + rng.standard_normal(features))
    return np.concatenate(parts) + 0.3 * rng.standard_normal((rows, features))


@pytest.mark.parametrize("window", [100, 1000])
def test_the_window_follows_a_subspace_that_changes_twice(window):
    X = changing(4500, 100)
    pca = OnlinePCA(5, window=window)
    for end in range(750, 4501, 750):
        pca.partial_fit(X[end - 750 : end])
        covered = pca.rows_covered_
        assert covered.stop == end == pca.n_samples_seen_
        assert min(window, end) <= len(covered) < window + 188  # a pane, with 15 components held
        rows = X[covered.start : covered.stop]
        truth = batch_components(rows, 5)
        blocks = subspace_error(truth, OnlinePCA(5, method="roipca").fit(rows).components_)
        assert subspace_error(truth, pca.components_) < max(30 * blocks, 1e-10)  # each pane drops as much as a stream
        np.testing.assert_allclose(pca.mean_, rows.mean(axis=0), rtol=1e-9, atol=1e-11)
        np.testing.assert_allclose(pca.var_, rows.var(axis=0, ddof=1), rtol=1e-9)


def test_a_window_larger_than_the_stream_covers_all():
    X = changing(300, 20)
    pca = OnlinePCA(3, window=10**12).partial_fit(X[:100]).partial_fit(X[100:])
    assert pca.rows_covered_ == range(300)
    np.testing.assert_array_equal(pca.components_, OnlinePCA(3, method="roipca").fit(X).components_)


def test_a_window_of_one_row():
    X = changing(50, 6)
    pca = OnlinePCA(2, window=1)
    for x in X:
        pca.update(x)
        np.testing.assert_array_equal(pca.mean_, x)
        np.testing.assert_array_equal(pca.explained_variance_, [0, 0])
    assert pca.rows_covered_ == range(49, 50)


def test_pickle_and_file_keep_the_window(tmp_path):
    X = changing(3000, 30)
    pca = OnlinePCA(3, window=900).partial_fit(X[:1700])
    revived = pickle.loads(pickle.dumps(pca)).partial_fit(X[1700:])
    pca.save(tmp_path / "m.safetensors")
    loaded = OnlinePCA.load(tmp_path / "m.safetensors")
    assert loaded.window == 900 and loaded.rows_covered_ == pca.rows_covered_
    assert loaded.n_samples_seen_ == 1700
    pca.partial_fit(X[1700:])
    np.testing.assert_array_equal(revived.components_, pca.components_)
    assert revived.rows_covered_ == pca.rows_covered_
    assert loaded.partial_fit(X[1700:]).rows_covered_.stop == 3000
    assert subspace_error(pca.components_, loaded.components_) < 1e-3


def test_a_window_excludes_forgetting_merging_and_rules_row_by_row():
    X = changing(100, 10)
    with pytest.raises(ValueError, match="window and forgetting exclude each other"):
        OnlinePCA(2, window=10, forgetting=0.9).fit(X)
    with pytest.raises(ValueError, match="window needs updates by blocks"):
        OnlinePCA(2, window=10, method="froipca").fit(X)
    with pytest.raises(ValueError, match="must be None or an integer from 1"):
        OnlinePCA(2, window=0).fit(X)
    one = OnlinePCA(2, window=10).fit(X)
    with pytest.raises(ValueError, match="cannot merge models with a window"):
        one.merge(one)
    with pytest.raises(ValueError, match="cannot merge models with a window"):
        merge_all([one, one])


def test_auto_counts_the_components_in_the_window():
    rng = np.random.default_rng(0)
    quiet, loud = rng.standard_normal((2000, 30)), rng.standard_normal((2000, 30))
    loud += 5 * rng.standard_normal((2000, 3)) @ np.linalg.qr(rng.standard_normal((30, 3)))[0].T
    pca = OnlinePCA("auto", window=500).partial_fit(loud)
    assert pca.n_components_ == 3
    assert pca.partial_fit(quiet).n_components_ == 1
