"""update(x): one row at a time, at little more than the C++ call's cost."""

import time

import numpy as np
import pandas as pd
import pytest
from oracle import state

from roipca import OnlinePCA


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_update_is_partial_fit_of_one_row(rows, dtype):
    rows = rows.astype(dtype)
    pca = OnlinePCA(4)
    for x in rows:
        assert pca.update(x) is pca
    assert np.array_equal(pca.components_, OnlinePCA(4).partial_fit(rows).components_)


def test_update_accepts_anything_that_is_a_row(rows):
    want = OnlinePCA(4).partial_fit(rows).components_
    for as_other in (list, tuple, lambda x: np.repeat(x, 2)[::2]):
        pca = OnlinePCA(4)
        for x in rows:
            pca.update(as_other(x))
        assert np.array_equal(pca.components_, want)
    ints = OnlinePCA(1).update(np.array([1, 2])).update(np.array([3, 5], np.int32))
    assert ints.n_samples_seen_ == 2


def test_the_names_of_a_series_are_those_of_the_features(rows):
    frame = pd.DataFrame(rows, columns=[f"x{j}" for j in range(30)])
    pca = OnlinePCA(4).partial_fit(frame[:400])
    for _, row in frame[400:].iterrows():
        pca.update(row)
    assert np.array_equal(pca.components_, OnlinePCA(4).partial_fit(rows).components_)
    before = state(pca)
    with pytest.raises(ValueError, match=r"feature names should match.*\nThey are in another order"):
        pca.update(row[::-1])
    with pytest.raises(ValueError, match=r"feature names should match.*\nunexpected: 'y0'; missing: 'x0'"):
        pca.update(row.rename({"x0": "y0"}))
    assert state(pca) == before
    pca.update(row.to_numpy()).update(row.set_axis(range(30)))  # no names: nothing to compare
    OnlinePCA(4).partial_fit(rows).update(row[::-1])


def test_a_call_costs_at_most_two_microseconds_more_than_cpp():
    X = np.random.default_rng(0).standard_normal((4000, 16))
    each = list(X)
    pca = OnlinePCA(3).partial_fit(X)
    core = pca._fitted.core

    def seconds(work):
        start = time.thread_time()  # another process may run in between
        work()
        return time.thread_time() - start

    def one_by_one():
        for x in each:
            pca.update(x)

    # All rows in one call are the C++ work without any call: less than C++ called for each row.
    ours = min(seconds(one_by_one) for _ in range(9))
    cpp = min(seconds(lambda: core.partial_fit(X, None)) for _ in range(9))
    assert (ours - cpp) / len(X) < 2e-6
