"""The methods that are timed: ours, scikit-learn's, and one projection for reference."""

from dataclasses import dataclass

import numpy as np
from rivals import AdaOja, HistoryPCA
from sklearn.decomposition import PCA, IncrementalPCA

from roipca import OnlinePCA

INTEL_LARGEST = 2000  # features: it stores a features x features matrix and solves its eigenproblem
COVARIANCE_LARGEST = 4000  # features: the same
START_ROWS = 500  # row-by-row methods start from a batch PCA of these, as in the paper's experiments


@dataclass
class Contestant:
    """A method to time. If it has several variants, such as batch sizes, only the fastest counts.

    A variant is a function that takes the rows X, prepares the run, and returns the function to time and the number of
    rows that it processes. The timed function returns a fitted estimator, or None.
    """

    label: str
    variants: dict
    dtype: type = np.float64


def intel_incremental_pca():
    """Returns scikit-learn-intelex's IncrementalPCA, on one thread, or None if it does not load."""
    try:
        import daal4py
        from sklearnex.preview.decomposition import IncrementalPCA as Accelerated
    except Exception:  # optional, and fails in many ways on other machines
        return None
    daal4py.daalinit(1)
    return Accelerated


def batch_sizes(d, m):
    """Returns the batch sizes to try; scikit-learn's default is 5 d."""
    return [5 * d if d <= 1000 else 200, 2 * m, 5 * m, 20 * m]


def whole(make):
    """Returns a variant that fits a new estimator to all rows and reads its components, which some find only then."""

    def prepare(X):
        def fit_and_read():
            estimator = make().fit(X)
            _ = estimator.components_
            return estimator

        return fit_and_read, len(X)

    return prepare


def ours(label, m, dtype=np.float64, **parameters):
    return Contestant(label, {"": whole(lambda: OnlinePCA(m, **parameters))}, dtype)


def row_by_row(label, m, method):
    def prepare(X):
        pca = OnlinePCA(m, method=method, update_every="row", oversampling=0).fit(X[:START_ROWS])
        return (lambda: pca.partial_fit(X[START_ROWS:])), len(X) - START_ROWS

    return Contestant(label, {"": prepare})


def incremental(label, estimator, m, sizes):
    return Contestant(label, {f"{b} rows": whole(lambda b=b: estimator(m, batch_size=b)) for b in sizes})


def projection(m):
    """Returns one product of the rows with m columns: the cost of looking at every row once."""

    def prepare(X):
        C = np.random.default_rng(0).standard_normal((m, X.shape[1]))

        def project():
            X @ C.T

        return project, len(X)

    return Contestant("one projection", {"": prepare})


def batch_pca(solver, m):
    """Returns scikit-learn's PCA, which has all rows in memory."""
    name = solver.replace("_", " ")
    return Contestant(f"PCA, {name}", {"": whole(lambda: PCA(m, svd_solver=solver, random_state=0))})


def rivals(m):
    """Returns published methods by mini-batches, small and large: the larger they are, the faster and the coarser."""
    for label, method in (("AdaOja", AdaOja), ("History PCA", HistoryPCA)):
        for b in (2 * m, 10 * m):
            yield Contestant(f"{label}, {b} rows", {"": whole(lambda b=b, method=method: method(m, b))})


def several(d, m):
    """Returns those to time where the rows have a slow spectrum."""
    yield ours("roipca", m)
    yield ours("roipca, float32", m, np.float32)
    yield incremental("IncrementalPCA", IncrementalPCA, m, [2 * m, 5 * m])
    yield from rivals(m)
    yield batch_pca("randomized", m)
    yield batch_pca("covariance_eigh", m)
    yield projection(m)


def everybody(d, m):
    yield ours("roipca", m)
    yield ours("roipca, float32", m, np.float32)
    yield ours("roipca, 2 threads", m, n_jobs=2)
    yield row_by_row("ROIPCA, row by row", m, "roipca")
    yield row_by_row("fROIPCA, row by row", m, "froipca")
    yield row_by_row("IPCA, row by row", m, "ipca")
    yield row_by_row("CCIPCA, row by row", m, "ccipca")
    yield row_by_row("GHA, row by row", m, "gha")
    yield row_by_row("Oja's rule, row by row", m, "oja")
    yield ours("frequent directions", m, method="fd")
    yield incremental("IncrementalPCA", IncrementalPCA, m, batch_sizes(d, m))
    accelerated = intel_incremental_pca()
    if accelerated and d <= INTEL_LARGEST:
        yield incremental("IncrementalPCA, intelex", accelerated, m, batch_sizes(d, m))
    yield from rivals(m)
    yield batch_pca("randomized", m)
    if d <= COVARIANCE_LARGEST:
        yield batch_pca("covariance_eigh", m)
    yield projection(m)
