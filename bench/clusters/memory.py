"""Measures the memory and the CPU time that a computation takes in this process and its descendants."""

import contextlib
import threading
import time

import psutil


def _total(of):
    """Returns the sum of a number over this process and its descendants."""
    total = 0
    me = psutil.Process()
    for process in [me, *me.children(recursive=True)]:
        with contextlib.suppress(psutil.NoSuchProcess):
            total += of(process)
    return total


def _in_use():
    return _total(lambda process: process.memory_info().rss)


def _cpu():
    return _total(lambda process: sum(process.cpu_times()[:2]))


def timed(work):
    """Returns (result of `work()`, seconds, CPU seconds and peak growth in bytes of this process and descendants)."""
    before, cpu = _in_use(), _cpu()
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
    return result, seconds, _cpu() - cpu, peak - before
