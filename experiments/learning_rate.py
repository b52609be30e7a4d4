"""The figure on the learning rate: the error after one step of fROIPCA's rule, at rates around the optimal one.

Taken literally, the paper's samples (Gaussian, with a covariance of rank m = 1) all lie on one line: no sample moves
the component, whatever the rate. So the rule is run on two interpretations of the text:

assumed  the assumption of the proposition: rows of rank one, and then one sample off their line. Each sample is added
         to the same first rows.
stream   rank one and a little noise. Each sample is added to all rows before it, and the step starts from their exact
         component and eigenvalue.
"""

import numpy as np
from measure import batch_basis

from roipca import OnlinePCA

FEATURES, NOISE = 100, 0.1  # the paper gives neither; along the line the standard deviation is 1
FIRST, SAMPLES, RATES = 100, 500, 500
ETA = np.logspace(-5, 1, RATES)
GRID = np.round(np.linspace(-2, 2, 81), 3)  # log10(eta / eta*) at the points of the curves
DRAWN = 12  # samples whose own curves are drawn


def leading(scatter):
    """Returns the largest eigenvalue and its eigenvector."""
    q = batch_basis(scatter, 1)[:, 0]
    return q @ scatter @ q, q


def optimal_rate(t_before, t_after, z):
    """Returns the paper's eta*, from the exact eigenvalues before and after the sample."""
    return (1 - t_before / t_after) / z**2


def rate_of_library(rows, x, q):
    """Returns the rate that the library's fROIPCA (mu = 0, as in the proposition) used for x after the rows: its new
    component is q + eta z r, normalised."""
    pca = OnlinePCA(1, method="froipca", mu="zero", oversampling=0, center=False).fit(rows)
    new = pca.update(x).components_[0]
    z = q @ x
    r = x - z * q
    return (new @ r) / (r @ r) / (new @ q) / z


def one_sample(rows, scatter, x):
    """Returns (log10(eta / eta*) at each rate, the errors there, the error at eta*, the library's rate / eta*)."""
    t_before, q = leading(scatter)
    t_after, p = leading(scatter + np.outer(x, x))
    z = q @ x
    p *= np.sign(p @ q)
    best = optimal_rate(t_before, t_after, z)
    stepped = q + np.append(ETA, best)[:, None] * z * (x - z * q)
    stepped /= np.linalg.norm(stepped, axis=1, keepdims=True)
    errors = np.linalg.norm(stepped - p, axis=1)
    return np.log10(ETA / best), errors[:-1], errors[-1], rate_of_library(rows, x, q) / best


def samples(kind, rng, count):
    """Yields the rows before a sample, their scatter matrix, and the sample."""
    line = rng.standard_normal(FEATURES)
    line /= np.linalg.norm(line)
    rows = np.outer(rng.standard_normal(FIRST + count), line)
    noise = NOISE * rng.standard_normal(rows.shape)
    if kind == "assumed":
        scatter = rows[:FIRST].T @ rows[:FIRST]
        for x in (rows + noise)[FIRST:]:
            yield rows[:FIRST], scatter, x
        return
    rows += noise
    scatter = rows[:FIRST].T @ rows[:FIRST]
    for n in range(FIRST, FIRST + count):
        yield rows[:n], scatter, rows[n]
        scatter = scatter + np.outer(rows[n], rows[n])


def summary(kind, count):
    minima, at_best, library, curves = [], [], [], []
    for rows, scatter, x in samples(kind, np.random.default_rng(1), count):
        deviation, errors, error, ratio = one_sample(rows, scatter, x)
        minima.append(deviation[np.argmin(errors)])
        at_best.append(error / errors.min())
        if len(rows) <= 500:  # `fit` starts from a batch PCA of the first 500 rows, so from the exact component
            library.append(abs(ratio - 1))
        curves.append(np.interp(GRID, deviation, np.log10(errors), left=np.nan, right=np.nan))
    low, middle, high = np.nanquantile(curves, (0.05, 0.5, 0.95), axis=0)
    return {
        "samples": count,
        "minima": {"median": float(np.median(minima)), "q05": float(np.quantile(minima, 0.05)),
                   "q95": float(np.quantile(minima, 0.95)), "furthest": float(np.max(np.abs(minima)))},
        "error_at_optimum_over_best_of_rates": {"median": float(np.median(at_best)), "largest": float(np.max(at_best))},
        "library_rate_off_by": {"median": float(np.median(library)), "largest": float(np.max(library)),
                                "samples": len(library)},
        "median": np.round(middle, 4).tolist(), "q05": np.round(low, 4).tolist(), "q95": np.round(high, 4).tolist(),
        "curves": np.round(curves[:: max(1, count // DRAWN)], 3).tolist(),
    }


def run(count=SAMPLES):
    return {
        "features": FEATURES, "noise": NOISE, "rates": RATES, "spacing": float(np.log10(ETA[1] / ETA[0])),
        "log10_ratio": GRID.tolist(),
        "assumed": summary("assumed", count),
        "stream": summary("stream", count),
    }
