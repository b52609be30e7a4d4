"""Batch PCA by NumPy, and the CSV files that commands read."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np


def batch(rows: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Return k components (one per row, largest entry positive) and the variances of all."""
    _, s, vt = np.linalg.svd(rows - rows.mean(axis=0), full_matrices=False)
    vt *= np.sign(vt[np.arange(len(vt)), np.abs(vt).argmax(axis=1)])[:, np.newaxis]
    return vt[:k], s**2 / (len(rows) - 1)


def write_csv(path: Path, rows: np.ndarray, names: Iterable[str]) -> None:
    np.savetxt(path, rows, delimiter=",", header=",".join(names), comments="", fmt="%.17g")
