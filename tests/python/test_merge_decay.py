"""Streams that forget, merged: against batch PCA with the weights that their rows have then."""

import numpy as np
import pytest
from oracle import batch_components, decaying_rows, state, subspace_error

from roipca import OnlinePCA, merge_all

FORGETTING = 0.98


def stream(X, method, forgetting=FORGETTING, **options):
    return OnlinePCA(3, method=method, forgetting=forgetting, **options).partial_fit(X)


def weights_of(count, decay=1.0):
    """The weights of `count` rows at the end of a stream that forgets."""
    return decay * FORGETTING ** np.arange(count - 1, -1, -1)


@pytest.fixture
def halves():
    first, second = np.split(decaying_rows(400, 30), 2)
    return first, second + 1


@pytest.mark.parametrize("decay", [1.0, 0.25, FORGETTING**200])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_merged_model_is_batch_pca_with_the_same_weights(halves, decay, dtype):
    first, second = (half.astype(dtype) for half in halves)
    merged = stream(first, "exact").merge(stream(second, "exact"), decay=decay)
    X = np.concatenate([first, second]).astype(np.float64)
    weights = np.concatenate([weights_of(200, decay), weights_of(200)])
    error = subspace_error(batch_components(X, 3, weights), merged.components_)
    assert error < (1e-20 if dtype == np.float64 else 1e-9)
    np.testing.assert_allclose(merged.mean_, np.average(X, axis=0, weights=weights), rtol=1e-5, atol=1e-7)
    covariance = np.cov(X.T, aweights=weights)
    np.testing.assert_allclose(merged.var_, np.diag(covariance), rtol=1e-5)
    assert merged.n_samples_seen_ == 400 and merged.forgetting == FORGETTING


@pytest.mark.parametrize("method", ["roipca", "ipca", "exact"])
def test_rows_that_came_later_give_one_stream_and_it_goes_on(halves, method):
    first, second = halves
    options = {"oversampling": 27}  # all directions are held, so that nothing is lost
    merged = stream(first, method, **options).merge(stream(second, method, **options), decay=FORGETTING**200)
    whole = stream(np.concatenate([first, second]), method, **options)
    assert subspace_error(whole.components_, merged.components_) < 1e-15
    np.testing.assert_allclose(merged.explained_variance_, whole.explained_variance_, rtol=1e-7)
    more = decaying_rows(50, 30, seed=3)
    merged.partial_fit(more)
    np.testing.assert_allclose(merged.explained_variance_, whole.partial_fit(more).explained_variance_, rtol=1e-7)


def test_each_model_of_many_lets_those_before_fade(tmp_path):
    days = np.split(decaying_rows(250, 30), 5)
    weights = np.repeat(0.5 ** np.arange(4, -1, -1), 50)
    merged = merge_all([OnlinePCA(3).fit(day) for day in days], decay=0.5)
    expected = batch_components(np.concatenate(days), 3, weights)
    assert subspace_error(expected, merged.components_) < 1e-20
    merged.save(tmp_path / "model")
    assert state(OnlinePCA.load(tmp_path / "model")) == state(merged)


def test_the_estimators_are_not_changed(halves):
    first, second = (stream(half, "exact") for half in halves)
    before = state(first), state(second)
    first.merge(second, decay=0.5).partial_fit(halves[0])
    assert (state(first), state(second)) == before


def test_streams_that_forget_need_a_decay_within_its_range(halves):
    one = stream(halves[0], "roipca")
    with pytest.raises(ValueError, match="cannot merge models with forgetting unless decay is given"):
        one.merge(one)
    with pytest.raises(ValueError, match="unless decay is given"):
        merge_all([one, one])
    for decay in (0.0, -1.0, 1.5, np.nan):
        with pytest.raises(ValueError, match="decay must be above 0 and at most 1"):
            one.merge(one, decay=decay)
    with pytest.raises(ValueError, match="different forgetting"):
        one.merge(stream(halves[1], "roipca", forgetting=0.5), decay=0.5)
    windowed = OnlinePCA(3, window=100).partial_fit(halves[0])
    with pytest.raises(ValueError, match="cannot merge models with a window"):
        windowed.merge(windowed, decay=0.5)
