#!/usr/bin/env python3
"""Measures the CPU time per row of `roipca.river.OnlinePCA`, and prints the table of docs/ecosystem.md.

    python bench/river_rows.py

Beside it river's own StandardScaler, the transformer that usually comes first in a pipeline.
"""

import statistics
import time

import numpy as np
from river import preprocessing

from roipca.river import OnlinePCA


def microseconds(step, rows, turns=5):
    """Returns the median over the turns of the mean CPU time per row."""
    taken = []
    for part in np.array_split(np.array(rows, dtype=object), turns):
        start = time.process_time()
        for row in part:
            step(row)
        taken.append((time.process_time() - start) / len(part))
    return 1e6 * statistics.median(taken)


def main():
    print("| features | `learn_one` | `transform_one` after it | `StandardScaler.learn_one` |")
    print("|---|---|---|---|")
    for features in (10, 50, 200):
        X = np.random.default_rng(0).standard_normal((6_000, features)) * np.linspace(3, 1, features)
        rows = [dict(zip((f"x{i}" for i in range(features)), map(float, row), strict=True)) for row in X]
        pca, scaler = OnlinePCA(3), preprocessing.StandardScaler()
        for row in rows[:1_000]:
            pca.learn_one(row)
        learned = microseconds(pca.learn_one, rows[1_000:])

        def learn_and_transform(row, pca=pca):
            pca.learn_one(row)
            pca.transform_one(row)

        both = microseconds(learn_and_transform, rows[1_000:2_000])
        scaled = microseconds(scaler.learn_one, rows[1_000:])
        print(f"| {features} | {learned:.1f} us | {both - learned:.1f} us | {scaled:.1f} us |")


if __name__ == "__main__":
    main()
