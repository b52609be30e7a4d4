"""Streams rows through one estimator and prints by how many bytes the peak memory of this process grew.

    python memory_probe.py NAME ROWS FEATURES COMPONENTS
"""

import sys

import numpy as np
from sklearn.decomposition import PCA, IncrementalPCA

from roipca import OnlinePCA

BATCH = 200


def kilobytes(field):
    """Returns a field of /proc/self/status. (getrusage would include the peak of the parent.)"""
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith(field))


def forget_peak():
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")


def stream(estimator, batch, rows):
    for _ in range(rows // BATCH):
        estimator.partial_fit(batch)
    return estimator.components_


def main():
    name, (rows, d, m) = sys.argv[1], map(int, sys.argv[2:])
    batch = np.random.default_rng(0).standard_normal((BATCH, d))
    forget_peak()
    before = kilobytes("VmRSS")
    if name == "roipca":
        stream(OnlinePCA(m), batch, rows)
    elif name == "IncrementalPCA":
        stream(IncrementalPCA(m), batch, rows)
    else:
        X = np.empty((rows, d))
        for start in range(0, rows, BATCH):
            X[start : start + BATCH] = batch
        PCA(m, svd_solver="randomized", random_state=0).fit(X)
    print(1024 * (kilobytes("VmHWM") - before))


if __name__ == "__main__":
    main()
