"""False alarms of the limits of T^2 and SPE on simulated processes: prints the tables of docs/monitoring.md."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from roipca import OnlinePCA

SENSORS, CAUSES, LEARNED, NEW = 40, 5, 3000, 200_000
MANY_LEARNED = 30_000
SETS = 16
CONFIDENCES = (0.95, 0.99, 0.999)


def process(n: int, kind: str, seed: int) -> np.ndarray:
    """Returns rows of sensors that a few hidden causes move, with noise."""
    rng = np.random.default_rng(seed)
    mixing = np.random.default_rng(99).standard_normal((CAUSES, SENSORS))
    shapes = ((n, CAUSES), (n, SENSORS))
    if kind == "heavy-tailed":
        causes, noise = (rng.standard_t(5, shape) for shape in shapes)
    else:
        causes, noise = (rng.standard_normal(shape) for shape in shapes)
    if kind == "autocorrelated":
        for i in range(1, n):
            causes[i] = 0.9 * causes[i - 1] + np.sqrt(1 - 0.9**2) * causes[i]
    return 10 + causes @ mixing + 0.5 * noise


def rates(values: np.ndarray, limit: Callable[..., float], method: str = "auto") -> str:
    """Returns the cells of a row: the percentage of values beyond the limit at each confidence."""
    beyond = [np.mean(values > limit(confidence, method=method)) for confidence in CONFIDENCES]
    return " | ".join(f"{100 * rate:.2g} %" for rate in beyond)


def print_limits() -> None:
    """Compares limits by their names."""
    print("| process | statistic | limit | 95 % | 99 % | 99.9 % |\n|---|---|---|---|---|---|")
    for kind in ("Gaussian", "autocorrelated", "heavy-tailed"):
        pca = OnlinePCA(CAUSES).fit(process(LEARNED, kind, 0))
        new = process(NEW, kind, 1)
        limits: dict[str, Callable[..., float]] = {"T²": pca.t2_limit, "SPE": pca.spe_limit}
        for name, values, methods in (
            ("T²", pca.t2(new), ("auto", "prequential", "f")),
            ("SPE", pca.spe(new), ("auto", "prequential", "box")),
        ):
            for method in methods:
                print(f"| {kind} | {name} | {method} | {rates(values, limits[name], method)} |")


def print_methods() -> None:
    """Compares methods and rows with gaps, by the default limits."""
    print("| rows | method | process | T² 95 % | 99 % | 99.9 % | SPE 95 % | 99 % | 99.9 % |\n" + "|---" * 9 + "|")
    by_row: dict[str, dict[str, Any]] = {
        f"{name}, row by row": {"method": name, "update_every": "row"} for name in ("roipca", "ipca")
    }
    by_row |= {name: {"method": name} for name in ("froipca", "ccipca", "gha", "oja", "fd")}
    imputing: dict[str, dict[str, Any]] = {name: {"method": name, "missing": "impute"} for name in ("roipca", "exact")}
    for rows, missing, learners in (
        ("complete", 0.0, by_row),
        ("2 % missing", 0.02, imputing),
        ("20 % missing", 0.2, imputing),
    ):
        for kind in ("Gaussian", "heavy-tailed"):
            learned, new = process(LEARNED, kind, 0), process(NEW, kind, 1)
            for seed, of in enumerate((learned, new)):
                of[np.random.default_rng(seed).random(of.shape) < missing] = np.nan
            for name, options in learners.items():
                pca = OnlinePCA(CAUSES, **options).fit(learned)
                cells = f"{rates(pca.t2(new), pca.t2_limit)} | {rates(pca.spe(new), pca.spe_limit)}"
                print(f"| {rows} | {name} | {kind} | {cells} |")


def print_sets() -> None:
    """Shows by how much the rates differ between sets of learned rows, as multiples of the nominal rate."""
    print("| process | rows | method | T² 95 % | 99 % | 99.9 % | SPE 95 % | 99 % | 99.9 % |\n" + "|---" * 9 + "|")
    standardized = "Gaussian, standardized"
    for kind in ("Gaussian", standardized, "autocorrelated", "heavy-tailed"):
        new = process(NEW, kind, SETS)
        cases: tuple[tuple[int, Any], ...] = tuple((LEARNED, method) for method in ("exact", "roipca", "froipca"))
        for learned, method in (*cases, (MANY_LEARNED, "roipca")):
            times = []
            for seed in range(SETS):
                pca = OnlinePCA(CAUSES, method=method, standardize=kind == standardized)
                pca.fit(process(learned, kind, seed))
                t2, spe = pca.t2(new), pca.spe(new)
                beyond = [np.mean(t2 > pca.t2_limit(confidence)) for confidence in CONFIDENCES]
                beyond += [np.mean(spe > pca.spe_limit(confidence)) for confidence in CONFIDENCES]
                times.append(np.array(beyond) / (1 - np.array(2 * CONFIDENCES)))
            cells = [f"{np.median(one):.2g} ({min(one):.2g} to {max(one):.2g})" for one in np.transpose(times)]
            print(f"| {kind} | {learned:,} | {method} | " + " | ".join(cells) + " |")


def main() -> None:
    print_limits()
    print()
    print_methods()
    print()
    print_sets()


if __name__ == "__main__":
    main()
