"""Takes the pictures of the page of `roipca watch` in docs/monitoring.md.

    PYTHONPATH=tests/cli python scripts/watch_pictures.py

Needs Chromium, and roipca beside the Python that runs it. Twelve sensors are fed at a steady pace; one of them breaks,
recovers, and another one drifts away.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import browser
import numpy as np
from watching import SENSORS, Watched, sensor_rows

DOCS = Path(__file__).parents[1] / "docs"
COMMAND = Path(sys.executable).parent / "roipca"
OPTIONS = ["-k", "3", "--id", "time", "--alarm", "3/5", "--hold", "20", "--confidence", "0.999", "--port", "0"]
PER_SECOND = 200


def lines(rows: np.ndarray, first: int) -> bytes:
    text = []
    for i, row in enumerate(rows):
        second = (first + i) // PER_SECOND
        clock = f"{9 + second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}.{(first + i) % PER_SECOND * 5:03}"
        text.append(clock + "," + ",".join(f"{value:.5g}" for value in row))
    return ("\n".join(text) + "\n").encode()


def feed(watched: Watched, rows: np.ndarray, first: int) -> int:
    """Feeds rows at a steady pace, and returns the number of the next."""
    pace = 20
    for i in range(0, len(rows), pace):
        watched.feed(lines(rows[i : i + pace], first + i))
        time.sleep(pace / PER_SECOND)
    return first + len(rows)


def take(page: browser.Page, name: str, width: int, *, dark: bool = False) -> None:
    page.emulate(dark=dark)
    page.resize(width, 900)
    page.settle()
    time.sleep(0.5)
    height = page.run("document.querySelector('main').getBoundingClientRect().height")
    page.resize(width, int(height))
    page.settle()
    time.sleep(0.5)
    (DOCS / f"watch-{name}.png").write_bytes(page.screenshot())


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        process = subprocess.Popen(
            [COMMAND, "watch", "-", *OPTIONS],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=folder,
        )
        watched = Watched(process)
        watched.feed(("time," + ",".join(SENSORS) + "\n").encode())
        with browser.Page(watched.url, Path(folder) / "profile") as page:
            first = feed(watched, sensor_rows(3600), 0)
            broken = sensor_rows(200, seed=2)
            broken[:, 3] += 4
            first = feed(watched, broken, first)
            first = feed(watched, sensor_rows(1400, seed=3), first)
            take(page, "wide", 1200)
            drifting = sensor_rows(600, seed=4)
            drifting[:, 7] += np.linspace(0, 8, 600)
            first = feed(watched, drifting, first)
            for name, width, dark in (("alarm", 1200, False), ("dark", 1200, True), ("narrow", 380, False)):
                take(page, name, width, dark=dark)
                first = feed(watched, drifting[-40:], first)
        watched.stop()


if __name__ == "__main__":
    main()
