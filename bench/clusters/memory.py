"""Measures the memory that a computation takes in this process and its descendants."""

import contextlib
import threading
import time

import psutil


def _in_use():
    total = 0
    me = psutil.Process()
    for process in [me, *me.children(recursive=True)]:
        with contextlib.suppress(psutil.NoSuchProcess):
            total += process.memory_info().rss
    return total


def timed(work):
    """Returns (result of `work()`, seconds, peak growth in bytes of this process and its descendants)."""
    before = _in_use()
    peak, done = before, threading.Event()

    def watch():
        nonlocal peak
        while not done.wait(0.05):
            peak = max(peak, _in_use())

    watcher = threading.Thread(target=watch)
    watcher.start()
    start = time.perf_counter()
    try:
        result = work()
    finally:
        seconds = time.perf_counter() - start
        done.set()
        watcher.join()
    return result, seconds, peak - before
