#!/usr/bin/env python3
"""Compares online kernel PCA with scikit-learn's KernelPCA: writes the plots and numbers of docs/kernel-pca.md.

    python bench/kernel_pca.py            # about three minutes
    python bench/kernel_pca.py --quick    # seconds, small sizes, to check that it runs

It uses one thread and measures CPU time. --output writes to another folder instead of docs.
"""

import os

# Before NumPy loads its BLAS.
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"

import re
import textwrap
import time

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt
import numpy as np
from destination import ROOT, asked
from machine import processor
from sklearn.datasets import load_digits, make_circles, make_moons
from sklearn.decomposition import KernelPCA
from sklearn.metrics.pairwise import rbf_kernel

from roipca import OnlineKernelPCA

# Okabe and Ito's colours, which colour-blind readers can tell apart.
COLOURS = np.array(["#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9", "#000000", "#999999", "#F0E442",
                    "#7F3C8D"])
PICTURES = {
    "KernelPCA": lambda gamma: KernelPCA(2, kernel="rbf", gamma=gamma),
    "row by row": lambda gamma: OnlineKernelPCA(2, gamma=gamma),
    "budget of 50 rows": lambda gamma: OnlineKernelPCA(2, gamma=gamma, budget=50),
    "500 features": lambda gamma: OnlineKernelPCA(2, gamma=gamma, method="features", map_size=500, random_state=0),
}


def datasets(n):
    digits = load_digits()
    return {
        "moons": (*make_moons(n, noise=0.05, random_state=0), 5.0),
        "circles": (*make_circles(n, factor=0.3, noise=0.05, random_state=0), 3.0),
        "digits": (digits.data[:n], digits.target[:n], 0.001),
    }


def turned(scores, like):
    """Returns the scores after the rotation or reflection of the plane that fits `like` best. Close eigenvalues do not
    determine it."""
    u, _, vt = np.linalg.svd(scores.T @ like)
    return scores @ u @ vt


def save(figure, path):
    """Saves the figure with coordinates to a hundredth of a point; more digits would only make the file larger."""
    figure.savefig(path, dpi=100, metadata={"Date": None, "Creator": None})
    plt.close(figure)
    path.write_text(re.sub(r"(\d\.\d\d)\d+", r"\1", path.read_text()))


def draw_pictures(path, n):
    """Draws one row per data set and one column per method. Returns data set -> method -> largest difference of a
    score."""
    figure, panels = plt.subplots(3, len(PICTURES), figsize=(10.5, 7.5), layout="constrained")
    differences = {}
    for row, (name, (X, y, gamma)) in zip(panels, datasets(n).items(), strict=True):
        expected = None
        for axes, (method, make) in zip(row, PICTURES.items(), strict=True):
            scores = make(gamma).fit(X).transform(X)
            expected = scores if expected is None else expected
            scores = turned(scores, expected)
            difference = np.abs(scores - expected).max() / np.abs(expected).max()
            differences.setdefault(name, {})[method] = difference
            axes.scatter(*scores.T, c=COLOURS[y], s=6, linewidths=0, rasterized=True)
            axes.set(xticks=[], yticks=[], title=method if name == "moons" else None)
        row[0].set_ylabel(name)
    save(figure, path)
    return differences


def centred(K):
    return K - K.mean(axis=0) - K.mean(axis=1)[:, None] + K.mean()


def all_held(n):
    """Returns the largest errors of eigenvalues and of subspaces, compared with a dense eigensolver after each of n
    rows."""
    X = np.random.default_rng(0).standard_normal((n, 3))
    K = rbf_kernel(X, gamma=0.5)
    kpca = OnlineKernelPCA(gamma=0.5)
    worst_value = worst_angle = 0.0
    for i in range(1, n + 1):
        kpca.partial_fit(X[i - 1 : i])
        values, vectors = np.linalg.eigh(centred(K[:i, :i]))
        values, vectors = values[::-1], vectors[:, ::-1]
        found = kpca.eigenvalues_
        if len(found) == 0:
            continue
        worst_value = max(worst_value, np.abs(found - values[: len(found)]).max() / values[0])
        products = vectors.T @ kpca.eigenvectors_
        clear = np.flatnonzero(values[:-1] - values[1:] > 1e-5 * values[0])
        for j in clear[clear < len(found)] + 1:
            worst_angle = max(worst_angle, np.linalg.norm(products[j:, :j]))
    return worst_value, worst_angle


def formulas(K, held):
    """Returns the eigenvectors by the partial-spectrum formulas, centred, with a dense eigensolver for each small
    matrix."""
    n = len(K)
    values, Q, trace = np.zeros(0), np.zeros((1, 0)), 0.0
    for i in range(1, n):
        a, old = K[i, :i], K[:i, :i]
        c = a - old.mean(axis=1) - a.mean() + old.mean()
        beta = K[i, i] - 2 * a.mean() + old.mean()
        u = np.full(i + 1, 1 / (i + 1))
        u[i] -= 1
        r = c - Q @ (Q.T @ c)
        r -= Q @ (Q.T @ r)
        has_rest = np.linalg.norm(r) > 1e-14 * np.linalg.norm(c)
        columns = [np.vstack([Q, np.zeros(Q.shape[1])]), (u / np.linalg.norm(u))[:, None]]
        poles = [values, [0.0]]
        if has_rest:
            mu = (trace - values.sum()) / (i - 1 - held) if len(values) == held else 0.0
            columns.append(np.append(r / np.linalg.norm(r), 0)[:, None])
            poles.append([np.clip(mu, 0, values[-1]) if len(values) else 0.0])
        basis = np.hstack(columns)
        w, v = basis.T @ np.append(c, 0), basis.T @ u
        small = np.diag(np.concatenate(poles)) + beta * np.outer(v, v) - np.outer(w, v) - np.outer(v, w)
        small_values, turn = np.linalg.eigh(small)
        keep = [j for j in range(len(small) - 1, -1, -1) if small_values[j] > 1e-15 * small_values[-1]][:held]
        values, Q = small_values[keep], basis @ turn[:, keep]
        trace += beta * (u @ u)
    return Q


def few_held(n, reported=4):
    """Returns held -> sine of the angle to the dense eigenvectors, for roipca and for the formulas."""
    X = np.random.default_rng(0).standard_normal((n, 3))
    K = rbf_kernel(X, gamma=0.2)
    truth = np.linalg.eigh(centred(K))[1][:, ::-1]
    found = {}
    for extra in (0, 10, 20, 40):
        kpca = OnlineKernelPCA(reported, gamma=0.2, oversampling=extra).fit(X)
        ours = np.linalg.norm(truth[:, reported:].T @ kpca.eigenvectors_)
        theirs = np.linalg.norm(truth[:, reported:].T @ formulas(K, reported + extra)[:, :reported])
        found[reported + extra] = ours, theirs
    return found


ONLINE = {
    "row by row, 2 components": lambda: OnlineKernelPCA(2, gamma=0.001),
    "row by row, budget of 100 rows": lambda: OnlineKernelPCA(2, gamma=0.001, budget=100),
    "row by row, 256 features": lambda: OnlineKernelPCA(2, gamma=0.001, method="features", random_state=0),
    "row by row, all eigenpairs": lambda: OnlineKernelPCA(gamma=0.001),
}
REFIT = {
    "KernelPCA, refitted, 2 components": lambda: KernelPCA(2, kernel="rbf", gamma=0.001),
    "KernelPCA, refitted, all eigenpairs": lambda: KernelPCA(kernel="rbf", gamma=0.001),
}
STYLES = dict(zip([*ONLINE, *REFIT], [("#0072B2", "o"), ("#009E73", "D"), ("#56B4E9", "v"), ("#000000", "x"),
                                      ("#D55E00", "s"), ("#CC79A7", "P")], strict=True))
LARGEST = {  # sizes beyond which a method takes too long
    "row by row, all eigenpairs": 500,
    "KernelPCA, refitted, 2 components": 4000,
    "KernelPCA, refitted, all eigenpairs": 1000,
}
AT_A_TIME = 20  # rows timed together


def noisy_digits(n):
    digits = load_digits().data
    rng = np.random.default_rng(0)
    return digits[rng.integers(len(digits), size=n)] + rng.standard_normal((n, 64))


def add_one_by_one(kpca, rows):
    for x in rows:
        kpca.partial_fit(x[np.newaxis])


def cpu_seconds(work, *arguments):
    start = time.process_time()
    work(*arguments)
    return time.process_time() - start


def times(sizes):
    """Returns label -> rows so far -> seconds to add one row."""
    found = {label: {} for label in STYLES}
    X = noisy_digits(max(sizes) + AT_A_TIME)
    for label, make in ONLINE.items():
        kpca, done = make(), 0
        for n in sizes:
            if n > LARGEST.get(label, n):
                break
            kpca.partial_fit(X[done:n])
            done = n + AT_A_TIME

            found[label][n] = cpu_seconds(add_one_by_one, kpca, X[n:done]) / AT_A_TIME
    for label, make in REFIT.items():
        for n in sizes:
            if n <= LARGEST[label]:
                found[label][n] = min(cpu_seconds(make().fit, X[:n]) for _ in range(2))
    return found


def draw_times(path, found):
    figure, axes = plt.subplots(figsize=(8.5, 4.2), layout="constrained")
    for label, points in found.items():
        colour, marker = STYLES[label]
        axes.plot(list(points), [1e3 * t for t in points.values()], color=colour, marker=marker, label=label)
    axes.set(xscale="log", yscale="log", xlabel="rows so far", ylabel="milliseconds to add one row, one thread",
             title="Noisy digits, 64 features, rbf")
    sizes = sorted({n for points in found.values() for n in points})
    axes.set_xticks(sizes, [f"{n:,}" for n in sizes])
    axes.minorticks_off()
    axes.grid(True, which="major", color="#dddddd")
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, loc="upper left", bbox_to_anchor=(1, 1))
    save(figure, path)


def growth(points):
    """Returns the exponent of n between the last two sizes."""
    (n, t), (n2, t2) = list(points.items())[-2:]
    return np.log(t2 / t) / np.log(n2 / n)


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def measured(output, quick):
    """Measures, draws the plots, and returns the measured section of the page."""
    plt.rcParams.update({"svg.hashsalt": "roipca", "svg.fonttype": "none", "font.size": 10})
    differences = draw_pictures(output / "kernel-pca.svg", 60 if quick else 200)
    value, angle = all_held(40 if quick else 300)
    few = few_held(60 if quick else 300)
    sizes = (100, 200) if quick else (250, 500, 1000, 2000, 4000, 8000, 16_000)
    found = times(sizes)
    draw_times(output / "kernel-pca-time.svg", found)
    milliseconds = [
        [label, *(f"{1e3 * points[n]:.3g}" if n in points else "" for n in sizes), f"n^{growth(points):.1f}"
         if len(points) > 1 else ""]
        for label, points in found.items()
    ]
    paragraphs = [
        f"Measured on one core of an {processor()}, with a load of {os.getloadavg()[0]:.1f} from other programs. Times "
        "are CPU times.",
        f"**All eigenpairs held**, rbf, centred, {40 if quick else 300} rows one by one, compared with a dense "
        f"eigensolver after every row: the error of the eigenvalues is at most {value:.0e} of the largest one. The "
        "error of every leading subspace with a gap of at least 1e-5 of the largest eigenvalue is at most "
        f"{angle:.0e}.",
        "**A few eigenpairs held**: the sine of the angle between the first four eigenvectors and those of a dense "
        "eigensolver, for roipca and for the partial-spectrum formulas with a dense eigensolver at every row. The "
        "tests run the formulas with a mantissa of 64 bits, and the angles agree to 1e-10.",
        table(["held", "roipca", "the formulas"], [[str(k), f"{a:.6e}", f"{b:.6e}"] for k, (a, b) in few.items()]),
        "**The plots above**: the largest difference of a score from that of KernelPCA, divided by the largest score, "
        "after the rotation of the plane that fits best.",
        table(["", *list(PICTURES)[1:]],
              [[name, *(f"{d[m]:.0e}" for m in list(PICTURES)[1:])] for name, d in differences.items()]),
        "**Adding one row**, compared with refitting: milliseconds, and the growth between the last two sizes:",
        table(["rows so far", *(f"{n:,}" for n in sizes), "growth"], milliseconds),
        "![Time to add one row against the number of rows so far](kernel-pca-time.svg)",
    ]
    return "\n\n".join(text if text[0] == "|" else textwrap.fill(text, 120) for text in paragraphs)


def main():
    quick, output = asked(__doc__)
    page = (ROOT / "docs" / "kernel-pca.md").read_text()
    before, _, rest = page.partition("<!-- measured -->\n")
    after = rest.partition("<!-- end -->")[2]
    text = measured(output, quick)
    (output / "kernel-pca.md").write_text(f"{before}<!-- measured -->\n{text}\n<!-- end -->{after}")
    print(output / "kernel-pca.md")


if __name__ == "__main__":
    main()
