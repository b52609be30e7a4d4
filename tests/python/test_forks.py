"""Processes that fork, and processes that end, while threads work on estimators."""

import subprocess
import sys

import pytest

SETUP = """
import os, signal, sys, threading, time
import numpy as np
from roipca import OnlineKernelPCA, OnlinePCA

X = np.random.default_rng(0).standard_normal((20_000, 300))

def in_child(work):
    child = os.fork()
    if child == 0:
        signal.alarm(20)  # ends a child that waits for ever
        os._exit(0 if work() else 1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
"""


def run(script):
    """Runs the script in a process of its own and returns what it wrote to standard error."""
    done = subprocess.run(
        [sys.executable, "-c", SETUP + script], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stderr


def test_a_fork_while_another_thread_adds_rows_leaves_an_estimator_of_all_its_rows():
    run("""
expected = OnlinePCA(40, method="roipca").partial_fit(X).partial_fit(X)
pca = OnlinePCA(40, method="roipca").partial_fit(X[:10])
thread = threading.Thread(target=pca.partial_fit, args=(X[10:],))
thread.start()
time.sleep(0.05)
assert thread.is_alive()
assert in_child(lambda: np.array_equal(pca.partial_fit(X).components_, expected.components_))
thread.join()
""")


def test_a_fork_while_another_thread_adds_the_first_rows_leaves_an_estimator_that_learns():
    run("""
pca = OnlinePCA(40, method="roipca")
thread = threading.Thread(target=pca.partial_fit, args=(X,))
thread.start()
time.sleep(0.05)
assert thread.is_alive()
assert in_child(lambda: pca.partial_fit(X[:10]).n_samples_seen_ in (10, 20_010))
thread.join()
""")


def test_forks_between_many_short_calls_never_lock_the_child():
    run("""
pca = OnlinePCA(5).partial_fit(X[:10])
done = threading.Event()

def write():
    while not done.is_set():
        for x in X[:100]:
            pca.update(x)

threads = [threading.Thread(target=write) for _ in range(3)]
for thread in threads:
    thread.start()
results = [in_child(lambda: np.isfinite(pca.update(X[0]).components_).all()) for _ in range(50)]
done.set()
for thread in threads:
    thread.join()
assert all(results)
""")


def test_a_kernel_may_fork():
    run("""
results = []

def kernel(x, y):
    if not results:
        results.append(None)
        results[0] = in_child(lambda: OnlinePCA(2).fit(X[:100]).n_samples_seen_ == 100)
    return x @ y

assert OnlineKernelPCA(2, kernel=kernel).fit(X[:20]).n_samples_seen_ == 20
assert results == [True]
""")


@pytest.mark.parametrize("made", ["OnlinePCA(5)", "OnlineKernelPCA(2)"])
def test_an_estimator_in_a_daemon_thread_leaves_no_messages_at_exit(made):
    messages = run(f"""
started = threading.Event()

def keep():
    estimator = {made}.fit(X[:100])
    started.set()
    while True:
        time.sleep(0.01)
        estimator.partial_fit(X[:10])

threading.Thread(target=keep, daemon=True).start()
started.wait()
""")
    assert messages == ""
