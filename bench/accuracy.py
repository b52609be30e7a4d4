#!/usr/bin/env python3
"""Measures errors after one to four passes beside randomized PCA, and how often the bound on the error holds.

    python bench/accuracy.py            # about ten minutes; writes the numbers and plots of docs/accuracy.md
    python bench/accuracy.py --quick    # seconds, small sizes, to check that it runs

It uses one thread and measures CPU time. The data are those of experiments/data.py. --output writes to another folder.
"""

import os

# Before NumPy loads its BLAS.
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"

import sys
import textwrap
import time

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt
import numpy as np
from destination import ROOT, asked
from machine import processor
from sklearn.decomposition import PCA

from roipca import OnlinePCA

sys.path.append(str(ROOT / "experiments"))
from data import DATASETS, DataMissing, brownian, load_mnist, spiked

BLUE, ORANGE = "#0072B2", "#D55E00"
PASSES = (1, 2, 3, 4)
DEFAULT = "2 passes by default"
MORE = {"5 passes": {"passes": 5}, "2 passes, twice the oversampling": {"passes": 2, "oversampling": True}}
PROBES = 10
CONFIDENCES = (0.99, 0.999)
POWERS = (2, 4, 6, 8)
ROUNDING = 1e-25  # subspace errors below are rounding


def sources():
    """Returns name -> (draw, rows, components)."""
    return {
        "MNIST": (DATASETS["mnist"].draw, 30_000, 10),
        "superconductivity": (DATASETS["superconductivity"].draw, 20_000, 2),
        "Brownian, d = 1,000": (DATASETS["brownian-1000"].draw, 10_000, 5),
        "spiked, d = 500": (spiked(lambda rng: np.linspace(4.0, 2.0, 5), d=500), 10_000, 5),
    }


def wide_sources():
    """Returns name -> (draw, components) of rows with more features than the exact method is chosen for."""
    d = 2000
    return {
        "variances 1 / i, m = 10": (falling(d), 10),
        "30 factors and noise, m = 10": (factors(d), 10),
        "MNIST, products of neighbours (d = 1,568), m = 10": (mnist_with_products, 10),
        "Brownian, m = 5": (brownian(d), 5),
        "Brownian, m = 10": (brownian(d), 10),
        "Brownian, m = 20": (brownian(d), 20),
        "spikes of 4 to 2, m = 5": (spiked(lambda rng: np.linspace(4.0, 2.0, 5), d=d), 5),
        "spikes of 16 to 8, m = 5": (spiked(lambda rng: np.linspace(16.0, 8.0, 5), d=d), 5),
    }


def falling(d):
    """Draws rows with variance 1 / i along direction i."""

    def draw(rng, count, folder):
        rows = rng.standard_normal((count, d)) / np.sqrt(np.arange(1, d + 1))
        for mirror in rng.standard_normal((3, d)):  # instead of a rotation, which would take longer
            rows -= np.outer(rows @ mirror, 2 * mirror / (mirror @ mirror))
        return rows

    return draw


def factors(d):
    """Draws rows of 30 factors, each with 0.9 times the strength of the one before, and noise."""

    def draw(rng, count, folder):
        directions = rng.standard_normal((30, d)) / np.sqrt(d)
        strengths = 5 * 0.9 ** np.arange(30)
        noise = 0.3 / np.sqrt(d) * rng.standard_normal((count, d))
        return rng.standard_normal((count, 30)) * strengths @ directions + noise

    return draw


def mnist_with_products(rng, count, folder):
    """Draws images, and the products of pixels with the one to the left."""
    stored = load_mnist(folder)
    rows = stored[rng.permutation(len(stored))[:count]] / 255.0
    return np.hstack([rows, rows * np.roll(rows, 1, axis=1)])


def batch(X, m):
    """Returns the m leading eigenvectors of the scatter matrix, one per row, and the CPU seconds."""
    began = time.process_time()
    centred = X - X.mean(axis=0)
    vectors = np.linalg.eigh(centred.T @ centred)[1]
    return vectors[:, ::-1][:, :m].T, time.process_time() - began


def subspace_error(U, V):
    """Returns |UU' - VV'|^2 / |UU'|^2 of orthonormal rows, without cancellation."""
    return 2 * np.linalg.norm(U - (U @ V.T) @ V) ** 2 / len(U)


def timed(fit):
    """Returns the components of what fit() returns, and the least CPU time of three calls, reading included."""
    least = np.inf
    for _ in range(3):
        began = time.process_time()
        components = fit().components_
        least = min(least, time.process_time() - began)
    return components, least


def one_source(draw, rows, m, quick):
    """Returns label -> (error, seconds)."""
    X = np.ascontiguousarray(draw(np.random.default_rng(1), rows // 10 if quick else rows, None), dtype=float)
    truth, seconds = batch(X, m)
    found = {"batch PCA": (0.0, seconds)}
    for passes in PASSES:
        components, seconds = timed(lambda passes=passes: OnlinePCA(m, method="roipca").fit(X, passes=passes))
        found[f"{passes} pass" + "es" * (passes > 1)] = (subspace_error(truth, components), seconds)
    components, seconds = timed(lambda: OnlinePCA(m).fit(X, passes=2))
    found[DEFAULT] = (subspace_error(truth, components), seconds)
    for label, options in MORE.items():
        held = 2 * max(10, m) if "oversampling" in options else "auto"
        fit = lambda held=held, passes=options["passes"]: OnlinePCA(  # noqa: E731
            m, method="roipca", oversampling=held
        ).fit(X, passes=passes)
        components, seconds = timed(fit)
        found[label] = (subspace_error(truth, components), seconds)
    for power in (*POWERS, "auto"):
        options = {"svd_solver": "randomized", "random_state": 0, "iterated_power": power}
        components, seconds = timed(lambda options=options: PCA(m, **options).fit(X))
        found[f"randomized, {power}"] = (subspace_error(truth, components), seconds)
    return found


def wide_cells(quick):
    """Returns the cells of a table: rows of many features by randomized PCA and by one pass and two, by default."""
    cells = []
    for name, (draw, m) in wide_sources().items():
        X = np.ascontiguousarray(draw(np.random.default_rng(1), 500 if quick else 5000, None))
        truth, _ = batch(X, m)
        fits = (
            lambda X=X, m=m: PCA(m, svd_solver="randomized", random_state=0).fit(X),
            lambda X=X, m=m: OnlinePCA(m).fit(X),
            lambda X=X, m=m: OnlinePCA(m).fit(X, passes=2),
        )
        results = [timed(fit) for fit in fits]
        cells.append([name, *(cell(subspace_error(truth, found), seconds) for found, seconds in results)])
    return cells


def draw_passes(found, path):
    """Draws error against CPU time, one plot per source."""
    figure, axes = plt.subplots(1, len(found), figsize=(3.2 * len(found), 3.4), layout="constrained")
    for place, (name, results) in zip(axes, found.items(), strict=True):
        groups = {
            "roipca, 1 to 4 passes": (BLUE, "o", [v for k, v in results.items() if k[1:] in (" pass", " passes")][:4]),
            "randomized PCA, n_iter 2 to 8": (ORANGE, "s", [results[f"randomized, {p}"] for p in POWERS]),
        }
        for label, (colour, marker, points) in groups.items():
            errors, seconds = zip(*points, strict=True)
            place.plot(seconds, np.maximum(errors, 1e-30), color=colour, marker=marker, label=label)
        place.set(xscale="log", yscale="log", title=name, xlabel="CPU seconds")
        place.grid(True, color="#dddddd")
        place.spines[["top", "right"]].set_visible(False)
    axes[0].set_ylabel("subspace error")
    figure.legend(*axes[0].get_legend_handles_labels(), frameon=False, loc="outside lower center", ncols=2)
    figure.savefig(path, metadata={"Date": None, "Creator": None})
    plt.close(figure)


def random_stream(rng):
    """Returns random rows with a random spectrum, and a number of components."""
    d, n = int(rng.integers(30, 200)), int(rng.integers(300, 2500))
    i = np.arange(1, d + 1)
    spectra = [
        lambda: np.where(i <= rng.integers(2, 12), rng.uniform(1.5, 6), 1.0),
        lambda: i ** -rng.uniform(0.3, 1.5),
        lambda: np.exp(-i / rng.uniform(3, 40)) + 1e-3,
        lambda: np.linspace(rng.uniform(1.5, 8), 1, d),
        lambda: np.ones(d),
    ]
    choice = rng.integers(0, len(spectra) + 1)
    if choice == len(spectra):
        X = np.cumsum(rng.standard_normal((n, d)), axis=1) / np.sqrt(d)
    else:
        turn = np.linalg.qr(rng.standard_normal((d, d)))[0]
        X = (rng.standard_normal((n, d)) * spectra[choice]()) @ turn
    if rng.random() < 0.3:
        X = X * np.linspace(1, rng.uniform(1, 5), n)[:, None]  # the variance drifts
    if rng.random() < 0.2:
        X = X[np.argsort(X[:, 0])]  # so does the mean
    return X + rng.standard_normal(d), min(int(rng.integers(1, 13)), d // 4)


class Ratios:
    """Estimates and bounds relative to true errors, of many streams after the same number of passes."""

    def __init__(self):
        self.estimates, self.bounds, self.largest = [], {c: [] for c in CONFIDENCES}, 0

    def add(self, pca, error):
        self.estimates.append(pca.error_estimate_ / error)
        for confidence in CONFIDENCES:
            self.bounds[confidence].append(pca.error_bound(confidence) / error)
        self.largest += pca.error_bound(CONFIDENCES[-1]) >= 2

    def cells(self):
        estimates = np.array(self.estimates)
        return [
            str(len(estimates)), f"{np.mean((estimates > 0.1) & (estimates < 10)):.1%}", f"{np.median(estimates):.2g}",
            *(str(int(np.sum(np.array(self.bounds[c]) < 1))) for c in CONFIDENCES),
            *(f"{np.median(self.bounds[c]):.2g}" for c in CONFIDENCES), str(self.largest),
        ]


def error_ratios(count):
    """Returns label -> Ratios of random streams: after one pass and two with probes, and after more without."""
    labels = ("1, with probes", "2, with probes", *map(str, PASSES[1:]))
    ratios = {label: Ratios() for label in labels}
    for seed in range(count):
        X, m = random_stream(np.random.default_rng(seed))
        truth, _ = batch(X, m)
        for probes in (PROBES, 0):
            pca = OnlinePCA(m, method="roipca", probes=probes).fit(X)
            for passes in PASSES[:2] if probes else PASSES:
                if passes > 1:
                    pca.refine(X)
                error = subspace_error(truth, pca.components_)
                label = f"{passes}, with probes" if probes else str(passes)
                if label in ratios and error > ROUNDING:
                    ratios[label].add(pca, error)
    return ratios


def known_data(quick):
    """Returns the cells of a table: true error, estimate and bounds of the paper's data and of those above."""
    names = {"mnist": (10_000, 10), "superconductivity": (20_000, 2), "poker": (20_000, 3), "brownian-1000": (5_000, 5)}
    cells = []
    for name, (rows, m) in names.items():
        X = np.asarray(DATASETS[name].draw(np.random.default_rng(1), rows // 10 if quick else rows, None), dtype=float)
        truth, _ = batch(X, m)
        pca = OnlinePCA(m, method="roipca", probes=PROBES).fit(X)
        for passes in PASSES[:3]:
            if passes > 1:
                pca.refine(X)
            numbers = [pca.error_estimate_, *(pca.error_bound(c) for c in CONFIDENCES)]
            error = subspace_error(truth, pca.components_)
            errors = [f"{number:.1e}" for number in (error, *numbers)]
            cells.append([f"{name}, {rows:,} rows, m = {m}", str(passes), *errors])
    return cells


def draw_ratios(ratios, path):
    """Draws histograms of estimates and bounds relative to the truth."""
    figure, axes = plt.subplots(1, len(ratios), figsize=(2.6 * len(ratios), 2.8), layout="constrained", sharey=True)
    bins = np.logspace(-2, 6, 49)
    for place, (label, of_label) in zip(axes, ratios.items(), strict=True):
        place.hist(of_label.estimates, bins, color=BLUE, alpha=0.8, label="estimate")
        place.hist(of_label.bounds[CONFIDENCES[-1]], bins, color=ORANGE, alpha=0.6, label="bound, 99.9 %")
        place.axvline(1.0, color="black")
        passes, _, probes = label.partition(",")
        title = f"{passes} pass{'es' * (passes != '1')}"
        place.set(xscale="log", title=title + probes, xlabel="relative to the true error")
        place.spines[["top", "right"]].set_visible(False)
    axes[0].set_ylabel("streams")
    axes[0].legend(frameon=False)
    figure.savefig(path, metadata={"Date": None, "Creator": None})
    plt.close(figure)


def table(head, rows):
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def cell(error, seconds):
    return f"{error:.0e}, {seconds:.2g} s"


def measured(output, quick):
    plt.rcParams.update({"svg.hashsalt": "roipca", "svg.fonttype": "none", "font.size": 10})
    found = {name: one_source(*source, quick) for name, source in sources().items()}
    draw_passes(found, output / "accuracy-passes.svg")
    ratios = error_ratios(30 if quick else 1000)
    draw_ratios(ratios, output / "accuracy-bounds.svg")
    labels = [label for label in next(iter(found.values())) if label != "batch PCA"]
    rows = [[label, *(cell(*found[name][label]) for name in found)] for label in labels]
    rows.append(["batch PCA", *(f"0, {found[name]['batch PCA'][1]:.2g} s" for name in found)])
    shares = [[label, *of_label.cells()] for label, of_label in ratios.items()]
    paragraphs = [
        f"Measured on one core of an {processor()}, with a load of {os.getloadavg()[0]:.1f} from other programs. Times "
        "are CPU times for all passes together, the best of three; rows are in memory.",
        "**Errors against batch PCA**, of `OnlinePCA(m, method=\"roipca\")` and of scikit-learn's "
        "`PCA(m, svd_solver=\"randomized\", iterated_power=...)`, whose default is auto. \"By default\" is "
        "`OnlinePCA(m).fit(X, passes=2)`, which is exact after the first pass:",
        table(["", *(f"{name}, {count:,} rows, m = {m}" for name, (_, count, m) in sources().items())], rows),
        "![Error against time, for one to four passes and for randomized PCA](accuracy-passes.svg)",
        "**The same of more than 1,024 features**, of 5,000 rows with 2,000 unless it says otherwise: with defaults, "
        "`PCA(m, svd_solver=\"randomized\")`, `OnlinePCA(m).fit(X)` and `OnlinePCA(m).fit(X, passes=2)`:",
        table(["", "randomized", "1 pass", "2 passes"], wide_cells(quick)),
        f"**Estimate and bound, relative to the true error**, of {30 if quick else 1000} random streams (spiked, "
        "falling, flat and Brownian spectra, some with drifting variances or means), with 10 probes and without. "
        "Errors below 1e-25 are rounding and left out. A bound of 2 says nothing.",
        table(["passes", "streams", "estimates within a factor of 10", "median estimate", "bounds exceeded, 99 %",
               "99.9 %", "median bound, 99 %", "99.9 %", "bounds of 2"], shares),
        "![Histograms of estimate and bound relative to the true error](accuracy-bounds.svg)",
        "**The same of known data**, with 10 probes, as errors. MNIST and Brownian rows are fewer than above, and "
        "their errors are others:",
        table(["data", "passes", "true error", "estimate", "bound, 99 %", "bound, 99.9 %"], known_data(quick)),
    ]
    return "\n\n".join(text if text[0] in "|!" else textwrap.fill(text, 120) for text in paragraphs)


def main():
    quick, output = asked(__doc__)
    page = (ROOT / "docs" / "accuracy.md").read_text()
    before, _, rest = page.partition("<!-- measured -->\n")
    after = rest.partition("<!-- end -->")[2]
    try:
        text = measured(output, quick)
    except DataMissing as error:
        sys.exit(str(error))
    (output / "accuracy.md").write_text(f"{before}<!-- measured -->\n{text}\n<!-- end -->{after}")
    print(output / "accuracy.md")


if __name__ == "__main__":
    main()
