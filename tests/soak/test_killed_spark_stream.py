"""A Spark stream that is killed at random moments counts every batch once."""

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("pyspark.sql", reason="pyspark is not installed: pip install 'roipca[spark]'")
if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
    pytest.skip("Spark needs Java, which is not installed", allow_module_level=True)

sys.path.insert(0, str(Path(__file__).parents[1] / "python"))
import killed_stream
from killed_stream import learner, rows_of, write

pytestmark = pytest.mark.soak

KILLS = 50


class Run:
    """The program that learns the stream, as long as a `with` lasts, at the end of which it is killed."""

    def __init__(self, folder):
        command = [sys.executable, killed_stream.__file__, folder]
        self.program = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, start_new_session=True
        )
        self.delivered = []

    def __enter__(self):
        return self

    def __exit__(self, *error):
        os.killpg(self.program.pid, signal.SIGKILL)
        while self._next() is not None:
            pass
        assert self.program.wait() == -signal.SIGKILL

    def _next(self):
        line = self.program.stdout.readline()
        if not line:
            return None
        event, number = line.split()
        if event == "delivered":
            self.delivered.append(int(number))
        return event

    def wait_for(self, wanted):
        """Returns when the next batch was delivered or added, as `wanted` says."""
        while (event := self._next()) != wanted:
            assert event is not None, "the program ended"


def test_a_stream_that_is_killed_at_random_counts_every_batch_once(tmp_path):
    seed = random.randrange(10**6)
    choice = random.Random(seed)
    files, known_again = [], 0
    delivered, last, in_batch = [], None, 1.0
    for _ in range(KILLS):
        for _ in range(3):
            empty = len(files) > 0 and choice.random() < 0.2
            files.append(rows_of(len(files), 0 if empty else 40))
            write(tmp_path, len(files) - 1, files[-1])
        with Run(tmp_path) as run:
            for _ in range(choice.randrange(3)):
                run.wait_for("added")
            run.wait_for("delivered")
            if choice.random() < 0.5:  # while Spark notes that the batch is done
                start = time.perf_counter()
                run.wait_for("added")
                in_batch = time.perf_counter() - start
                time.sleep(choice.uniform(0, 0.05))
            else:  # at any moment of a batch
                time.sleep(choice.uniform(0, 1.2 * in_batch))
        delivered += run.delivered
        known_again += last is not None and run.delivered[0] <= last
        last = learner(tmp_path).last_batch
    X = np.concatenate(files)
    with Run(tmp_path) as run:
        while learner(tmp_path).pca.n_samples_seen_ < len(X):
            run.wait_for("added")
    delivered += run.delivered
    twice = len(delivered) - len(set(delivered))
    print(
        f"seed {seed}: {KILLS} kills in {len(set(delivered))} batches of {len(files)} files, "
        f"{sum(len(file) == 0 for file in files)} of them empty; after {twice} kills a batch was delivered again, "
        f"{known_again} times one that was already in the model; {len(X)} rows"
    )
    assert known_again > 0
    assert sorted(set(delivered)) == list(range(len(set(delivered))))
    # Files differ in their means, so one that is missing cannot be made up for by one that counts twice. (If it was
    # killed between two of its notes, Spark puts two files into one batch.)
    pca = learner(tmp_path).pca
    assert pca.n_samples_seen_ == len(X)
    np.testing.assert_allclose(pca.mean_, X.mean(axis=0), rtol=1e-12)
    np.testing.assert_allclose(pca.var_, X.var(axis=0, ddof=1), rtol=1e-10)
