"""`roipca watch` for half an hour (ROIPCA_SOAK_MINUTES for another time) at the highest rate, with a browser."""

from __future__ import annotations

import json
import os
from pathlib import Path

import browser
import pytest
import watch_load
from command import Command

pytestmark = pytest.mark.soak


def test_memory_stays_flat_and_the_page_responsive(tmp_path: Path) -> None:
    assert browser.CHROMIUM is not None, "needs Chromium"
    minutes = float(os.environ.get("ROIPCA_SOAK_MINUTES", "30"))
    figures = watch_load.run(Command(tmp_path), tmp_path, seconds=60 * minutes)
    print(json.dumps(figures.summary(), indent=1, ensure_ascii=False))
    # Allocators keep a little of what came and went.
    assert figures.late() <= figures.early() + 8
    assert figures.heap[-1] <= figures.heap[len(figures.heap) // 4] + 50
    # A page that answers within a second is alive, on a machine that has other things to do.
    assert sorted(figures.clicks)[len(figures.clicks) // 2] < 250
    assert max(figures.clicks) < 3000
    assert min(figures.events) >= 60 * minutes  # five come per second on a quiet machine
    assert figures.dropped >= minutes // 6
