"""The accuracy tables and convergence curves: runs start from 500 rows and stream 10,000."""

import numpy as np
from data import DATASETS
from measure import batch_basis, components_for, subspace_error
from methods import NAMES, RATES, TUNED, make, tune

START, STREAMED, TUNING = 500, 10_000, 1_000  # rows; those for tuning are separate
MARKS = tuple(int(n) for n in START + np.unique(np.round(np.logspace(1, 4, 13))))  # rows at the curves' points


def centred(rows):
    """Returns centred rows: the paper centres its data before it streams them."""
    return rows - rows.mean(axis=0)


def repetition(dataset, seed, m=None, folder=None, marks=MARKS, rates=RATES):
    """Returns (m, d, label -> error at each mark), against batch PCA of the rows seen so far."""
    rng = np.random.default_rng(seed)
    drawn = np.asarray(dataset.draw(rng, START + STREAMED + TUNING, folder), float)
    rows, apart = centred(drawn[: START + STREAMED]), centred(drawn[START + STREAMED :])
    m = m or dataset.components or components_for(rows.T @ rows)
    tuned = {label: tune(label, m, apart, rates) for label in TUNED}
    streams = {label: make(label, m, tuned.get(label)).fit(rows[:START]) for label in NAMES if label != "none"}
    scatter = rows[:START].T @ rows[:START]
    first = batch_basis(scatter, m)
    errors = {label: [] for label in NAMES}
    seen = START
    for mark in marks:
        part = rows[seen:mark]
        scatter += part.T @ part
        truth = batch_basis(scatter, m)
        errors["none"].append(subspace_error(truth, first))
        for label, pca in streams.items():
            errors[label].append(subspace_error(truth, pca.partial_fit(part).components_.T))
        seen = mark
    return m, rows.shape[1], errors


def run(name, repetitions=20, marks=MARKS, rates=RATES, folder=None, say=print):
    """Returns the numbers for one data set: median, deviation and quartiles of the last error, and the median curve."""
    found, m, d = [], None, None
    for turn in range(repetitions):
        m, d, errors = repetition(DATASETS[name], seed=1000 + turn, m=m, folder=folder, marks=marks, rates=rates)
        found.append(errors)
        say(f"  repetition {turn + 1} of {repetitions}")
    curves = {label: np.array([errors[label] for errors in found]) for label in NAMES}
    return {
        "features": d,
        "components": m,
        "repetitions": repetitions,
        "rows": list(marks),
        "median": {label: float(np.median(curve[:, -1])) for label, curve in curves.items()},
        "deviation": {label: float(np.std(curve[:, -1])) for label, curve in curves.items()},
        "quartiles": {label: np.quantile(curve[:, -1], (0.25, 0.75)).tolist() for label, curve in curves.items()},
        "curve": {label: np.median(curve, axis=0).tolist() for label, curve in curves.items()},
    }
