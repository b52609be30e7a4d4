"""Threads that share an estimator, and threads of the core."""

import copy
import pickle
import threading
import time

import numpy as np
import pytest
from oracle import batch_components, subspace_error

from roipca import OnlinePCA


def in_thread(work):
    failures = []

    def guarded():
        try:
            work()
        except BaseException as error:  # told to the test's own thread
            failures.append(error)

    thread = threading.Thread(target=guarded)
    thread.start()
    return thread, failures


def test_reading_while_another_thread_updates_sees_whole_models():
    X = np.random.default_rng(0).standard_normal((20_000, 40)) * np.linspace(5, 1, 40)
    pca = OnlinePCA(5, method="roipca").partial_fit(X[:10])

    def write():
        for part in np.array_split(X[10:], 500):
            pca.partial_fit(part)

    thread, failures = in_thread(write)
    seen = []
    while thread.is_alive():
        components = pca.components_
        assert np.abs(components @ components.T - np.eye(5)).max() < 1e-10
        assert np.isfinite(pca.transform(X[:3])).all()
        seen.append(pca.n_samples_seen_)
    thread.join()
    assert not failures
    assert seen == sorted(seen)
    assert np.array_equal(pca.components_, OnlinePCA(5, method="roipca").partial_fit(X).components_)


def test_two_writers_lose_no_rows():
    X = np.random.default_rng(0).standard_normal((4000, 10))
    pca = OnlinePCA(3).partial_fit(X[:1])

    def write(part):
        for x in part:
            pca.update(x)

    threads = [in_thread(lambda part=part: write(part)) for part in (X[1:2000], X[2000:])]
    for thread, failures in threads:
        thread.join()
        assert not failures
    assert pca.n_samples_seen_ == 4000
    np.testing.assert_allclose(pca.mean_, X.mean(axis=0), atol=1e-12)


@pytest.mark.parametrize("learn", ["partial_fit", "fit_stream"])
def test_threads_that_share_an_estimator_without_rows_lose_none(learn):
    X = np.random.default_rng(0).standard_normal((8, 300, 200))
    for _ in range(5):
        pca = OnlinePCA(3, method="roipca")
        start = threading.Barrier(len(X))

        def write(part, pca=pca, start=start):
            start.wait()
            if learn == "partial_fit":
                pca.partial_fit(part)
            else:
                pca.fit_stream(part, resume=True, progress=False)

        threads = [in_thread(lambda part=part: write(part)) for part in X]
        for thread, failures in threads:
            thread.join()
            assert not failures
        assert pca.n_samples_seen_ == X.shape[0] * X.shape[1]
        assert not hasattr(pickle.loads(pickle.dumps(pca)), "_first_call")


def test_an_estimator_whose_first_rows_were_bad_can_be_copied_and_learn(rows):
    pca = OnlinePCA(3)
    with pytest.raises(ValueError, match="NaN"):
        pca.partial_fit(np.full((2, 30), np.nan))
    for again in (pca, copy.deepcopy(pca), pickle.loads(pickle.dumps(pca))):
        assert again.partial_fit(rows).n_samples_seen_ == len(rows)


def test_the_gil_is_released_while_the_core_works():
    X = np.random.default_rng(0).standard_normal((20_000, 500))
    pca = OnlinePCA(40, method="roipca")
    thread, failures = in_thread(lambda: pca.partial_fit(X))
    ticks = 0
    while thread.is_alive():
        time.sleep(0.001)
        ticks += 1
    thread.join()
    assert not failures
    assert ticks > 20  # the call takes most of a second; with the interpreter held there would be one or two


def test_the_gil_is_released_while_models_are_serialised():
    pca = OnlinePCA(60, oversampling=0, method="ipca").fit(np.random.default_rng(0).standard_normal((61, 100_000)))
    core = pca._fitted.core
    model = core.model()
    packed, copies = model.to_bytes(), 5
    for work in (
        model.to_bytes,
        lambda: type(model).from_bytes(packed),
        lambda: model.components,
        lambda: model.reporting(59),
        lambda: type(core)(model),
        lambda: pickle.loads(pickle.dumps(core)),
    ):
        thread, failures = in_thread(lambda work=work: [work() for _ in range(copies)])
        ticks = 0
        start = time.perf_counter()
        while thread.is_alive():
            time.sleep(1e-4)
            ticks += 1
        thread.join()
        assert not failures
        # With the interpreter held, there is one tick per copy or two. Each takes 20 ms or more.
        assert ticks > 5 * copies, (ticks, time.perf_counter() - start)


@pytest.mark.parametrize("n_components", [0.5, None])
def test_frames_of_scores_have_the_names_of_their_own_moment(n_components):
    X = np.random.default_rng(0).standard_normal((100, 40))
    pca = OnlinePCA(n_components).set_output(transform="pandas").partial_fit(X[:5])
    before = pca.n_components_

    class AddsRows:
        """Rows that another thread adds to, in the middle of the call."""

        def __array__(self, dtype=None, copy=None):
            thread, failures = in_thread(lambda: pca.partial_fit(X))
            thread.join()
            assert not failures
            return X[:3]

    scores = pca.transform(AddsRows())
    assert list(scores.columns) == [f"onlinepca{i}" for i in range(before)]
    assert pca.n_components_ > before


def test_jobs_share_the_rows_and_agree_with_batch_pca(rows):
    X = np.tile(rows, (40, 1))
    pca = OnlinePCA(4, method="roipca", n_jobs=2).fit(X)
    assert subspace_error(batch_components(X, 4), pca.components_) < 1e-10
    assert np.array_equal(pca.components_, OnlinePCA(4, method="roipca", n_jobs=2).fit(X).components_)
    assert OnlinePCA(4, n_jobs=-1).fit(X).n_samples_seen_ == len(X)
