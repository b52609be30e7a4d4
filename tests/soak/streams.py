#!/usr/bin/env python3
"""Compares random streams with a dense oracle.

    python tests/soak/streams.py                        5,000 streams
    python tests/soak/streams.py --first 200 --count 50
    python tests/soak/streams.py --seed 1234            one stream: what it is, and what is wrong with it
    python tests/soak/streams.py --ratios               the largest error of each check, over its tolerance

Prints a line for each wrong result and exits 1 where there is one.
"""

import argparse
import itertools
import os
import pickle
import sys
import tempfile
import time
import warnings
from collections import Counter
from dataclasses import dataclass, replace
from functools import cached_property, partial, reduce
from multiprocessing import get_context

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # the matrices are small

import checks
import kinds
import numpy as np
import recursion
from truth import Units, effective_weights, truth_of

from roipca import OnlinePCA, _core
from roipca._parameters import core_parameters

STREAMS = 5000
WIDE = 700  # features of a few streams: products of doubles are rounded from 640 on
WIDE_STREAMS = 0.01
FIRST_ROWS = 1000  # rows that standardize takes the scales from, for so few features


@dataclass
class Stream:
    seed: int
    name: str  # what it is, in words
    rows: np.ndarray
    dtype: np.dtype
    weights: np.ndarray | None
    parameters: dict
    route: str
    feature: str | None = None
    units: Units | None = None  # that the results are in, if not those of the rows

    def given(self, piece=slice(None)):
        """Returns rows in the form in which the estimator gets them."""
        form = kinds.FEATURES.get(self.feature, {}).get("given", np.asarray)
        return form(self.rows[piece])

    def finish(self, pca):
        last = kinds.FEATURES.get(self.feature, {}).get("finish")
        return last(pca, self.given(), self.weights) if last else pca

    @property
    def center(self):
        return self.parameters.get("center", True)

    @property
    def forgetting(self):
        return self.parameters.get("forgetting", 1.0)

    @property
    def eps(self):
        return float(np.finfo(self.dtype).eps)

    @cached_property
    def plan(self):
        parameters = core_parameters(self.estimator().get_params(), None, self.rows.shape[1])
        return _core.plan(parameters, self.rows.shape[1])

    @property
    def method(self):
        return self.plan[0]

    @property
    def held(self):
        return self.plan[2]

    @property
    def mu(self):
        return "zero" if self.method == "ipca" else self.parameters.get("mu", "mean")

    @property
    def by_rows(self):
        return self.method != "exact" and (
            self.method not in ("roipca", "ipca") or self.parameters.get("update_every") == "row"
        )

    @property
    def dense_by_rows(self):
        return self.method == "ipca" and self.by_rows

    @property
    def is_one(self):
        return self.route not in PARTS and self.feature not in PARTS

    @cached_property
    def used(self):
        return effective_weights(len(self.rows), self.weights, self.forgetting)[0]

    @property
    def block_size(self):
        size = self.parameters.get("block_size", "auto")
        if self.by_rows:
            return 1
        if self.method == "exact":
            return 32
        return min(max((self.held // 2 + 14 + 7) // 8 * 8, 8), 256) if size == "auto" else size

    @property
    def blocks(self):
        first = recursion.START_ROWS if self.route == "fit" and self.by_rows else 0
        given = np.ones(len(self.rows)) if self.weights is None else self.weights
        return recursion.block_counts(given[self.used], self.block_size, self.forgetting, first, self.center)

    def estimator(self):
        return OnlinePCA(**self.parameters)


def part_of(weights, piece):
    return None if weights is None else weights[piece]


def whole(stream, rng):
    return stream.finish(stream.estimator().partial_fit(stream.given(), sample_weight=stream.weights))


def in_calls(stream, rng):
    """Divides the rows into calls at random places, with readings in between, which must not change anything."""
    pca = stream.estimator()
    n = len(stream.rows)
    cuts = np.unique(np.r_[0, rng.integers(0, n + 1, rng.integers(1, 9)), n])
    for start, stop in itertools.pairwise(cuts):
        piece = slice(start, stop)
        pca.partial_fit(stream.given(piece), sample_weight=part_of(stream.weights, piece))
        if rng.random() < 0.3 and hasattr(pca, "n_features_in_"):
            pca.components_  # noqa: B018
    return stream.finish(pca)


def resumed(stream, rng):
    """Saves and restores the state in the middle."""
    pca = stream.estimator()
    at = rng.integers(1, len(stream.rows)) if len(stream.rows) > 1 else 1
    pca.partial_fit(stream.given(slice(0, at)), sample_weight=part_of(stream.weights, slice(0, at)))
    pca = pickle.loads(pickle.dumps(pca))
    if at < len(stream.rows):
        pca.partial_fit(stream.given(slice(at, None)), sample_weight=part_of(stream.weights, slice(at, None)))
    return stream.finish(pca)


def fit(stream, rng):
    return stream.finish(stream.estimator().fit(stream.given(), sample_weight=stream.weights))


def loaded(stream, rng):
    """Saves and loads the model in the middle."""
    pca = stream.estimator()
    at = rng.integers(1, len(stream.rows)) if len(stream.rows) > 1 else 1
    pca.partial_fit(stream.given(slice(0, at)), sample_weight=part_of(stream.weights, slice(0, at)))
    if not hasattr(pca, "n_features_in_"):
        return whole(stream, rng)  # rows of weight 0 only: there is no model to save
    with tempfile.TemporaryDirectory() as folder:
        pca.save(os.path.join(folder, "model"))
        pca = OnlinePCA.load(os.path.join(folder, "model"))
    if at < len(stream.rows):
        pca.partial_fit(stream.given(slice(at, None)), sample_weight=part_of(stream.weights, slice(at, None)))
    return stream.finish(pca)


def merged(stream, rng):
    """Fits parts in order and merges them from the left."""
    count = min(len(stream.rows), int(rng.integers(2, 6)))
    parts = []
    for piece in np.array_split(np.arange(len(stream.rows)), count):
        weights = part_of(stream.weights, piece)
        if weights is None or weights.any():
            parts.append(stream.estimator().partial_fit(stream.given(piece), sample_weight=weights))
    return stream.finish(reduce(lambda a, b: a.merge(b), parts))


def threads(stream, rng):
    pca = stream.estimator().set_params(n_jobs=3)
    return stream.finish(pca.partial_fit(stream.given(), sample_weight=stream.weights))


# How rows reach an estimator, and whether the result must have the bits of one call.
ROUTES = {
    "one call": (whole, True),
    "calls": (in_calls, True),
    "state": (resumed, True),
    "fit": (fit, False),
    "model file": (loaded, False),
    "merge": (merged, False),
    "threads": (threads, False),
}


# These truncate the spectrum more than once, so the recursion does not predict the result. At most so many parts.
PARTS = {"model file": 2, "merge": 5, "threads": 3, "window": 20}


def draw_feature(seed, parameters, route):
    """Returns the feature of a stream, or None, from a generator of its own: streams without one stay as they are."""
    rng = np.random.default_rng([16, seed])
    if rng.random() >= kinds.WITH_FEATURE:
        return None
    feature = str(rng.choice(list(kinds.FEATURES)))
    method, by_rows = parameters.get("method", "auto"), parameters.get("update_every") == "row"
    by_blocks = method in ("auto", "exact", "roipca", "ipca") and not by_rows
    unordered = route in ("merge", "threads")
    excluded = {
        "window": not by_blocks or unordered or route == "model file" or parameters["forgetting"] < 1,
        "missing values": not by_blocks,
        "refine": not by_blocks or parameters["forgetting"] < 1,
    }
    return None if excluded.get(feature, False) else feature


def draw(seed):
    rng = np.random.default_rng([14, seed])
    d = int(rng.choice([1, 2, 5, 10, 20, 40, 80, 160], p=[0.02, 0.05, 0.18, 0.2, 0.25, 0.2, 0.07, 0.03]))
    n = int(10 ** rng.uniform(1, 3.2 if d <= 40 else 2.8))
    if np.random.default_rng([18, seed]).random() < WIDE_STREAMS:
        d = WIDE
    kind = rng.choice(list(kinds.ROWS))
    changes = list(rng.choice(list(kinds.CHANGES), rng.choice([0, 1, 2, 3], p=[0.2, 0.35, 0.3, 0.15]), replace=False))
    rows = kinds.ROWS[kind](rng, n, d)
    for change in changes:
        rows = kinds.CHANGES[change](rng, rows)
    dtype = rng.choice([np.float32, np.float64])
    rows = np.ascontiguousarray(rows, dtype)

    names = list(kinds.METHODS)
    shares = np.array([kinds.METHODS[name][0] for name in names], float)
    method = str(rng.choice(names, p=shares / shares.sum()))
    parameters = {"n_components": int(rng.integers(1, min(d, 24) + 1)), **kinds.METHODS[method][1]}
    parameters["center"] = bool(rng.random() < 0.8)
    parameters["forgetting"] = float(rng.choice(kinds.FORGETTING))
    block_size = kinds.BLOCK_SIZES[rng.integers(len(kinds.BLOCK_SIZES))]
    if "update_every" not in parameters and parameters.get("method") in ("roipca", "ipca"):
        parameters["block_size"] = block_size
    parameters["oversampling"] = kinds.OVERSAMPLING[rng.integers(len(kinds.OVERSAMPLING))]
    weighing = str(rng.choice(list(kinds.WEIGHTS), p=[0.5, 0.14, 0.12, 0.12, 0.06, 0.06]))
    weights = kinds.WEIGHTS[weighing](rng, len(rows))
    route = str(rng.choice(list(ROUTES), p=[0.2, 0.25, 0.15, 0.1, 0.1, 0.12, 0.08]))
    if route in ("merge", "threads") and parameters["forgetting"] < 1:
        route = "calls"  # a merge does not know the order of the rows
    feature = draw_feature(seed, parameters, route)
    if feature:
        own = np.random.default_rng([17, seed])
        rows = kinds.FEATURES[feature].get("change", lambda _, X: X)(own, rows).astype(dtype)
        parameters |= kinds.FEATURES[feature].get("parameters", {})
        kind = f"{feature}: {kind}"
    told = [kind, *changes, np.dtype(dtype).name, f"{len(rows)} x {d}", f"weights {weighing}", route]
    told += [f"{name}={value}" for name, value in parameters.items()]
    return Stream(seed, ", ".join(map(str, told)), rows, np.dtype(dtype), weights, parameters, route, feature)


def same_bits(a, b):
    return all(
        np.array_equal(getattr(a, name), getattr(b, name))
        for name in ("mean_", "var_", "components_", "explained_variance_", "singular_values_")
    )


def check_bits(report, stream, pca, rng):
    """Checks that the route does not change a bit, and that a power of two changes only exponents."""
    if not ROUTES[stream.route][1]:
        return
    other = whole(stream, rng) if stream.route != "one call" else in_calls(stream, rng)
    report.holds("bits", same_bits(pca, other), f"one call and {stream.route} differ")
    scale = 2.0 ** rng.integers(-20, 21)
    scaled = replace(stream, rows=(stream.rows * scale).astype(stream.dtype))
    other = whole(scaled, rng)
    of_values = 1.0 if stream.feature == "standardize" else scale
    report.holds(
        "scale",
        np.array_equal(pca.components_, other.components_)
        and np.array_equal(pca.singular_values_ * of_values, other.singular_values_),
        f"rows times {scale} have other components or variances",
    )


def origin_of_units(stream):
    """Returns the mean of the rows that the scales are first taken from, or 0 without centring."""
    X = stream.rows[stream.used][:FIRST_ROWS].astype(np.longdouble)
    weights = np.ones(len(stream.rows)) if stream.weights is None else stream.weights
    weights = weights[stream.used][:FIRST_ROWS].astype(np.longdouble)
    if not stream.center:
        return np.zeros(X.shape[1])
    return X[0] + weights @ (X - X[0]) / weights.sum()


def as_seen(stream, pca):
    """Returns the stream of the rows that the results are those of: the latest, or in other units."""
    if stream.feature == "standardize":
        return replace(stream, units=Units(pca.scale_, origin_of_units(stream) if stream.is_one else None))
    if stream.feature == "window":
        covered = np.flatnonzero(stream.used)[pca.rows_covered_.start : pca.rows_covered_.stop]
        return replace(stream, rows=stream.rows[covered], weights=part_of(stream.weights, covered))
    return stream


def check_stream(stream):
    """Returns the report of one stream."""
    report = checks.Report()
    rng = np.random.default_rng([15, stream.seed])
    try:
        pca = ROUTES[stream.route][0](stream, rng)
    except Exception as error:
        report.failures.append(f"refused: {type(error).__name__}: {error}")
        return report
    check_bits(report, stream, pca, rng)
    eps = stream.eps
    if stream.feature == "missing values":
        checks.check_observed(report, pca, stream)
        checks.check_form(report, checks.Fit.of(pca, 1.0), len(stream.rows), eps)
        return report
    given = stream.rows
    stream = as_seen(stream, pca)
    truth = truth_of(stream.rows, stream.weights, stream.center, stream.forgetting, stream.units)
    fit_of = checks.Fit.of(pca, truth.unit)
    of_products = checks.sparse_loss(stream, truth)
    checks.check_moments(report, fit_of, truth, eps, stream.feature == "standardize", of_products)
    checks.check_form(report, fit_of, truth.count, eps)
    if truth.divisor == 0 or truth.trace == 0:
        return report
    if stream.feature == "refine" and stream.method != "exact":
        before = ROUTES[stream.route][0](replace(stream, feature=None), np.random.default_rng([15, stream.seed]))
        checks.check_refined(report, fit_of, checks.Fit.of(before, truth.unit), truth, eps)
        return report

    updates = len(stream.blocks)
    loss = checks.solver_loss(truth, updates, dense_order=stream.held + 1 if stream.dense_by_rows else 0)
    if stream.method == "exact":
        loss = loss + checks.scatter_loss(truth, updates)
    loss = loss + of_products + checks.rounded_loss(stream, truth)
    of_parts = 0.0
    if not stream.is_one:
        of_parts = checks.floor_loss(stream, truth, parts=PARTS.get(stream.feature, PARTS.get(stream.route)))
    loss = loss + of_parts
    tolerance = checks.rounding_of(truth, eps, updates)
    tolerance = tolerance + checks.in_singular_values(loss, truth.singular_values)
    tail = np.sqrt((truth.singular_values[stream.held :] ** 2).sum())
    # Sparse rows of many features are added many at once, which loses less than blocks do.
    many_at_once = stream.feature == "sparse rows" and stream.rows.shape[1] >= WIDE
    has_recursion = stream.method in ("roipca", "ipca", "froipca") and stream.is_one and not many_at_once
    if stream.method == "exact" or (stream.method in ("roipca", "ipca") and tail <= eps * truth.size):
        floors = checks.reading_floor(stream, truth, truth.vectors)
        true, allowed = checks.check_spectrum(report, fit_of, truth, floors, tolerance)
        seen = stream.rows if stream.feature == "window" else given
        checks.check_t2(report, pca, seen, truth, stream.used, true, allowed, eps)
    elif has_recursion:
        plain = checks.run_recursion(stream, truth)
        disturbed = checks.disturbed_runs(stream, truth, rng, checks.roundings_of(updates))
        floor_of = partial(checks.reading_floor, stream, truth)
        of_lost = 0.0 if stream.by_rows else checks.OF_LOST
        checks.check_truncated(report, fit_of, truth, plain, disturbed, floor_of, tolerance, of_lost)
    if stream.method in ("roipca", "ipca") and stream.mu == "zero":
        checks.check_below(report, fit_of, truth, tolerance)
    # Parts in units of their own are sketched in these: what they lose is bounded in no others.
    has_other_units = stream.feature == "standardize" and not stream.is_one
    if stream.method == "fd" and not has_other_units:
        # A component of the sketch may lie along any feature.
        floor = checks.reading_floor(stream, truth, np.eye(stream.rows.shape[1])).max()
        lost = checks.sketch_loss(stream, truth, updates) + of_parts
        checks.check_sketch(report, fit_of, truth, stream.held, lost, floor)
    return report


def check_seed(seed):
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        stream = draw(seed)
        return seed, stream.name, check_stream(stream)


def check_seeds(seeds, processes=None):
    """Yields the reports of many streams, in any order."""
    if processes == 1:
        yield from map(check_seed, seeds)
        return
    with get_context("spawn").Pool(processes or os.cpu_count()) as pool:
        yield from pool.imap_unordered(check_seed, seeds, chunksize=8)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, help="one stream")
    parser.add_argument("--first", type=int, default=0, help="first seed")
    parser.add_argument("--count", type=int, default=STREAMS, help="number of streams")
    parser.add_argument("--processes", type=int, default=None)
    parser.add_argument("--ratios", action="store_true", help="print each check's largest error over its tolerance")
    arguments = parser.parse_args()
    seeds = range(arguments.first, arguments.first + arguments.count)
    if arguments.seed is not None:
        seeds = [arguments.seed]
        print(draw(arguments.seed).name)
    start = time.perf_counter()
    wrong, ratios = Counter(), {}
    streams = 0
    for seed, name, report in check_seeds(seeds, 1 if arguments.seed is not None else arguments.processes):
        for failure in report.failures:
            print(f"{seed}: {failure}  [{name}]")
        wrong.update({failure.split(":")[0].split(" at ")[0] for failure in report.failures})
        streams += bool(report.failures)
        for check, ratio in report.ratios.items():
            if ratio >= ratios.get(check, (-1.0, 0))[0]:
                ratios[check] = (ratio, seed)
    if arguments.ratios or arguments.seed is not None:
        for check, (ratio, seed) in sorted(ratios.items()):
            print(f"{check:24} {ratio:10.3g} of its tolerance in {seed}")
    print(f"{len(seeds)} streams in {time.perf_counter() - start:.0f} s, {streams} wrong: {dict(wrong)}")
    return 1 if streams else 0


if __name__ == "__main__":
    sys.exit(main())
