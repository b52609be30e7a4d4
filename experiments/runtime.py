"""The figure on time: microseconds per update against features and against components, and their growth.

The paper's rows are zero in all but ten features, so no row leaves the span of the components, and an implementation
may skip work. The growth is therefore also measured with a floor of noise, where every row leaves the span.
"""

import time

import numpy as np

from roipca import OnlinePCA

LABELS = ("roipca", "froipca", "ipca", "ccipca", "default", "fd")
FEATURES = (100, 200, 500, 1000, 2000, 5000, 10_000)
COMPONENTS = (5, 10, 20, 50, 100)
WIDE = 2000  # features, when the number of components varies
FIRST, UPDATES = 1000, 500
FLOOR = 0.1  # standard deviation of the noise


def rows_of(d, m, noise):
    """Returns Gaussian rows with a diagonal covariance: m eigenvalues uniform in [1, 2], the others noise^2."""
    rng = np.random.default_rng(7)
    rows = noise * rng.standard_normal((FIRST + UPDATES, d)) if noise else np.zeros((FIRST + UPDATES, d))
    rows[:, :m] = rng.standard_normal((FIRST + UPDATES, m)) * np.sqrt(rng.uniform(1, 2, m))
    return rows


def estimator(label, m):
    if label == "default":
        return OnlinePCA(m, center=False)
    if label == "fd":
        return OnlinePCA(m, method="fd", center=False)
    return OnlinePCA(m, method=label, oversampling=0, update_every="row", center=False)


def seconds_per_row(d, m, noise, turns):
    """Returns label -> best mean time per update over several rounds, in which all labels take turns. It is the CPU
    time of this thread, so other processes matter only by their effect on caches and clock speed."""
    rows = rows_of(d, m, noise)
    streams = {label: estimator(label, m).fit(rows[:FIRST]) for label in LABELS}
    best = dict.fromkeys(LABELS, np.inf)
    for _ in range(turns):
        for label, pca in streams.items():
            begun = time.thread_time()
            pca.partial_fit(rows[FIRST:])
            best[label] = min(best[label], (time.thread_time() - begun) / UPDATES)
    return best


def slope(sweep, label, last=None):
    """Returns the exponent of a power law fitted to all sizes of a sweep, or to the last few."""
    sizes = list(sweep)[-last if last else None :]
    times = [sweep[size][label] for size in sizes]
    return float(np.polyfit(np.log([int(size) for size in sizes]), np.log(times), 1)[0])


def growth(piece, label):
    """Returns the exponents in d, over all d and the upper half, and in m, over all m and the last two; with noise."""
    floor, components = piece["floor"], piece["components"]
    return {"d": slope(floor, label), "large d": slope(floor, label, (len(floor) + 1) // 2),
            "m": slope(components, label), "large m": slope(components, label, 2)}


def run(features=FEATURES, components=COMPONENTS, wide=WIDE, turns=7, say=print):
    def over_features(noise):
        found = {}
        for d in features:
            say(f"  {d} features, noise {noise}")
            found[d] = seconds_per_row(d, 10, noise, turns)
        return found

    paper, floor, over_components = over_features(0.0), over_features(FLOOR), {}
    for m in components:
        say(f"  {m} components")
        over_components[m] = seconds_per_row(wide, m, FLOOR, turns)
    sweeps = {"paper": paper, "floor": floor, "components": over_components}
    by_size = {name: {str(size): times for size, times in sweep.items()} for name, sweep in sweeps.items()}
    return {**by_size, "wide": wide, "turns": turns}
