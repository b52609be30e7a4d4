"""The rows of each experiment: drawn as described in the paper, or read from files."""

import csv
import functools
import gzip
import os
import pathlib
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = (ROOT.parent / "shared" / "data", ROOT / "build" / "data")  # searched if no folder is given
MNIST = ("mnist-train-images-idx3-ubyte.gz", "train-images-idx3-ubyte.gz")
SUPERCONDUCTIVITY = ("superconductivity-train.csv", "superconduct_76of81.csv.gz")  # the first has all 81 features
POKER = ("poker-hand-training-true.data",)


class DataMissing(Exception):
    """A file that an experiment needs is missing. The message says where it was searched."""


def find(names, folder=None):
    """Returns the first of the files `names` that exists in the folder, in ROIPCA_DATA, or in FOLDERS."""
    named = folder or os.environ.get("ROIPCA_DATA")
    folders = [pathlib.Path(named)] if named else FOLDERS
    for place in folders:
        for name in names:
            if (place / name).is_file():
                return place / name
    places = ", ".join(os.path.relpath(place, ROOT) for place in folders)
    raise DataMissing(f"{' or '.join(names)} not found in {places}; experiments/fetch_data downloads it, --data gives "
                      "another folder")


@functools.cache
def load_mnist(folder):
    """Returns 60000 x 784 bytes: pixels as stored. They are divided by 255 when rows are drawn."""
    with gzip.open(find(MNIST, folder)) as file:
        return np.frombuffer(file.read(), np.uint8, offset=16).reshape(-1, 784)


@functools.cache
def load_superconductivity(folder):
    """Returns 21263 rows of all columns except the last, which is the critical temperature."""
    path = find(SUPERCONDUCTIVITY, folder)
    with (gzip.open(path, "rt") if path.suffix == ".gz" else open(path)) as file:
        rows = csv.reader(file)
        next(rows)
        return np.array([row[:-1] for row in rows], float)


@functools.cache
def load_poker(folder):
    """Returns 25010 x 10 numbers: suit and rank of five cards, without the class of the hand."""
    return np.loadtxt(find(POKER, folder), delimiter=",")[:, :10]


def chosen_rows(load, scale=1.0):
    """Draws rows of a file without repetition, in random order."""

    def draw(rng, count, folder):
        stored = load(folder)
        return stored[rng.permutation(len(stored))[:count]] / scale

    return draw


def brownian(d):
    """Draws rows with the covariance min(k, l) / d: sums of independent steps of variance 1 / d."""
    return lambda rng, count, folder: np.cumsum(rng.standard_normal((count, d)), axis=1) / np.sqrt(d)


def spiked(spikes, d=100):
    """Draws Gaussian rows with eigenvalues `spikes(rng)` along random directions and 1 along all others."""

    def draw(rng, count, folder):
        values = spikes(rng)
        basis = np.linalg.qr(rng.standard_normal((d, len(values))))[0]
        rows = rng.standard_normal((count, d))
        return rows + (rows @ basis) * (np.sqrt(values) - 1.0) @ basis.T

    return draw


@dataclass(frozen=True)
class Dataset:
    """A source of rows. `components` is set only where the paper departs from its 80 % rule."""

    title: str
    draw: Callable
    components: int | None = None


DATASETS = {
    "brownian-100": Dataset("Brownian covariance, d = 100", brownian(100)),
    "brownian-1000": Dataset("Brownian covariance, d = 1000", brownian(1000)),
    "mnist": Dataset("MNIST", chosen_rows(load_mnist, 255.0)),
    "superconductivity": Dataset("Superconductivity", chosen_rows(load_superconductivity)),
    "poker": Dataset("Poker", chosen_rows(load_poker)),
    "flat-tail": Dataset("Flat tail, spikes of 1.6 down to 1.5", spiked(lambda rng: np.linspace(1.6, 1.5, 5)), 5),
    "flat-tail-text": Dataset("Flat tail, spikes uniform in [1, 1.5]", spiked(lambda rng: rng.uniform(1, 1.5, 5)), 5),
}
