"""The command as users call it, in a folder of its own."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from command import Command
from watching import Watched


@pytest.fixture
def roipca(tmp_path: Path) -> Command:
    return Command(tmp_path)


@pytest.fixture
def rows() -> np.ndarray:
    """300 rows of 40 features: six strong directions and a little noise, away from the origin."""
    rng = np.random.default_rng(0)
    strong = rng.standard_normal((300, 6)) * np.linspace(5, 1, 6)
    return 3.0 + strong @ rng.standard_normal((6, 40)) / 6 + 0.01 * rng.standard_normal((300, 40))


@pytest.fixture
def watch(roipca) -> Iterator:
    running = []

    def start(*arguments: object) -> Watched:
        watched = Watched(roipca.start("watch", *arguments, stdin=subprocess.PIPE))
        running.append(watched)
        return watched

    yield start
    for watched in running:
        watched.stop()
