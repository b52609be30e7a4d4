"""False alarms of the limits of T^2 and SPE on simulated processes: prints the table of docs/monitoring.md."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from roipca import OnlinePCA

SENSORS, CAUSES, LEARNED, NEW = 40, 5, 3000, 200_000
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


def main() -> None:
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
                rates = [np.mean(values > limits[name](confidence, method=method)) for confidence in CONFIDENCES]
                print(f"| {kind} | {name} | {method} | " + " | ".join(f"{100 * rate:.2g} %" for rate in rates) + " |")


if __name__ == "__main__":
    main()
