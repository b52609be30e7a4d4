#!/usr/bin/env python3
"""Times our methods and other programs in one run, and writes docs/performance.md with its plots.

    python bench/run.py            # about twenty minutes
    python bench/run.py --quick    # under a minute, small sizes, to check that it runs

All methods use one thread unless the label says otherwise. --output writes to another folder instead of docs.
"""

import os

# Before NumPy loads its BLAS.
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"

import sys

import plots
import report
import sweeps
from contestants import everybody, several
from destination import asked
from machine import describe, is_busy
from measure import Outcome, batch_basis, low_rank_rows, race, slow_rows, subspace_error, variance_missed

CASES = {(100, 5): 40_000, (784, 10): 20_000, (1000, 50): 10_000, (10_000, 10): 3_000}
# As embeddings and images have: many components of spectra that fall slowly.
SLOW_CASES = {(1500, 20): 10_000, (2000, 50): 10_000, (1000, 100): 10_000, (768, 128): 10_000, (1536, 256): 5_000,
              (3072, 256): 5_000}


def run_case(X, m, contestants, rounds):
    """Returns label -> Outcome."""
    truth = batch_basis(X, m)
    found = {}
    for label, result in race(list(contestants), X, rounds).items():
        error = missed = None
        components = getattr(result.estimator, "components_", None)
        if components is not None:
            error, missed = subspace_error(truth, components.T), variance_missed(truth, components.T, X)
        found[label] = Outcome(result.seconds, result.variant, error, missed)
    return found


def measure(quick):
    def say(what):
        print(what, file=sys.stderr, flush=True)

    def run_cases(sizes, rows_of, contestants):
        found = {}
        for (d, m), rows in sizes.items():
            if quick and d > 1000:
                continue
            say(f"{rows} rows of {d} features, {m} components")
            X = rows_of(d, m, rows // 10 if quick else rows)
            found[d, m] = run_case(X, m, contestants(d, m), 1 if quick else 3)
        return found

    cases = run_cases(CASES, low_rank_rows, everybody)
    slow_cases = run_cases(SLOW_CASES, slow_rows, several)
    say("time against features")
    features = sweeps.over_features((1000, 3000) if quick else (1000, 10_000, 100_000, 1_000_000))
    say("time against components")
    components = sweeps.over_components((2, 10) if quick else (2, 5, 10, 20, 50, 100, 200))
    say("time against rows")
    rows = sweeps.over_rows((10**4, 10**5) if quick else (10**5, 10**6, 10**7))
    say("memory against rows")
    counts = (1000, 10_000) if quick else (1000, 10_000, 100_000, 1_000_000)
    memory = sweeps.memory_over_rows(
        {"roipca": counts, "IncrementalPCA": counts[:3], "PCA, randomized": counts[:3]}
    )
    return dict(cases=cases, slow_cases=slow_cases, features=features, components=components, rows=rows, memory=memory)


def main():
    quick, output = asked(__doc__)
    machine, busy = describe(), is_busy()
    measured = measure(quick)
    plots.write(measured, output)
    (output / "performance.md").write_text(report.page(measured, machine, busy))
    print(output / "performance.md")


if __name__ == "__main__":
    main()
