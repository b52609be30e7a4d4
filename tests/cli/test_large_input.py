"""Files and pipes far larger than the memory that the command may take: `make soak`."""

import subprocess
import sys

import numpy as np
import pytest
from safetensors import safe_open

from roipca import OnlinePCA

pytestmark = pytest.mark.soak

FEATURES = 784
IN_BLOCK = 10_000
MOST_MEMORY = 200 << 20  # bytes

# The peak of a process counts what it was before it became the command, so that it is started by a small one.
MEASURED = """
import resource, subprocess, sys
code = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL).returncode
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024)
sys.exit(code)
"""


def count_blocks(gigabytes):
    return -(-gigabytes * 10**9 // (IN_BLOCK * FEATURES * 8))


def blocks(gigabytes):
    """Rows of so many GB of double in all, whose directions and mean move; the same ones at every call."""
    rng = np.random.default_rng(0)
    rows = 1 + rng.standard_normal((IN_BLOCK, 30)) @ rng.standard_normal((30, FEATURES))
    rows += 0.1 * rng.standard_normal(rows.shape)
    block = np.empty_like(rows)
    for _ in range(count_blocks(gigabytes)):
        yield np.multiply(rows, rng.uniform(0.5, 2.0, FEATURES), out=block)


def write_npy(file, gigabytes):
    shape = (count_blocks(gigabytes) * IN_BLOCK, FEATURES)
    np.lib.format.write_array_header_1_0(file, {"descr": "<f8", "fortran_order": False, "shape": shape})
    for block in blocks(gigabytes):
        file.write(block)


def start(roipca, source, **options):
    command = [sys.executable, "-S", "-c", MEASURED, roipca.path, "fit", source, "-k", "10"]
    return subprocess.Popen(command, cwd=roipca.folder, stdout=subprocess.PIPE, **options)


def check(folder, process, expected, gigabytes):
    """The command's model has the library's bits, and its memory stayed small."""
    peak = int(process.communicate()[0])
    assert process.returncode == 0
    print(f"{gigabytes} GB, {expected.n_samples_seen_} rows: peak memory {peak / 1e6:.0f} MB")
    with safe_open(folder / "model.safetensors", framework="np") as model:
        rows = int(model.metadata()["rows"])
        mean, components = model.get_tensor("mean"), model.get_tensor("components")
    assert rows == expected.n_samples_seen_
    expected.save(folder / "expected.safetensors")
    with safe_open(folder / "expected.safetensors", framework="np") as model:
        assert np.array_equal(mean, model.get_tensor("mean"))
        assert np.array_equal(components, model.get_tensor("components"))
    assert peak < MOST_MEMORY


def test_a_file_of_8_gb_gives_the_librarys_model_in_200_mb(roipca, tmp_path):
    path = tmp_path / "big.npy"
    try:
        with open(path, "wb") as file:
            write_npy(file, 8)
        assert path.stat().st_size > 8 * 10**9
        process = start(roipca, "big.npy")
        process.wait()
        expected = OnlinePCA(10).fit_stream(path, progress=False)
    finally:
        path.unlink()  # pytest keeps its folders
    check(tmp_path, process, expected, 8)


def test_a_pipe_of_20_gb_gives_the_librarys_model_in_200_mb(roipca, tmp_path):
    process = start(roipca, "-", stdin=subprocess.PIPE)
    write_npy(process.stdin, 20)
    process.stdin.close()
    process.stdin = None  # for `communicate`
    check(tmp_path, process, OnlinePCA(10).fit_stream(blocks(20), progress=False), 20)
