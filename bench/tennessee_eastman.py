"""Monitoring the Tennessee Eastman process: false alarms, and how fast each of its 21 faults is found.

    python bench/tennessee_eastman.py [FOLDER]

FOLDER has the files d00.dat, d00_te.dat to d21_te.dat of Chiang, Russell and Braatz (2001). Without it, the copies in
the package bibmon are used (`pip install --no-deps bibmon`). Prints the tables of docs/monitoring.md, beside published
figures of PCA monitoring, and beside bibmon and process-improve where these are installed with their dependencies
(bench/requirements-optional.txt).
"""

from __future__ import annotations

import importlib.util
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np

from roipca import OnlinePCA

MINUTES = 3  # between two rows
FAULT_AT = 160  # row of a test file at which its fault begins
COMPONENTS = 11
IN_A_ROW = 6  # rows beyond a limit that count as detection
FAULTS = range(1, 22)
CONFIDENCES = (0.95, 0.99, 0.999)
RANK_OF_LIMIT = 10  # the published limits are the tenth largest of the 960 normal rows of d00_te.dat


@dataclass
class Published:
    """How PCA with 11 components finds a fault according to Russell, Chiang and Braatz (2000)."""

    missed_by_t2: float  # part of the faulty rows within the limit
    missed_by_spe: float
    delay_by_t2: int | None  # minutes to the end of the first of six rows in a row beyond the limit
    delay_by_spe: int | None

    @property
    def delay(self) -> float | None:
        """Minutes, counted as in `Fault`: from the first faulty row, whose delay is 0."""
        delays = [delay - MINUTES for delay in (self.delay_by_t2, self.delay_by_spe) if delay is not None]
        return float(min(delays)) if delays else None


# E. L. Russell, L. H. Chiang, R. D. Braatz, "Fault detection in industrial processes using canonical variate analysis
# and dynamic principal component analysis", Chemometrics and Intelligent Laboratory Systems 51 (2000), 81-93.
PUBLISHED = {
    1: Published(0.008, 0.003, 21, 9),
    2: Published(0.020, 0.014, 51, 36),
    3: Published(0.998, 0.991, None, None),
    4: Published(0.956, 0.038, None, 9),
    5: Published(0.775, 0.746, 48, 3),
    6: Published(0.011, 0.000, 30, 3),
    7: Published(0.085, 0.000, 3, 3),
    8: Published(0.034, 0.024, 69, 60),
    9: Published(0.994, 0.981, None, None),
    10: Published(0.666, 0.659, 288, 147),
    11: Published(0.794, 0.356, 912, 33),
    12: Published(0.029, 0.025, 66, 24),
    13: Published(0.060, 0.045, 147, 111),
    14: Published(0.158, 0.000, 12, 3),
    15: Published(0.988, 0.973, None, 2220),
    16: Published(0.834, 0.755, 936, 591),
    17: Published(0.259, 0.108, 87, 75),
    18: Published(0.113, 0.101, 279, 252),
    19: Published(0.996, 0.873, None, None),
    20: Published(0.701, 0.550, 261, 261),
    21: Published(0.736, 0.570, 1689, 855),
}


@dataclass
class Fault:
    """How a fault was found by one package."""

    found: dict[str, float]  # by each statistic: the part of its rows beyond the limit
    found_by_any: float
    delay: float | None  # minutes until a statistic was beyond its limit for six rows in a row


def find_data() -> Path | None:
    """Returns the folder of the copies in bibmon, or None if it is not installed."""
    package = importlib.util.find_spec("bibmon")  # found, not imported: its dependencies are many
    if package is None or not package.submodule_search_locations:
        return None
    return Path(next(iter(package.submodule_search_locations))) / "tennessee_eastman"


def load(folder: Path, name: str) -> np.ndarray:
    """Returns rows of 52 variables; the training file has them as columns."""
    rows = np.loadtxt(folder / name)
    return np.ascontiguousarray(rows if rows.shape[1] == 52 else rows.T)


def normal_rows(folder: Path) -> np.ndarray:
    """Returns all normal rows but those that are learned: a file of them, and the rows before each fault."""
    parts = [load(folder, "d00_te.dat")]
    for number in FAULTS:
        rows = load(folder, f"d{number:02}_te.dat")[:FAULT_AT]
        if not any(np.array_equal(rows, part[:FAULT_AT]) for part in parts):  # two files begin with the same ones
            parts.append(rows)
    return np.concatenate(parts)


class Watcher(Protocol):
    """A package that has learned the normal rows."""

    name: str

    def beyond(self, rows: np.ndarray, confidence: float) -> dict[str, np.ndarray]:
        """Returns, for each statistic, which rows are beyond its limit."""
        ...


class Scaled:
    """Variables scaled to unit variance by the rows that are learned."""

    def __init__(self, rows: np.ndarray) -> None:
        self.mean, self.deviation = rows.mean(axis=0), rows.std(axis=0, ddof=1)

    def __call__(self, rows: np.ndarray) -> np.ndarray:
        return (rows - self.mean) / self.deviation


class Roipca:
    name = "roipca"

    def __init__(self, rows: np.ndarray) -> None:
        self.scaled = Scaled(rows)
        self.pca = OnlinePCA(COMPONENTS).fit(self.scaled(rows))

    def beyond(self, rows: np.ndarray, confidence: float) -> dict[str, np.ndarray]:
        scores = self.scores(rows)
        return {
            "T²": scores["T²"] > self.pca.t2_limit(confidence),
            "SPE": scores["SPE"] > self.pca.spe_limit(confidence),
        }

    def scores(self, rows: np.ndarray) -> dict[str, np.ndarray]:
        scaled = self.scaled(rows)
        return {"T²": self.pca.t2(scaled), "SPE": self.pca.spe(scaled)}

    def beyond_by_each_limit(self, rows: np.ndarray, confidence: float) -> dict[str, np.ndarray]:
        """The same, and by the limits that make it up and those of textbooks."""
        pca = self.pca
        t2, spe = self.scores(rows).values()
        by_name = {
            "T² prequential": t2 > pca.t2_limit(confidence, method="prequential"),
            "T² F": t2 > pca.t2_limit(confidence, method="f"),
            "SPE prequential": spe > pca.spe_limit(confidence, method="prequential"),
            "SPE Box": spe > pca.spe_limit(confidence, method="box"),
            "SPE Jackson-Mudholkar": spe > pca.spe_limit(confidence, method="jackson-mudholkar"),
        }
        return {**self.beyond(rows, confidence), **by_name}


class AsPublished:
    """The scores of roipca with the limits of the published figures, whose confidence is always 99 %."""

    name = "published limits"

    def __init__(self, roipca: Roipca, folder: Path) -> None:
        self.roipca = roipca
        scores = roipca.scores(load(folder, "d00_te.dat"))
        self.limits = {name: np.sort(values)[-RANK_OF_LIMIT] for name, values in scores.items()}

    def beyond(self, rows: np.ndarray, confidence: float) -> dict[str, np.ndarray]:
        return {name: values > self.limits[name] for name, values in self.roipca.scores(rows).items()}


class ProcessImprove:
    name = "process-improve"

    def __init__(self, rows: np.ndarray) -> None:
        import pandas as pd
        from process_improve.multivariate import PCA

        self.table = pd.DataFrame
        self.scaled = Scaled(rows)
        self.pca = PCA(n_components=COMPONENTS).fit(self.table(self.scaled(rows)))

    def beyond(self, rows: np.ndarray, confidence: float) -> dict[str, np.ndarray]:
        found = self.pca.diagnose(self.table(self.scaled(rows)))
        t2, spe = found.hotellings_t2.iloc[:, -1].to_numpy(), found.spe.to_numpy()
        return {"T²": t2 > self.pca.hotellings_t2_limit(confidence), "SPE": spe > self.pca.spe_limit(confidence)}


class Bibmon:
    """Has SPE alone. Its limit is a quantile of the rows that were learned."""

    name = "bibmon"

    def __init__(self, rows: np.ndarray) -> None:
        import bibmon
        import pandas as pd

        self.table, self.model, self.rows = pd.DataFrame, bibmon.PCA, rows

    def beyond(self, rows: np.ndarray, confidence: float) -> dict[str, np.ndarray]:
        model = self.model(ncomp=COMPONENTS)
        model.fit(self.table(self.rows), lim_conf=confidence)
        model.predict(self.table(rows))
        return {"SPE": np.asarray(model.SPE_test) > model.limSPE}


def if_installed(kind: type, rows: np.ndarray) -> list[Watcher]:
    """Returns the package, or nothing where it or a dependency is missing."""
    try:
        return [kind(rows)]
    except ImportError as error:
        print(f"{kind.__name__} is left out: {error}", file=sys.stderr)
        return []


def installed_watchers(rows: np.ndarray) -> list[Watcher]:
    return [Roipca(rows), *if_installed(ProcessImprove, rows), *if_installed(Bibmon, rows)]


def first_run(beyond: np.ndarray, length: int) -> int | None:
    """Returns the first place from which so many entries in a row are true."""
    runs = np.convolve(beyond, np.ones(length, dtype=int), "valid") == length
    return int(np.argmax(runs)) if runs.any() else None


def detect(watcher: Watcher, rows: np.ndarray, confidence: float = 0.99) -> Fault:
    """Returns how the fault of a test file was found."""
    beyond = watcher.beyond(rows[FAULT_AT:], confidence)
    runs = [run for run in (first_run(rows, IN_A_ROW) for rows in beyond.values()) if run is not None]
    return Fault(
        found={name: float(np.mean(rows)) for name, rows in beyond.items()},
        found_by_any=float(np.mean(np.any(list(beyond.values()), axis=0))),
        delay=MINUTES * float(min(runs)) if runs else None,
    )


def counting_interval(count: int, rows: int) -> tuple[float, float]:
    """Returns the 95 % interval of a rate of which so many were counted (Clopper and Pearson)."""
    from scipy.stats import beta

    low = beta.ppf(0.025, count, rows - count + 1) if count > 0 else 0.0
    return float(low), float(beta.ppf(0.975, count + 1, rows - count))


def rate_text(beyond: np.ndarray) -> str:
    low, high = counting_interval(int(beyond.sum()), len(beyond))
    return f"{100 * beyond.mean():.2g} % ({100 * low:.2g} to {100 * high:.2g})"


def delay_text(delay: float | None) -> str:
    return "not found" if delay is None else f"{delay:.0f} min"


def print_false_alarms(watchers: list[Watcher], normal: np.ndarray) -> None:
    print(f"{len(normal)} normal rows\n\n| limit | 95 % | 99 % | 99.9 % |\n|---|---|---|---|")
    for watcher in watchers:
        find = watcher.beyond_by_each_limit if isinstance(watcher, Roipca) else watcher.beyond
        found = [find(normal, confidence) for confidence in CONFIDENCES]
        for name in found[0]:
            print(f"| {watcher.name}: {name} | " + " | ".join(rate_text(beyond[name]) for beyond in found) + " |")


def print_published_false_alarms(published: AsPublished, normal: np.ndarray, rows_of_limits: int) -> None:
    others = normal[rows_of_limits:]  # the limits were chosen for the first ones
    beyond = published.beyond(others, 0.99)
    print(f"\nPublished limits, {len(others)} other rows: T² {rate_text(beyond['T²'])}, SPE {rate_text(beyond['SPE'])}")


def print_faults(watchers: list[Watcher], folder: Path) -> None:
    names = [watcher.name for watcher in watchers]
    header = " | ".join(f"{name} | delay" for name in names)
    print(f"\n| fault | T² | SPE | {header} | published: T² | SPE | delay |")
    print("|---" * (6 + 2 * len(names)) + "|")
    for number in FAULTS:
        rows = load(folder, f"d{number:02}_te.dat")
        faults = [detect(watcher, rows) for watcher in watchers]
        cells = [f"{value:.3f}" for value in faults[0].found.values()]
        for fault in faults:
            cells += [f"{fault.found_by_any:.3f}", delay_text(fault.delay)]
        published = PUBLISHED[number]
        cells += [f"{1 - published.missed_by_t2:.3f}", f"{1 - published.missed_by_spe:.3f}"]
        cells.append(delay_text(published.delay))
        print(f"| {number} | " + " | ".join(cells) + " |")


def main(folder: Path) -> None:
    watchers = installed_watchers(load(folder, "d00.dat"))
    normal = normal_rows(folder)
    print_false_alarms(watchers, normal)
    assert isinstance(watchers[0], Roipca)
    print_published_false_alarms(AsPublished(watchers[0], folder), normal, len(load(folder, "d00_te.dat")))
    print_faults(watchers, folder)


if __name__ == "__main__":
    where = Path(sys.argv[1]) if len(sys.argv) > 1 else find_data()
    if where is None:
        sys.exit("no data: name their folder, or pip install --no-deps bibmon")
    main(where)
