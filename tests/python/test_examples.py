"""Runs the programs in examples/ at a small size."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"


def output_of(name, *arguments):
    command = [sys.executable, str(EXAMPLES / name), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=120).stdout


def test_the_example_of_cells_tells_their_kinds_apart():
    pytest.importorskip("h5py")
    arguments = ["--cells", "1500", "--genes", "2000", "--variable", "300", "--components", "10"]
    said = output_of("cells.py", *arguments)
    assert said.startswith("1,500 cells of 2,000 genes")
    ten, seven = (float(re.search(pattern, said)[1]) for pattern in (r"explain ([\d.]+)", r"apart, ([\d.]+)"))
    assert seven > 0.5 and ten - seven < 0.1  # eight kinds of cells span seven directions; the rest is noise


def test_the_example_of_texts_finds_the_subjects():
    said = output_of("texts.py", "--texts", "2000")
    assert said.startswith("2,000 texts of 262,144 features")
    variances = [float(number) for number in re.findall(r"0\.\d+", said.partition("variance:")[2])]
    assert len(variances) == 9 and variances[-1] > 0.5 * variances[0]  # ten subjects of one size span nine directions
