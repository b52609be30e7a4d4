"""Models and outputs of streams that have not ended, and may never end."""

import json
import os
import signal
import subprocess
import threading
import time

import numpy as np
import pytest
from test_signals import wait_until

LINES = b"1,2\n3,5\n4,4\n"


def rows_in(roipca, path):
    return json.loads(roipca("info", path, "--json"))["rows"]


def read_line(process, seconds=10.0):
    """The next line of standard output, which must come while the input is open."""
    lines = []
    reader = threading.Thread(target=lambda: lines.append(process.stdout.readline()), daemon=True)
    reader.start()
    reader.join(seconds)
    assert lines, "nothing came"
    return lines[0].decode()


def numbers_in(line):
    return [float(number) for number in line.split(",")]


def scores_in(line):
    """Sparse rows take another way to the same scores, which rounds differently."""
    return pytest.approx(numbers_in(line), rel=1e-12, abs=1e-12)


@pytest.fixture
def endless(roipca):
    """Starts a fit of a pipe that stays open and silent after a few rows."""
    processes = []

    def start(*arguments, data=LINES, format=()):
        process = roipca.start("fit", "-", "-k", 1, *format, *arguments, stdin=subprocess.PIPE)
        processes.append(process)
        process.stdin.write(data)
        process.stdin.flush()
        return process

    yield start
    for process in processes:
        process.kill()
        process.wait()


def ask_for_model(process):
    """What the command says to SIGUSR1."""
    process.send_signal(signal.SIGUSR1)
    return process.stderr.readline().decode()


def test_sigusr1_writes_the_model_of_the_rows_so_far(roipca, tmp_path, endless):
    process = endless("-o", "m")
    time.sleep(0.5)
    assert not (tmp_path / "m").exists()
    for rows in (3, 6):
        wait_until(lambda rows=rows: ask_for_model(process) == f"roipca: model of {rows} rows in m\n")
        assert rows_in(roipca, "m") == rows
        process.stdin.write(LINES)
        process.stdin.flush()
    process.stdin.close()
    assert process.wait(10) == 0
    assert rows_in(roipca, "m") == 9
    roipca("fit", "-", "-k", 1, "-o", "whole", data=LINES * 3)
    assert (tmp_path / "m").read_bytes() == (tmp_path / "whole").read_bytes()


def test_sigusr1_before_the_first_row_ends_nothing(endless):
    process = endless("-o", "m", data=b"x,y\n")
    time.sleep(0.5)
    process.send_signal(signal.SIGUSR1)
    process.stdin.write(LINES)
    process.stdin.close()
    assert process.wait(10) == 0


def test_models_appear_every_so_many_rows(roipca, tmp_path, endless):
    process = endless("--model-every", 2)
    wait_until((tmp_path / "model.safetensors").exists)
    assert rows_in(roipca, "model.safetensors") == 3
    process.stdin.write(LINES)
    process.stdin.flush()
    wait_until(lambda: rows_in(roipca, "model.safetensors") == 6)
    assert "needs a file" in roipca.refuse("fit", "a", "-k", 1, "--model-every", 2, "-o", "-", code=2)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_fit_with_an_output_leaves_a_model(roipca, tmp_path, endless, number):
    process = endless("-o", "m", "--scores", "s.csv")
    time.sleep(0.3)  # until it handles the signal
    wait_until(lambda: "3 rows" in ask_for_model(process))
    (tmp_path / "m").unlink()
    process.send_signal(number)
    assert process.wait(10) == -number
    assert b"model of 3 rows in m" in process.stderr.read()
    assert os.listdir(tmp_path) == ["m"]
    assert rows_in(roipca, "m") == 3


def test_an_interrupted_fit_without_an_output_leaves_none(tmp_path, endless):
    process = endless()
    time.sleep(0.7)
    process.send_signal(signal.SIGINT)
    assert process.wait(10) == -signal.SIGINT
    assert os.listdir(tmp_path) == []


def test_a_fraction_of_the_variance_is_that_of_the_rows_so_far(roipca, tmp_path):
    rng = np.random.default_rng(0)
    process = roipca.start("fit", "-", "-k", "0.9", "-o", "m", "--format", "raw:f64:5", stdin=subprocess.PIPE)
    data = rng.standard_normal((50, 5)) * [9, 5, 1, 0.1, 0.1]
    process.stdin.write(data.tobytes())
    process.stdin.flush()
    time.sleep(0.3)  # until it handles the signal
    wait_until(lambda: "50 rows" in ask_for_model(process))
    parts = np.cumsum(np.linalg.eigvalsh(np.cov(data.T))[::-1])
    expected = np.searchsorted(parts / parts[-1], 0.9, side="right") + 1
    assert json.loads(roipca("info", "m", "--json"))["components"] == expected
    process.stdin.close()
    assert process.wait(10) == 0


@pytest.mark.parametrize("format", ["csv", "raw:f64:2", "svmlight"])
def test_flush_writes_each_row_as_it_comes(roipca, tmp_path, format):
    (tmp_path / "a.csv").write_bytes(LINES * 10)
    roipca("fit", "a.csv", "-k", 1, "-o", "m")
    expected = roipca("score", "m", "a.csv").splitlines(keepends=True)
    pieces = {
        "csv": [b"1,2\n", b"3,5\n4,4\n"],
        "raw:f64:2": [np.array([[1.0, 2]]).tobytes(), np.array([[3.0, 5], [4, 4]]).tobytes()],
        "svmlight": [b"0 1:1 2:2\n", b"0 1:3 2:5\n0 1:4 2:4\n"],
    }[format]
    process = roipca.start("score", "m", "-", "--flush", "--format", format, stdin=subprocess.PIPE)
    try:
        process.stdin.write(pieces[0])
        process.stdin.flush()
        assert read_line(process) == expected[0]
        assert numbers_in(read_line(process)) == scores_in(expected[1])
        process.stdin.write(pieces[1])
        process.stdin.flush()
        assert numbers_in(read_line(process)) == scores_in(expected[2])
        assert numbers_in(read_line(process)) == scores_in(expected[3])
        process.stdin.close()
        assert process.wait(10) == 0  # unlike --follow, it ends with its input
    finally:
        process.kill()
        process.wait()
    assert "standard output" in roipca.refuse("transform", "m", "a.csv", "--flush", "-o", "s.csv", code=2)


def test_a_checkpoint_of_any_kind_is_a_model(roipca, tmp_path, rows):
    np.save(tmp_path / "a.npy", rows)
    for dtype in ([], ["--float32"]):
        roipca("fit", "a.npy", "-k", 3, "-o", "m", "--checkpoint", "c", "--every", 1, *dtype)
        assert roipca("transform", "c", "a.npy") == roipca("transform", "m", "a.npy")
        assert roipca("score", "c", "a.npy") == roipca("score", "m", "a.npy")
        assert roipca("info", "c") == roipca("info", "m")
        (tmp_path / "state").write_bytes((tmp_path / "c").read_bytes()[24:])  # as roipca::save_checkpoint writes it
        assert roipca("transform", "state", "a.npy") == roipca("transform", "m", "a.npy")
        roipca("fit", "a.npy", "-k", 3, "-o", "m2", "--passes", 2, "--checkpoint", "p", "--every", 1, *dtype)
        assert roipca("transform", "p", "a.npy") == roipca("transform", "m", "a.npy")  # of its first pass
    damaged = bytearray((tmp_path / "c").read_bytes())
    damaged[100] ^= 1
    (tmp_path / "damaged").write_bytes(damaged)
    assert roipca.refuse("info", "damaged").startswith("roipca: damaged: ")
