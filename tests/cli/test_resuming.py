"""Runs that are interrupted or killed, and their checkpoints."""

import json
import os
import signal
import subprocess
import time

import numpy as np
import pytest


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_ends_by_the_signal_and_leaves_nothing(roipca, tmp_path, number):
    process = roipca.start("fit", "-", "-k", 1, "--scores", "s.npy", stdin=subprocess.PIPE)
    process.stdin.write(b"1,2\n3,5\n" * 1000)
    process.stdin.flush()
    time.sleep(0.5)
    process.send_signal(number)
    assert process.wait(10) == -number
    assert os.listdir(tmp_path) == []


def checkpointed(*more):
    return ("fit", "a.npy", "-k", 3, "-o", "m", "--checkpoint", "c", "--every", 1, *more)


@pytest.mark.parametrize("kills", [10, pytest.param(300, marks=pytest.mark.soak)])
def test_a_killed_run_resumes_with_the_same_bits(roipca, tmp_path, kills):
    rng = np.random.default_rng(0)
    np.save(tmp_path / "a.npy", (rng.standard_normal((6000, 20)) @ rng.standard_normal((20, 500))))
    roipca("fit", "a.npy", "-k", 3, "-o", "whole")
    began = time.monotonic()
    roipca(*checkpointed())
    longest = time.monotonic() - began
    (tmp_path / "c").unlink()
    (tmp_path / "m").unlink()
    killed = resumed = finished = 0
    while killed < kills or finished == 0:
        more = ["--resume", "c"] if (tmp_path / "c").exists() else []
        process = roipca.start(*checkpointed(*more))
        if killed < kills:
            time.sleep(rng.uniform(0, longest))
            process.kill()
        said = process.communicate()[1]
        resumed += len(more) > 0
        if process.returncode == -signal.SIGKILL:
            killed += 1
            continue
        assert process.returncode == 0, said  # the kill came too late, or the last run was left to end
        assert (tmp_path / "m").read_bytes() == (tmp_path / "whole").read_bytes()
        (tmp_path / "c").unlink()
        (tmp_path / "m").unlink()
        finished += 1
    print(f"{killed} runs killed, {resumed} resumed, {finished} ended with the same model")
    assert resumed > 0


@pytest.mark.parametrize("options", [("--method", "gha", "--learning-rate", "auto"), ()], ids=["tuned", "default"])
def test_a_run_with_choices_of_the_library_resumes(roipca, tmp_path, options):
    rng = np.random.default_rng(0)
    np.save(tmp_path / "a.npy", rng.standard_normal((1000, 20)) * np.linspace(3, 1, 20))
    roipca(*checkpointed(*options))
    whole = (tmp_path / "m").read_bytes()
    roipca(*checkpointed(*options, "--resume", "c"))
    assert (tmp_path / "m").read_bytes() == whole


def test_an_interrupted_run_writes_its_checkpoint_and_says_how_to_resume(roipca, tmp_path):
    lines = [b"1,2\n", b"3,5\n", b"4,4\n"] * 1000
    process = roipca.start("fit", "-", "-k", 1, "--checkpoint", "c", "--block-size", 1, stdin=subprocess.PIPE)
    process.stdin.write(b"".join(lines) * 100)
    process.stdin.flush()
    time.sleep(1)
    process.send_signal(signal.SIGINT)
    assert process.wait(10) == -signal.SIGINT
    assert b"--resume c" in process.stderr.read()
    assert os.listdir(tmp_path) == ["c"]
    data = b"".join(lines) * 100
    roipca("fit", "-", "-k", 1, "--block-size", 1, "--resume", "c", "-o", "resumed", data=data)
    roipca("fit", "-", "-k", 1, "--block-size", 1, "-o", "whole", data=data)
    assert (tmp_path / "resumed").read_bytes() == (tmp_path / "whole").read_bytes()
    assert "fewer rows" in roipca.refuse("fit", "-", "-k", 1, "--block-size", 1, "--resume", "c", data=lines[0])
    assert "other options" in roipca.refuse("fit", "-", "-k", 2, "--resume", "c", data=data, code=2)


def test_a_run_is_not_resumed_with_another_input(roipca, tmp_path, rows):
    np.save(tmp_path / "a.npy", rows)
    other = rows.copy()
    other[5, 7] += 1e-9
    np.save(tmp_path / "b.npy", other)
    np.save(tmp_path / "longer.npy", np.concatenate([rows, other]))
    roipca("fit", "a.npy", "-k", 3, "-o", "m", "--checkpoint", "c", "--every", 1)
    said = roipca.refuse("fit", "b.npy", "-k", 3, "--resume", "c")
    assert "the first 300 rows of the input differ" in said
    roipca("fit", "longer.npy", "-k", 3, "--resume", "c", "-o", "resumed", "--checkpoint", "c", "--every", 1)
    roipca("fit", "longer.npy", "-k", 3, "-o", "whole", "--checkpoint", "c2", "--every", 1)
    assert (tmp_path / "resumed").read_bytes() == (tmp_path / "whole").read_bytes()
    assert (tmp_path / "c").read_bytes() == (tmp_path / "c2").read_bytes()


def test_a_damaged_checkpoint_is_refused(roipca, tmp_path, rows):
    np.save(tmp_path / "a.npy", rows)
    roipca("fit", "a.npy", "-k", 3, "-o", "m", "--checkpoint", "c", "--every", 1)
    whole = (tmp_path / "c").read_bytes()
    for place in (0, 11, 13, 17, 23, 24, 40, len(whole) - 1):
        (tmp_path / "c").write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        roipca.refuse("fit", "a.npy", "-k", 3, "-o", "m", "--resume", "c")
        (tmp_path / "c").write_bytes(whole[:place])
        assert roipca.refuse("fit", "a.npy", "-k", 3, "-o", "m", "--resume", "c").startswith("roipca: c: ")


def test_commands_accept_a_checkpoint_in_the_place_of_a_model(roipca, tmp_path, rows):
    for options in ([], ["--float32"]):
        np.save(tmp_path / "a.npy", rows)
        roipca("fit", "a.npy", "-k", 3, "--checkpoint", "c", "--every", 1, "-o", "m", *options)
        assert roipca("transform", "c", "a.npy") == roipca("transform", "m", "a.npy")
        assert roipca("score", "c", "a.npy") == roipca("score", "m", "a.npy")
        assert json.loads(roipca("info", "c", "--json"))["rows"] == len(rows)
