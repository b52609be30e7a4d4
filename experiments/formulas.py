"""A direct and slow NumPy implementation of the paper's formulas. It tells whether a number that differs from the
paper's is due to the algorithm or to the library."""

import numpy as np
from accuracy import START, STREAMED, centred
from data import DATASETS, DataMissing
from measure import batch_basis, components_for, subspace_error
from methods import make
from scipy.linalg import eigh

LABELS = ("roipca", "froipca", "ipca", "ccipca")
AMNESIA = 2  # CCIPCA's l, as in the library; its authors use 2 to 4


def start(rows, m):
    """Returns the m leading eigenpairs of the scatter matrix."""
    d = rows.shape[1]
    values, vectors = eigh(rows.T @ rows, subset_by_index=[d - m, d - 1])
    return values[::-1], vectors[:, ::-1]


def rank_one(first, rows, m, is_fast=False, is_low_rank=False):
    """Runs Algorithm 1 of the paper: ROIPCA, or fROIPCA if `is_fast`. IPCA has mu = 0 (`is_low_rank`). The roots of the
    truncated secular equation are the eigenvalues of a matrix of order m + 1. Its eigenvectors are proportional to the
    coefficients in ROIPCA's formula, but avoid its division by zero where a root coincides with a pole."""
    values, Q = start(first, m)
    trace, d = np.sum(first**2), first.shape[1]
    for x in rows:
        mu = 0.0 if is_low_rank else (trace - values.sum()) / (d - m)
        trace += x @ x
        z = Q.T @ x
        r = x - Q @ z
        length = np.linalg.norm(r)
        w = np.append(z, length)
        roots, vectors = np.linalg.eigh(np.diag(np.append(values, mu)) + np.outer(w, w))
        roots, vectors = roots[:0:-1], vectors[:, :0:-1]
        if is_fast:
            Q = Q + np.outer(r, (values - roots) / (mu - roots) / z)
        else:
            Q = Q @ vectors[:-1] + np.outer(r / length, vectors[-1])
        Q /= np.linalg.norm(Q, axis=0)
        values = roots
    return Q


def ccipca(first, rows, m, amnesia):
    """Runs candid covariance-free incremental PCA (Weng, Zhang and Hwang)."""
    values, Q = start(first, m)
    V = Q * values / len(first)
    for n, x in enumerate(rows, len(first) + 1):
        left = x.copy()
        for v in V.T:
            v *= (n - 1 - amnesia) / n
            v += (1 + amnesia) / n * (left @ v) / np.linalg.norm(v) * left
            left -= (left @ v) / (v @ v) * v
    return V


def both(name, seed, m, streamed, folder):
    """Returns m, label -> (the library's error, the formula's), and the error of CCIPCA without amnesia."""
    dataset = DATASETS[name]
    rows = centred(np.asarray(dataset.draw(np.random.default_rng(seed), START + streamed, folder), float))
    scatter = rows.T @ rows
    m = m or dataset.components or components_for(scatter)
    truth = batch_basis(scatter, m)
    first, rest = rows[:START], rows[START:]
    written_out = {
        "roipca": rank_one(first, rest, m),
        "froipca": rank_one(first, rest, m, is_fast=True),
        "ipca": rank_one(first, rest, m, is_low_rank=True),
        "ccipca": ccipca(first, rest, m, AMNESIA),
    }
    found = {
        label: (subspace_error(truth, make(label, m).fit(first).partial_fit(rest).components_.T),
                subspace_error(truth, V))
        for label, V in written_out.items()
    }
    return m, found, subspace_error(truth, ccipca(first, rest, m, 0))


def run(names=tuple(DATASETS), repetitions=3, streamed=STREAMED, folder=None, say=print):
    """Returns data set -> label -> medians of the library's error and of the formula's."""
    results = {}
    for name in names:
        say(f"  {name}")
        found, without, m = [], [], None
        try:
            for turn in range(repetitions):
                m, errors, candid = both(name, 1000 + turn, m, streamed, folder)
                found.append(errors)
                without.append(candid)
        except DataMissing as missing:
            say(f"  skipped: {missing}")
            continue
        results[name] = {
            label: {"library": float(np.median([errors[label][0] for errors in found])),
                    "formula": float(np.median([errors[label][1] for errors in found]))}
            for label in LABELS
        }
        results[name]["ccipca without amnesia"] = {"formula": float(np.median(without))}
    return {"repetitions": repetitions, "amnesia": AMNESIA, "datasets": results}
