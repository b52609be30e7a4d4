"""Monitoring the Tennessee Eastman process: false alarms, and how fast each of its 21 faults is found.

    python bench/tennessee_eastman.py [FOLDER]

FOLDER has the files d00.dat, d00_te.dat to d21_te.dat of Chiang, Russell and Braatz (2001). Without it, the copies in
the package bibmon are used (`pip install --no-deps bibmon`). Prints the table of docs/monitoring.md.
"""

from __future__ import annotations

import importlib.util
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from roipca import OnlinePCA

MINUTES = 3  # between two rows
FAULT_AT = 160  # row of a test file at which its fault begins
COMPONENTS = 11
IN_A_ROW = 6  # rows beyond a limit that count as detection
FAULTS = range(1, 22)


@dataclass
class Fault:
    number: int
    missed_t2: float
    missed_spe: float
    missed: float  # by either
    delay: float | None  # minutes until either was beyond its limit for six rows in a row


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


class Scaled:
    """An estimator of variables scaled to unit variance."""

    def __init__(self, rows: np.ndarray) -> None:
        self.mean, self.deviation = rows.mean(axis=0), rows.std(axis=0, ddof=1)
        self.pca = OnlinePCA(COMPONENTS).fit(self(rows))

    def __call__(self, rows: np.ndarray) -> np.ndarray:
        return (rows - self.mean) / self.deviation


def first_run(beyond: np.ndarray, length: int) -> int | None:
    """Returns the first place from which so many entries in a row are true."""
    runs = np.convolve(beyond, np.ones(length, dtype=int), "valid") == length
    return int(np.argmax(runs)) if runs.any() else None


def false_alarms(scaled: Scaled, normal: np.ndarray, confidence: float) -> dict[str, float]:
    """Returns the part of normal rows beyond each limit."""
    pca = scaled.pca
    t2, spe = pca.t2(scaled(normal)), pca.spe(scaled(normal))
    limits = {
        "T²": (t2, pca.t2_limit(confidence)),
        "SPE": (spe, pca.spe_limit(confidence)),
        "T² prequential": (t2, pca.t2_limit(confidence, method="prequential")),
        "T² F": (t2, pca.t2_limit(confidence, method="f")),
        "SPE prequential": (spe, pca.spe_limit(confidence, method="prequential")),
        "SPE Box": (spe, pca.spe_limit(confidence, method="box")),
        "SPE Jackson-Mudholkar": (spe, pca.spe_limit(confidence, method="jackson-mudholkar")),
    }
    return {name: float(np.mean(values > limit)) for name, (values, limit) in limits.items()}


def detect(scaled: Scaled, rows: np.ndarray, number: int, confidence: float = 0.99) -> Fault:
    """Returns how the fault of a test file was found."""
    pca, rows = scaled.pca, scaled(rows)[FAULT_AT:]
    t2 = pca.t2(rows) > pca.t2_limit(confidence)
    spe = pca.spe(rows) > pca.spe_limit(confidence)
    runs = [run for run in (first_run(t2, IN_A_ROW), first_run(spe, IN_A_ROW)) if run is not None]
    return Fault(
        number=number,
        missed_t2=float(np.mean(~t2)),
        missed_spe=float(np.mean(~spe)),
        missed=float(np.mean(~(t2 | spe))),
        delay=MINUTES * float(min(runs)) if runs else None,
    )


def main(folder: Path) -> None:
    scaled = Scaled(load(folder, "d00.dat"))
    normal = load(folder, "d00_te.dat")
    print("| limit | 95 % | 99 % | 99.9 % |\n|---|---|---|---|")
    rates = [false_alarms(scaled, normal, confidence) for confidence in (0.95, 0.99, 0.999)]
    for name in rates[0]:
        print(f"| {name} | " + " | ".join(f"{100 * rate[name]:.1f} %" for rate in rates) + " |")
    print("\n| fault | missed by T² | missed by SPE | missed by both | delay |")
    print("|---|---|---|---|---|")
    for number in FAULTS:
        fault = detect(scaled, load(folder, f"d{number:02}_te.dat"), number)
        delay = "not found" if fault.delay is None else f"{fault.delay:.0f} min"
        print(f"| {number} | {fault.missed_t2:.3f} | {fault.missed_spe:.3f} | {fault.missed:.3f} | {delay} |")


if __name__ == "__main__":
    where = Path(sys.argv[1]) if len(sys.argv) > 1 else find_data()
    if where is None:
        sys.exit("no data: name their folder, or pip install --no-deps bibmon")
    main(where)
