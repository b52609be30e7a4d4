#!/usr/bin/env python3
"""Measures how a stream's changes are found, and what a window costs: writes the tables of docs/changing-streams.md.

    python bench/changes.py            # a few minutes
    python bench/changes.py --quick    # seconds, small sizes, to check that it runs

--output writes to another folder instead of docs. It uses one thread.
"""

import os

# Before NumPy loads its BLAS.
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"

import sys
import textwrap
import time

import numpy as np
from destination import ROOT, asked
from scipy.signal import lfilter

from roipca import OnlinePCA

sys.path.insert(0, str(ROOT / "scripts"))
from processor import processor

FEATURES = 20
LOADINGS = 2 * np.random.default_rng(7).standard_normal((3, FEATURES))
BEFORE = 10_000  # rows before a change, and up to PERIOD more
PERIOD = 256  # rows from a group that is compared to the next: a fixed place would always be as near to one
AFTER = 10_000
MEMORIES = {"all rows": {}, "`forgetting=0.999`": {"forgetting": 0.999}, "`window=2000`": {"window": 2000}}


def normal(random, shape):
    return random.standard_normal(shape)


def heavy_tailed(random, shape):
    return random.standard_t(3, shape)


def autocorrelated(correlation):
    def draw(random, shape):
        new = np.sqrt(1 - correlation**2) * random.standard_normal(shape)
        return lfilter([1], [1, -correlation], new, axis=0)

    return draw


STREAMS = {
    "Gaussian": normal,
    "Student's t, 3 degrees of freedom": heavy_tailed,
    "autocorrelated, 0.9": autocorrelated(0.9),
    "autocorrelated, 0.99": autocorrelated(0.99),
}


def mixed(factors, errors, loadings=LOADINGS, noise=1.0, mean=0.0):
    """Returns rows of three factors and noise."""
    return factors @ loadings + noise * errors + mean


def rows(random, count, draw):
    return mixed(draw(random, (count, 3)), draw(random, (count, FEATURES)))


def changing_rows(random, before, draw, change):
    """Returns rows that change at row `before`; the factors and the noise go on."""
    factors, errors = draw(random, (before + AFTER, 3)), draw(random, (before + AFTER, FEATURES))
    after = mixed(factors[before:], errors[before:], **change(random))
    return np.vstack([mixed(factors[:before], errors[:before]), after])


def turned(random, degrees):
    """Returns loadings whose first axis points elsewhere."""
    axis = LOADINGS[0]
    away = random.standard_normal(FEATURES)
    away -= LOADINGS.T @ np.linalg.lstsq(LOADINGS.T, away, rcond=None)[0]
    away *= np.linalg.norm(axis) / np.linalg.norm(away)
    angle = np.radians(degrees)
    return np.vstack([np.cos(angle) * axis + np.sin(angle) * away, LOADINGS[1:]])


CHANGES = {
    "means jump by 0.5 standard deviations of the noise": lambda r: {"mean": 0.5 * r.choice([-1, 1], FEATURES)},
    "means jump by 1": lambda r: {"mean": r.choice([-1.0, 1.0], FEATURES)},
    "one of three axes turns by 10 degrees": lambda r: {"loadings": turned(r, 10)},
    "one of three axes turns by 30 degrees": lambda r: {"loadings": turned(r, 30)},
    "noise grows by 10 %": lambda _: {"noise": 1.1},
    "noise grows by 50 %": lambda _: {"noise": 1.5},
    "noise falls by 20 %": lambda _: {"noise": 0.8},
}
# Each change, and two large ones of streams that depend on what came before.
CASES = [(name, name, normal) for name in CHANGES] + [
    (f"{change}; {name}", change, STREAMS[name])
    for name in ("autocorrelated, 0.9", "autocorrelated, 0.99")
    for change in ("means jump by 1", "noise grows by 50 %")
]


def false_alarms(quick):
    streams, count = (2, 5_000) if quick else (40, 50_000)
    lines = ["| rows | " + " | ".join(MEMORIES) + " |", "|---" * (len(MEMORIES) + 1) + "|"]
    for name, draw in STREAMS.items():
        found = dict.fromkeys(MEMORIES, 0)
        for seed in range(streams):
            X = rows(np.random.default_rng(seed), count, draw)
            for memory, options in MEMORIES.items():
                found[memory] += OnlinePCA(3, method="roipca", **options).partial_fit(X).n_changes_
        lines.append(f"| {name} | " + " | ".join(str(number) for number in found.values()) + " |")
        print(lines[-1], file=sys.stderr, flush=True)
    return f"False alarms in {streams * count:,} rows: {streams} streams of {count:,}.", "\n".join(lines)


def delay_of(X, before, options):
    """Returns after how many rows a change at row `before` was found, and how far off its place was."""
    pca = OnlinePCA(3, method="roipca", **options).partial_fit(X[:before])
    known = pca.n_changes_
    for end in range(before + 16, len(X) + 1, 16):
        pca.partial_fit(X[end - 16 : end])
        if pca.n_changes_ > known:
            return end - before, pca.change_row_ - before
    return None


def delays(quick):
    streams = 2 if quick else 50
    lines = ["| change | " + " | ".join(MEMORIES) + " |", "|---" * (len(MEMORIES) + 1) + "|"]
    for name, change, draw in CASES:
        cells = []
        for options in MEMORIES.values():
            found = []
            for seed in range(streams):
                random = np.random.default_rng(1000 + seed)
                before = BEFORE + PERIOD * seed // streams
                X = changing_rows(random, before, draw, CHANGES[change])
                found.append(delay_of(X, before, options))
            there = np.array([result for result in found if result is not None])
            if len(there) == 0:
                cells.append("never")
                continue
            text = f"{np.median(there[:, 0]):.0f} ({np.percentile(there[:, 0], 90):.0f})"
            if len(there) < streams:
                text += f", {100 * len(there) / streams:.0f} % found"
            cells.append(f"{text}; {np.median(np.abs(there[:, 1])):.0f}")
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
        print(lines[-1], file=sys.stderr, flush=True)
    return "\n".join(lines)


def seconds_per_row(X, window):
    best = np.inf
    for _ in range(3):
        pca = OnlinePCA(10, method="roipca", window=window)
        start = time.process_time()
        for part in np.array_split(X, 20):
            pca.partial_fit(part)
        best = min(best, time.process_time() - start)
    return best / len(X)


def window_times(quick):
    lines = ["| features | window | time per row | without a window | ratio |", "|---|---|---|---|---|"]
    for features in (20,) if quick else (100, 784, 3072):
        random = np.random.default_rng(0)
        count = 3000 if quick else 30_000 if features < 1000 else 12_000
        X = random.standard_normal((count, 20)) @ random.standard_normal((20, features))
        X += random.standard_normal(X.shape)
        without = seconds_per_row(X, None)
        for window in (500, 2000, 5000):
            with_it = seconds_per_row(X, window)
            lines.append(
                f"| {features} | {window} | {1e6 * with_it:.1f} us | {1e6 * without:.1f} us | {with_it / without:.1f} |"
            )
            print(lines[-1], file=sys.stderr, flush=True)
    return "\n".join(lines)


def replaced(page, name, text):
    """Returns the page with another text between the two marks of this name."""
    begin, end = f"<!-- {name} -->\n", f"\n<!-- end of {name} -->"
    before, _, rest = page.partition(begin)
    after = rest.partition(end)[2]
    return f"{before}{begin}{text}{end}{after}"


def main():
    quick, output = asked(__doc__)
    page = (ROOT / "docs" / "changing-streams.md").read_text()
    machine = f"Measured on one core of an {processor()}, 10 components, rows of 20 factors and noise."
    page = replaced(page, "window times", f"{machine}\n\n{window_times(quick)}")
    caption, table = false_alarms(quick)
    page = replaced(page, "false alarms", f"{textwrap.fill(caption, 120)}\n\n{table}")
    page = replaced(page, "delays", delays(quick))
    (output / "changing-streams.md").write_text(page)


if __name__ == "__main__":
    main()
