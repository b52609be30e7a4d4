"""The methods of the tables, as OnlinePCA estimators, and the paper's tuning of the two that need a rate."""

import numpy as np
from measure import batch_basis, subspace_error

from roipca import OnlinePCA

ROW_BY_ROW = dict(center=False, oversampling=0, update_every="row")  # the algorithms as in the paper
TUNED = ("gha", "oja")
NAMES = {
    "none": "no update",
    "roipca": "ROIPCA",
    "froipca": "fROIPCA",
    "ipca": "IPCA",
    "ccipca": "CCIPCA",
    "gha": "GHA",
    "oja": "Oja's rule",
    "default": "default",
    "blocks": "ROIPCA by blocks",
    "fd": "Frequent Directions",
    "fd-m": "Frequent Directions, m held",
}
FOLDS = 5
RATES = np.logspace(-2, 2, 13)  # multiples of 1 / (leading variance), where the paper's optimum is


def make(label, m, rate=None):
    """Returns an estimator of m components. `rate`: c of c/n, for GHA and Oja's rule."""
    if label == "default":
        return OnlinePCA(m, center=False)
    if label == "blocks":
        return OnlinePCA(m, method="roipca", center=False)
    if label == "fd":
        return OnlinePCA(m, method="fd", center=False)
    if label == "fd-m":
        return OnlinePCA(m, method="fd", oversampling=0, center=False)
    if label in TUNED:
        return OnlinePCA(m, method=label, learning_rate=rate, **ROW_BY_ROW)
    return OnlinePCA(m, method=label, **ROW_BY_ROW)


def tune(label, m, rows, rates=RATES):
    """Returns the c with the least mean error over five folds of rows whose components are known. Each fold omits a
    fifth, starts from a batch PCA of the first fifth of the others, and streams the rest."""
    truth = batch_basis(rows.T @ rows, m)
    leading = np.sum((rows @ truth[:, 0]) ** 2) / len(rows)
    kept = [np.delete(rows, left_out, axis=0) for left_out in np.array_split(np.arange(len(rows)), FOLDS)]

    def error(c):
        found = []
        for fold in kept:
            start = len(fold) // FOLDS
            pca = make(label, m, c).fit(fold[:start]).partial_fit(fold[start:])
            found.append(subspace_error(truth, pca.components_.T))
        return np.mean(found)

    return min((float(c) for c in rates / leading), key=error)
