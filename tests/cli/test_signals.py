"""How runs end by a signal: checkpoint written, no other file left, and never stuck."""

import os
import signal
import subprocess
import time

import numpy as np
import pytest


def wait_until(condition, seconds=20.0):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.01)


def signal_pipeline(roipca, number):
    """Fits an endless pipe, with a checkpoint, and sends the signal to both ends, as a terminal does.

    The producer ends in the middle of a line, and the command has read everything by then.
    """
    half = ",".join(["0.123456789"] * 20)
    producer = f"printf {half},; while :; do printf '{half}\\n{half},'; done"
    command = f"{{ {producer}; }} | exec {roipca.path} fit - -k 2 --checkpoint c --every 1 -o m"
    shell = subprocess.Popen(["sh", "-c", command], cwd=roipca.folder, stderr=subprocess.PIPE, start_new_session=True)
    wait_until((roipca.folder / "c").exists)
    (roipca.folder / "c").unlink()
    os.killpg(shell.pid, number)
    return shell.communicate(timeout=20)[1].decode()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_to_a_whole_pipeline_leaves_checkpoint_and_model_and_nothing_else(roipca, tmp_path, number):
    for _ in range(10):
        said = signal_pipeline(roipca, number)
        assert "--resume c" in said and "rows in m" in said
        assert sorted(os.listdir(tmp_path)) == ["c", "m"]
        (tmp_path / "c").unlink()
        (tmp_path / "m").unlink()


def test_sighup_leaves_no_temporary_file(roipca, tmp_path):
    process = roipca.start("fit", "-", "-k", 1, "--scores", "s.npy", stdin=subprocess.PIPE)
    process.stdin.write(b"1,2\n3,5\n" * 1000)
    process.stdin.flush()
    wait_until(lambda: os.listdir(tmp_path))
    process.send_signal(signal.SIGHUP)
    assert process.wait(10) == -signal.SIGHUP
    assert os.listdir(tmp_path) == []


def test_a_run_under_nohup_goes_on_after_sighup(roipca):
    process = subprocess.Popen(
        ["nohup", roipca.path, "fit", "-", "-k", "1", "-o", "m"],
        cwd=roipca.folder,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    process.stdin.write(b"1,2\n3,5\n" * 100000)  # more than a pipe holds: the command reads
    process.send_signal(signal.SIGHUP)
    assert b"200000 rows" in process.communicate(timeout=20)[0]
    assert process.returncode == 0


def test_a_run_that_writes_to_a_full_pipe_ends_by_the_signal(roipca, tmp_path, rows):
    np.save(tmp_path / "a.npy", np.tile(rows, (50, 1)))
    roipca("fit", "a.npy", "-k", 10, "-o", "m")
    process = roipca.start("transform", "m", "a.npy")
    time.sleep(1)  # nobody reads: 15,000 rows of text are more than the pipe holds
    assert process.poll() is None
    process.send_signal(signal.SIGINT)
    try:
        assert process.wait(5) == -signal.SIGINT
    finally:
        process.kill()


def test_a_second_signal_ends_a_run_that_cannot_stop_yet(roipca, tmp_path):
    # The eigenproblem of all features at the end takes half a minute, and does not look at signals.
    rng = np.random.default_rng(0)
    np.save(tmp_path / "a.npy", rng.standard_normal((80, 3000)))
    process = roipca.start("fit", "a.npy", "-k", 3, "--method", "exact", "--checkpoint", "c", "--every", 1)
    wait_until((tmp_path / "c").exists)
    time.sleep(0.5)  # into the eigenproblem
    process.send_signal(signal.SIGINT)
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    try:
        assert process.wait(5) == -signal.SIGINT
    finally:
        process.kill()


def test_signals_sent_twice_at_once_count_as_one(roipca, tmp_path):
    # timeout(1) signals its child and then its whole group, and a closed terminal sends SIGHUP twice.
    process = roipca.start("fit", "-", "-k", 1, "--checkpoint", "c", "--every", 1, stdin=subprocess.PIPE)
    process.stdin.write(b"1,2\n3,5\n" * 100000)
    process.stdin.flush()
    wait_until((tmp_path / "c").exists)
    (tmp_path / "c").unlink()
    for _ in range(2):
        process.send_signal(signal.SIGTERM)
    assert process.wait(10) == -signal.SIGTERM
    assert os.listdir(tmp_path) == ["c"]
