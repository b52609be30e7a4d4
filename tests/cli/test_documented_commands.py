"""Runs the commands that the guides show, on files as they describe them."""

from __future__ import annotations

import gzip
import os
import re
import subprocess
from pathlib import Path

import h5py
import numpy as np
import pandas as pd
import pytest
from command import Command
from scipy import sparse

REPOSITORY = Path(__file__).parents[2]
NAMES = [f"x{j}" for j in range(12)]

# For other shells than bash, and for a terminal.
NOT_HERE = ("completions zsh", "completions fish", "roipca manual | man")


def commands_of(page: Path) -> list[str]:
    """Return the lines of indented code and of blocks for a shell that call the command, and those on its processes."""
    text = re.sub(r"^```(?!sh\n).*?^```$", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)
    blocks = re.findall(r"^```sh\n(.*?)^```$", text, flags=re.DOTALL | re.MULTILINE)
    lines = "".join(blocks).splitlines() + re.findall(r"^    (\S.*)$", text, flags=re.MULTILINE)
    return [
        line for line in lines if re.search(r"(^|[|(] ?)roipca |^kill ", line) and not any(n in line for n in NOT_HERE)
    ]


PAGES = {
    path.relative_to(REPOSITORY).as_posix(): lines
    for path in [REPOSITORY / "README.md", *sorted((REPOSITORY / "docs").rglob("*.md"))]
    if (lines := commands_of(path))
}


def table(rng: np.random.Generator, lines: list[str], name: str) -> pd.DataFrame:
    """Return rows for a file, with the columns that the commands on this file name."""
    frame = pd.DataFrame(rng.standard_normal((2000, 3)) @ rng.standard_normal((3, 12)), columns=NAMES)
    frame += 5 + 0.1 * rng.standard_normal(frame.shape)
    options = " ".join(line for line in lines if name in line)
    for column in dict.fromkeys(re.findall(r"--(?:id|exclude) (\w+)", options)):
        frame.insert(0, column, [f"{column}{i}" for i in range(len(frame))])
    if "--exclude comment,2" in options:
        frame.insert(1, "second", 0.0)
    if "--on-bad-row skip" in options or "--missing impute" in options:
        frame = frame.mask((rng.random(frame.shape) < 0.01) & frame.columns.isin(NAMES))
    return frame


def write_files(folder: Path, lines: list[str], roipca: Command) -> None:
    """Write each file that the commands read."""
    rng = np.random.default_rng(0)
    for name in ("big", "new", "normal", "today", "log", "pipe", "sensors", "export"):
        table(rng, lines, name).to_csv(folder / (name if name == "pipe" else f"{name}.csv"), index=False)
    (folder / "big.csv.gz").write_bytes(gzip.compress((folder / "big.csv").read_bytes()))
    exported = pd.read_csv(folder / "export.csv")
    exported.to_csv(folder / "export.csv", index=False, sep=";", decimal=",")
    np.save(folder / "big.npy", table(rng, [], "big"))
    # As a run leaves it that was stopped: one of so few rows writes no checkpoint at its end.
    roipca("fit", "big.npy", "-k", "10", "-o", "x", "--quiet", "--checkpoint", "big.checkpoint", "--every", "500")
    table(rng, lines, "rows.parquet").to_parquet(folder / "rows.parquet")
    np.save(folder / "digits.npy", rng.random((300, 784)))
    roipca("fit", "digits.npy", "-k", "10", "-o", "digits.safetensors", "--quiet")
    sparse.save_npz(folder / "texts.npz", sparse.random_array((300, 80), density=0.1, format="csr", rng=rng))
    np.save(folder / "idf.npy", np.ones(80))
    counts = sparse.random_array((300, 80), density=0.2, format="csr", rng=rng)
    with h5py.File(folder / "cells.h5ad", "w") as file:
        group = file.create_group("X")
        group.attrs["encoding-type"], group.attrs["shape"] = "csr_matrix", counts.shape
        for name in ("data", "indices", "indptr"):
            group[name] = getattr(counts, name)
        file.create_group("var").attrs["_index"] = "gene"
        file["var/gene"] = [f"gene{j}" for j in range(80)]
    (folder / "variable-genes.txt").write_text("".join(f"gene{j}\n" for j in range(60)))


def write_programs(folder: Path, roipca: Command) -> None:
    """Write `sensors`, whose rows end, and `roipca`, whose page does not stay when they have ended."""
    folder.mkdir()
    programs = {
        "sensors": "cat sensors.csv; sleep 0.5\n",
        "roipca": f'[ "$1" = watch ] && exec {roipca.path} "$@" --no-follow --port 0; exec {roipca.path} "$@"\n',
    }
    for name, text in programs.items():
        (folder / name).write_text(f"#!/bin/sh\n{text}")
        (folder / name).chmod(0o755)


def test_most_guides_show_commands():
    assert len(PAGES) >= 9 and sum(map(len, PAGES.values())) >= 30
    assert len(PAGES["docs/command-line.md"]) >= 12 and len(PAGES["docs/guides/gaps.md"]) == 4


@pytest.mark.parametrize("page, lines", PAGES.items(), ids=list(PAGES))
def test_the_commands_of_a_page_run(page, lines, roipca, tmp_path):
    write_files(tmp_path, lines, roipca)
    write_programs(tmp_path / "programs", roipca)
    script = "\n".join(["set -e -o pipefail", *lines, "wait"])
    environment = {**os.environ, "PATH": f"{tmp_path / 'programs'}:{os.environ['PATH']}"}
    done = subprocess.run(
        ["bash", "-v", "-c", script],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
