#!/usr/bin/env python3
"""Measures sparse rows, beside other programs: writes the plots and tables of docs/sparse.md.

    python bench/sparse_rows.py            # about two minutes
    python bench/sparse_rows.py --quick    # seconds, small sizes, to check that it runs

It uses one thread. --output writes to another folder instead of docs. gensim and anndataoom are compared where
they are installed.
"""

import os

# Before NumPy loads its BLAS.
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"

import importlib.util
import subprocess
import sys
import textwrap
import time

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt
import numpy as np
from destination import ROOT, asked
from machine import processor
from scipy import sparse
from sparse_peers import NAMES, OPTIONAL

from roipca import OnlinePCA, instruction_set

COMPONENTS = 10
MAKES_DENSE = ("IncrementalPCA", "anndataoom")
MOST_DENSE_WORDS = 50_000  # with more, programs that make rows dense take minutes


def random_rows(n, features, nonzeros, seed=0):
    """Rows of `nonzeros` numbers at random places, with ten directions that many of them share."""
    rng = np.random.default_rng(seed)
    columns = rng.integers(0, features, (n, nonzeros))
    kind = rng.integers(0, COMPONENTS, n)
    columns[:, : nonzeros // 2] = kind[:, np.newaxis] * (nonzeros // 2) + np.arange(nonzeros // 2)
    X = sparse.csr_array((rng.gamma(2.0, size=columns.size), columns.ravel(), nonzeros * np.arange(n + 1)),
                         shape=(n, features))
    X.sum_duplicates()
    return X


def seconds_per_row(X, repeats=3):
    """Returns the time per row to add all rows, in calls of 1,000, and to read the components; the best of several."""
    best = np.inf
    for _ in range(repeats):
        pca = OnlinePCA(COMPONENTS, method="roipca")
        start = time.process_time()
        for first in range(0, X.shape[0], 1000):
            pca.partial_fit(X[first : first + 1000])
        _ = pca.components_
        best = min(best, time.process_time() - start)
    return best / X.shape[0]


def draw(path, points, x, title, proportional):
    figure, axes = plt.subplots(figsize=(6.5, 3.6), layout="constrained")
    sizes, times = list(points), [1e6 * t for t in points.values()]
    axes.plot(sizes, times, color="#0072B2", marker="o", label="measured")
    if proportional:
        axes.plot(sizes, [times[-1] * n / sizes[-1] for n in sizes], color="#999999", linestyle="--",
                  label="proportional")
        axes.legend(frameon=False)
    axes.set(xscale="log", yscale="log", xlabel=x, ylabel="microseconds per row", title=title)
    if not proportional:
        axes.set_ylim(min(times) / 3, max(times) * 3)
    axes.set_xticks(sizes, [f"{n:,}" for n in sizes])
    axes.set_yticks([n for n in (1, 2, 5, 10, 20, 50, 100, 200) if axes.get_ylim()[0] < n < axes.get_ylim()[1]])
    axes.yaxis.set_major_formatter("{x:g}")
    axes.minorticks_off()
    axes.grid(True, which="major", color="#dddddd")
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, metadata={"Date": None, "Creator": None})
    plt.close(figure)


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def peers(n, words, m):
    """Runs every program in a process of its own. Returns name -> (seconds, bytes, variance captured)."""
    found = {}
    for name in NAMES:
        if name in MAKES_DENSE and words > MOST_DENSE_WORDS:
            continue
        if name in OPTIONAL and not importlib.util.find_spec(OPTIONAL[name]):
            continue
        command = [sys.executable, str(ROOT / "bench" / "sparse_peers.py"), name, str(n), str(words), str(m)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        seconds, memory, variance = map(float, done.stdout.split())
        found[name] = seconds, memory, variance
    return found


def peers_table(found):
    best = found["PCA(arpack)"][2]
    return table(
        ["", "seconds", "memory, MiB", "variance, of PCA(arpack)'s"],
        [[name, f"{s:.2f}", f"{b / 2**20:.0f}", f"{v / best:.3f}"] for name, (s, b, v) in found.items()],
    )


def measured(output, quick):
    """Measures, draws the plots, and returns the measured section of the page."""
    plt.rcParams.update({"svg.hashsalt": "roipca", "svg.fonttype": "none", "font.size": 10})
    rows = 2000 if quick else 20_000
    widths = (1000, 10_000) if quick else (10_000, 30_000, 100_000, 300_000, 1_000_000)
    lengths = (20, 80) if quick else (20, 40, 80, 160, 320, 640)
    # At most one row for every four features is added at once: every width has a whole block of them or more.
    by_features = {d: seconds_per_row(random_rows(max(rows, d // 4), d, 80)) for d in widths}
    by_nonzeros = {z: seconds_per_row(random_rows(max(rows, 25_000), 100_000, z)) for z in lengths}
    draw(output / "sparse-features.svg", by_features, "features", "80 nonzeros per row, 10 components", False)
    draw(output / "sparse-nonzeros.svg", by_nonzeros, "nonzeros per row", "100,000 features, 10 components", True)
    sizes = ((500, 2000, 5),) if quick else ((6000, 20_000, 20), (4000, 200_000, 50))
    paragraphs = [
        f"Measured on one core of an {processor()} ({instruction_set()}), with a load of {os.getloadavg()[0]:.1f} from "
        "other programs, in CPU time.",
        f"**Features**: microseconds per row to add {rows:,} rows of 80 nonzeros, or a quarter as many rows as "
        f"features where that is more, and to read {COMPONENTS} components:",
        table(["features", *(f"{d:,}" for d in by_features)],
              [["microseconds per row", *(f"{1e6 * t:.1f}" for t in by_features.values())]]),
        "![Time per row against the number of features](sparse-features.svg)",
        "**Nonzeros**: the same for 25,000 rows of 100,000 features:",
        table(["nonzeros per row", *(f"{z:,}" for z in by_nonzeros)],
              [["microseconds per row", *(f"{1e6 * t:.1f}" for t in by_nonzeros.values())]]),
        "![Time per row against the number of nonzeros](sparse-nonzeros.svg)",
        "**Other programs**, each in a process of its own. Memory is the growth of the peak, without the matrix. "
        "PCA(arpack) and TruncatedSVD need all rows in memory; TruncatedSVD and LsiModel do not centre; IncrementalPCA "
        "makes its batches dense; anndataoom reads an .h5ad file several times, and makes chunks of it dense.",
    ]
    for n, words, m in sizes:
        paragraphs += [f"{n:,} documents of about 80 different words out of {words:,}, {m} components:",
                       peers_table(peers(n, words, m))]
    return "\n\n".join(text if text[0] in "|!" else textwrap.fill(text, 120) for text in paragraphs)


def main():
    quick, output = asked(__doc__)
    page = (ROOT / "docs" / "sparse.md").read_text()
    before, _, rest = page.partition("<!-- measured -->\n")
    after = rest.partition("<!-- end -->")[2]
    text = measured(output, quick)
    (output / "sparse.md").write_text(f"{before}<!-- measured -->\n{text}\n<!-- end -->{after}")
    print(output / "sparse.md")


if __name__ == "__main__":
    main()
