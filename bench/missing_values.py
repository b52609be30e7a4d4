#!/usr/bin/env python3
"""Compares missing="impute" with other ways to do PCA of rows with gaps: writes the tables of docs/missing.md.

    python bench/missing_values.py            # some minutes
    python bench/missing_values.py --quick    # seconds, small sizes, to check that it runs

MNIST and superconductivity are read from the folder that ROIPCA_DATA names, as in experiments/; without the files these
rows of the tables are left out. --output writes to another folder instead of docs. It uses one thread.
"""

import os

# Before NumPy loads its BLAS.
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"

import sys
import textwrap
import time
import warnings

import numpy as np
from destination import ROOT, asked
from sklearn.experimental import enable_iterative_imputer  # noqa: F401
from sklearn.impute import IterativeImputer

from roipca import OnlinePCA

sys.path.insert(0, str(ROOT / "scripts"))
sys.path.insert(0, str(ROOT / "experiments"))
import data as experiment_data
from processor import processor

IMPUTER_FEATURES = 150  # IterativeImputer fits one regression per feature and round: more features take hours
RUN = 200  # rows for which a sensor is off


def factors(rows):
    """Returns rows of 120 features with 15 factors, and noise that differs between features."""
    random = np.random.default_rng(1)
    loadings = random.standard_normal((120, 15)) * np.linspace(3, 1, 15)
    noise = np.exp(0.25 * random.standard_normal(120))
    return random.standard_normal((rows, 15)) @ loadings.T + noise * random.standard_normal((rows, 120)) + 5


def drawn(load, rows):
    X = np.asarray(load(None), dtype=float)
    return X[np.random.default_rng(0).permutation(len(X))[:rows]]


def standardised(X):
    X = X[:, X.std(axis=0) > 0]
    return (X - X.mean(axis=0)) / X.std(axis=0)


def datasets(quick):
    """Returns rows and the number of components to compare, by name."""
    found = {"factors": (factors(1500 if quick else 6000), 15)}
    try:
        rows = drawn(experiment_data.load_superconductivity, 500 if quick else 6000)
        found["superconductivity, standardised"] = (standardised(rows), 5)
        found["MNIST"] = (drawn(experiment_data.load_mnist, 300 if quick else 4000) / 255, 20)
    except experiment_data.DataMissing as error:
        print(f"left out: {error}", file=sys.stderr)
    return found


def at_random(X, part):
    """Returns the rows with values missing completely at random."""
    return np.where(np.random.default_rng(5).random(X.shape) < part, np.nan, X)


def in_runs(X):
    """Returns the rows with each feature missing for RUN rows at a time, a quarter of the time."""
    is_off = np.random.default_rng(6).random((-(-len(X) // RUN), X.shape[1])) < 0.25
    return np.where(np.repeat(is_off, RUN, axis=0)[: len(X)], np.nan, X)


def batch(X, count):
    values, vectors = np.linalg.eigh(np.cov(X.T))
    return values[::-1][:count], vectors[:, ::-1][:, :count].T


def roipca(gaps, count):
    pca = OnlinePCA(count, missing="impute").fit(gaps)
    return pca.explained_variance_, pca.components_


def roipca_twice(gaps, count):
    pca = OnlinePCA(count, missing="impute").fit(gaps).refine(gaps)
    return pca.explained_variance_, pca.components_


def mean_fill(gaps, count):
    return batch(np.where(np.isnan(gaps), np.nanmean(gaps, axis=0), gaps), count)


def iterative_imputer(gaps, count):
    if gaps.shape[1] > IMPUTER_FEATURES:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        filled = IterativeImputer(max_iter=5, n_nearest_features=30, random_state=0).fit_transform(gaps)
    return batch(filled, count)


def least_squares(gaps, count):
    """Fills row by row, as R's onlinePCA imputes: by the least-squares coordinates on the components so far."""
    first = min(500, len(gaps) // 2)
    every = 50 if gaps.shape[1] < 200 else 200
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # features that no row has yet
        mean = np.nan_to_num(np.nanmean(gaps[:first], axis=0))
    filled = np.where(np.isnan(gaps[:first]), mean, gaps[:first])
    scatter = np.cov(filled.T) * (first - 1)
    seen, vectors = first, batch(filled, count)[1]
    for i, given in enumerate(gaps[first:]):
        x = given.copy()
        there = ~np.isnan(x)
        scores = np.linalg.lstsq(vectors[:, there].T, x[there] - mean[there], rcond=None)[0]
        x[~there] = mean[~there] + scores @ vectors[:, ~there]
        scatter += np.outer(x - mean, x - mean) * seen / (seen + 1)
        seen += 1
        mean = mean + (x - mean) / seen
        if i % every == 0:
            vectors = np.linalg.eigh(scatter)[1][:, ::-1][:, :count].T
    values, vectors = np.linalg.eigh(scatter / (seen - 1))
    return values[::-1][:count], vectors[:, ::-1][:, :count].T


WAYS = {
    "one pass": roipca,
    "two passes": roipca_twice,
    "means": mean_fill,
    "IterativeImputer": iterative_imputer,
    "least squares": least_squares,
}


def subspace_error(found, truth):
    return 2 * (1 - np.linalg.norm(found @ truth.T) ** 2 / len(truth))


def compare(X, gaps, count):
    """Returns the error, the largest bias of a variance and the seconds of each way."""
    values, vectors = batch(X, count)
    results = []
    for way in WAYS.values():
        start = time.process_time()
        found = way(gaps, count)
        seconds = time.process_time() - start
        bias = None if found is None else found[0] / values - 1
        results.append(
            None
            if bias is None
            else (subspace_error(found[1], vectors), bias[np.abs(bias).argmax()], seconds)
        )
    return results


def table(rows):
    lines = ["| rows | missing | " + " | ".join(WAYS) + " |", "|---" * (len(WAYS) + 2) + "|"]
    for name, missing, results in rows:
        cells = ["" if r is None else f"{r[0]:.1e}, {100 * r[1]:+.1f} %, {r[2]:.1f} s" for r in results]
        best = int(np.argmin([np.inf if r is None else r[0] for r in results]))
        cells[best] = f"**{cells[best]}**"
        lines.append(f"| {name} | {missing} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def measured(quick):
    rows = []
    for name, (X, count) in datasets(quick).items():
        cases = [(f"{100 * part:.0f} %", at_random(X, part)) for part in (0.1, 0.3, 0.5)]
        cases.append((f"25 %, {RUN} rows at a time", in_runs(X)))
        for missing, gaps in cases:
            rows.append((name, missing, compare(X, gaps, count)))
            print(rows[-1], file=sys.stderr, flush=True)
    sizes = "; ".join(
        f"{name}: {len(X):,} rows of {X.shape[1]} features, {count} components"
        for name, (X, count) in datasets(quick).items()
    )
    text = f"Measured on one core of an {processor()}. {sizes[0].upper()}{sizes[1:]}."
    return f"{textwrap.fill(text, 120)}\n\n{table(rows)}"


def main():
    quick, output = asked(__doc__)
    page = (ROOT / "docs" / "missing.md").read_text()
    before, _, rest = page.partition("<!-- measured -->\n")
    after = rest.partition("<!-- end -->")[2]
    (output / "missing.md").write_text(f"{before}<!-- measured -->\n{measured(quick)}\n<!-- end -->{after}")


if __name__ == "__main__":
    main()
