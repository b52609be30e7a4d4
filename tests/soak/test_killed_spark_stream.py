"""A Spark stream that is killed at random moments counts every batch once."""

import contextlib
import os
import random
import shutil
import signal
import subprocess
import sys
from functools import reduce
from pathlib import Path

import pytest

pytest.importorskip("pyspark.sql", reason="pyspark is not installed: pip install 'roipca[spark]'")
if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
    pytest.skip("Spark needs Java, which is not installed", allow_module_level=True)

sys.path.insert(0, str(Path(__file__).parents[1] / "python"))
import killed_stream
from killed_stream import OPTIONS, learner, rows_of, write
from oracle import state

from roipca import OnlinePCA

pytestmark = pytest.mark.soak

KILLS, FILES_PER_RUN = 50, 3


def test_a_stream_that_is_killed_at_random_counts_every_batch_once(tmp_path):
    seed = random.randrange(10**6)
    moments = random.Random(seed)
    files, delivered, last = 0, [], []
    for _ in range(KILLS):
        for _ in range(FILES_PER_RUN):
            write(tmp_path, files, rows_of(files))
            files += 1
        # From before the first batch of the run to after the last one, which take about a second each.
        delivered += run_and_kill(tmp_path, moments.uniform(0, 4))
        last.append(learner(tmp_path).last_batch)
    delivered += run_until(tmp_path, files - 1)
    again = len(delivered) - len(set(delivered))
    print(f"seed {seed}: {KILLS} kills, {files} batches, of which {again} were delivered again; last batches {last}")
    assert sorted(set(delivered)) == list(range(files))
    expected = reduce(OnlinePCA.merge, [OnlinePCA(2, **OPTIONS).partial_fit(rows_of(i)) for i in range(files)])
    assert state(learner(tmp_path).pca) == state(expected)


def started(folder):
    command = [sys.executable, killed_stream.__file__, folder]
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, start_new_session=True
    )


def run_and_kill(folder, seconds):
    """Returns the batches that were delivered from the first one of the run on, until it is killed."""
    with started(folder) as program:
        first = program.stdout.readline()
        with contextlib.suppress(subprocess.TimeoutExpired):
            program.wait(seconds)
        os.killpg(program.pid, signal.SIGKILL)
        lines = [first, *program.stdout]
    assert program.returncode == -signal.SIGKILL
    return [int(line.split()[1]) for line in lines]


def run_until(folder, last):
    """Returns the batches that were delivered until the last one was added to the model."""
    batches = []
    with started(folder) as program:
        while learner(folder).last_batch != last:
            batches.append(int(program.stdout.readline().split()[1]))
            if batches[-1] == last:
                while learner(folder).last_batch != last:
                    with contextlib.suppress(subprocess.TimeoutExpired):
                        program.wait(0.2)
        os.killpg(program.pid, signal.SIGKILL)
    return batches
