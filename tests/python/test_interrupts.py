"""Ctrl-C during a call: it raises, and nothing of the call was added."""

import os
import signal
import threading
import time

import numpy as np
import pytest
from oracle import state
from scipy import sparse

from roipca import OnlinePCA

X = np.random.default_rng(0).standard_normal((200_000, 200))  # minutes, at one row at a time


@pytest.fixture
def pca():
    return OnlinePCA(40, method="ipca", update_every="row").partial_fit(X[:100])


@pytest.mark.parametrize("learn", ["fit", "partial_fit"])
@pytest.mark.parametrize("made", [np.asarray, sparse.csr_array])
def test_an_interrupted_call_ends_soon_and_adds_nothing(pca, learn, made):
    rows = made(X)
    before = state(pca)
    threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
    start = time.perf_counter()
    with pytest.raises(KeyboardInterrupt):
        getattr(pca, learn)(rows)
    assert time.perf_counter() - start < 30
    assert state(pca) == before


def test_a_handler_may_read_the_estimator_but_not_change_it(pca):
    seen = []

    def handle(*_):
        seen.append(pca.n_samples_seen_)
        with pytest.raises(RuntimeError, match="a signal handler cannot change the estimator that it interrupts"):
            pca.update(X[0])

    usual = signal.signal(signal.SIGUSR1, handle)
    try:
        threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGUSR1)).start()
        pca.partial_fit(X[:10_000])
    finally:
        signal.signal(signal.SIGUSR1, usual)
    assert seen == [100]
    assert pca.n_samples_seen_ == 10_100
