"""The results by definition: moments in extended precision, and a dense singular value decomposition."""

from dataclasses import dataclass

import numpy as np
from recursion import OUTWEIGHED

LONG = np.longdouble
FIRST_BLOCK = 128  # rows for which an estimator may still use its first row instead of a mean


@dataclass
class Truth:
    """Of rows as they are in their own precision, with weights after forgetting.

    Scatter, singular values and sizes are those of rows times the root of their weight. `unit` is a power of
    two: rows, means and sizes are multiplied by it, so that nothing leaves double's range.
    """

    unit: float
    count: int  # rows of positive weight
    weights: np.ndarray  # after forgetting, one per such row
    divisor: float  # the scatter divided by it is the variance
    mean: np.ndarray
    spread: np.ndarray  # largest distance of a row from the first, per feature
    scatter: np.ndarray  # diagonal of the scatter
    trace: float
    deviations: np.ndarray  # rows about the mean, times the roots of their weights
    singular_values: np.ndarray
    vectors: np.ndarray  # one per row
    feature_sizes: np.ndarray  # root of the scatter about the running mean (see `reach`), per feature
    size: float  # the same for all features together: the scale of a relative rounding of each row
    reach: np.ndarray  # |x - m| for running means m, in the rows' own unit: what roundings to T are relative to


@dataclass
class Units:
    """The units of standardized rows: see src/intake/units.hpp."""

    scale: np.ndarray
    origin: np.ndarray | None  # None where parts of the rows have origins of their own, each among its rows

    def distances(self, X):
        """|x - origin|, or the largest that it can be."""
        if self.origin is None:
            return np.maximum(X - X.min(axis=0), X.max(axis=0) - X)
        return np.abs(X - self.origin)


def effective_weights(n, weights, forgetting):
    """Returns which rows count, and the weight of each after the last row. Rows of weight 0 do not apply forgetting."""
    given = np.ones(n) if weights is None else np.asarray(weights, np.float64)
    used = given > 0
    later = np.arange(used.sum())[::-1]
    return used, given[used].astype(LONG) * LONG(forgetting) ** later


def about_running_means(X, weights, center):
    """|x - m| for the mean m of the rows before x, or of those before its block, whichever is farther."""
    if not center:
        return np.abs(X)
    shifted = X - X[0]
    sums = np.cumsum(weights[:, None] * shifted, axis=0)
    means = sums / np.cumsum(weights)[:, None]
    previous = np.concatenate([np.zeros_like(means[:1]), means[:-1]])
    older = np.concatenate([np.zeros_like(means[:FIRST_BLOCK]), means[:-FIRST_BLOCK]])[: len(X)]
    return np.maximum(np.abs(shifted - previous), np.abs(shifted - older))


def truth_of(rows, weights=None, center=True, forgetting=1.0, units=None):
    """Returns the results for rows that are divided by the scales of `units`, where there are some.

    Such rows enter an update rounded to T about the origin of their units, which may be farther away than the running
    mean: `reach` is the larger distance.
    """
    used, w = effective_weights(len(rows), weights, forgetting)
    X = rows[used].astype(LONG)
    scale = LONG(1) if units is None else units.scale.astype(LONG)
    # Relative to the heaviest row: its distance from the mean may be 1e-16 of that to the others. Divided only then:
    # far from the origin, the quotients would have few digits of the differences.
    origin = X[w.argmax()] if center else np.zeros(X.shape[1], LONG)
    about_units = 0.0 if units is None else units.distances(X) / scale
    largest = float(np.abs(X / scale * np.sqrt(w)[:, None]).max(initial=0.0))
    X = (X - origin) / scale
    unit = 2.0 ** -np.floor(np.log2(largest)) if largest > 0 else 1.0
    total = w.sum()
    # sum_(i != j) w_i w_j / total: no difference of nearly equal numbers.
    before = np.concatenate([[LONG(0)], np.cumsum(w)[:-1]])
    divisor = 2 * (w * before).sum() / total if center else total
    offset = (w[:, None] * X).sum(axis=0) / total if center else origin
    mean = origin / scale + offset
    deviations = (X - offset) * np.sqrt(w)[:, None] * LONG(unit)
    scatter = (deviations**2).sum(axis=0)
    reach = np.maximum(about_running_means(X, w, center), about_units)
    # A row that outweighs all before it by far moves the mean to itself: it counts as often as the others, those
    # before it that it is added by, and those after it, for which the mean is known to the rounding of its jump.
    alone = center & (before > 0) & (w > OUTWEIGHED * before)
    gains = np.where(alone, (total - w) / total * w, w)
    sizes = ((reach * LONG(unit)) ** 2 * gains[:, None]).sum(axis=0)
    deviations = deviations.astype(np.float64)
    # The same singular values and right vectors come from a small triangle where there are many rows.
    triangle = np.linalg.qr(deviations, mode="r") if len(X) > X.shape[1] else deviations
    _, singular, vectors = np.linalg.svd(triangle)
    return Truth(
        unit=unit,
        count=int(used.sum()),
        weights=w,
        divisor=divisor if used.sum() > 1 or not center else LONG(0),
        mean=mean * LONG(unit),
        spread=np.abs(X - X[0]).max(axis=0) * LONG(unit),
        scatter=scatter,
        trace=scatter.sum(),
        deviations=deviations,
        singular_values=np.pad(singular, (0, X.shape[1] - len(singular))),
        vectors=vectors,
        feature_sizes=np.sqrt(sizes),
        size=float(np.sqrt(sizes.sum())),
        reach=reach.astype(np.float64),
    )
