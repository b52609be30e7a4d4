"""Kernel PCA as PCA of mapped rows, in memory that does not depend on the length of the stream."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
from sklearn.kernel_approximation import Nystroem
from sklearn.utils import check_random_state

from .online_pca import OnlinePCA

_MAPPED = 1 << 20  # largest number of mapped values in memory at a time
_SYMMETRY = 1e-6


class MappedRows:
    """Maps rows to `size` numbers whose inner products approximate the kernel, and runs OnlinePCA on these.

    For the rbf kernel the map consists of random Fourier features, which need no rows. For other kernels it is
    Nystroem's, with the first `size` rows as landmarks; rows are collected until there are as many.
    """

    def __init__(self, dtype: np.dtype, parameters: dict[str, Any], gamma: float) -> None:
        self.dtype = dtype
        self._size = parameters["map_size"]
        self._kernel = parameters["kernel"]
        self._kernel_parameters = {
            "gamma": gamma,
            "degree": parameters["degree"],
            "coef0": parameters["coef0"],
        }
        self._random_state = parameters["random_state"]
        self._pca = OnlinePCA(parameters["n_components"], center=parameters["center"])
        self._map: Any = None
        self._first: np.ndarray | None = None  # rows that wait for a map
        self._early: tuple[int, OnlinePCA, Any] | None = None  # waiting rows, their model and map

    def add(self, X: np.ndarray) -> None:
        """Add all rows, or none if one is bad."""
        if self._map is None:
            first = X.copy() if self._first is None else np.concatenate([self._first, X])
            if callable(self._kernel):
                _check_kernel(self._kernel, first[: self._size], since=len(first) - len(X))
            if self._kernel != "rbf" and len(first) < self._size:
                self._first = first
                return
            feature_map = self._map_for(first[: self._size])
            pca = copy.deepcopy(self._pca)
            self._learn(pca, feature_map, first)
            self._map, self._pca, self._first, self._early = feature_map, pca, None, None
        elif len(X) * self._size <= _MAPPED:
            self._pca.partial_fit(self._mapped(self._map, X))
        else:
            pca = copy.deepcopy(self._pca)
            self._learn(pca, self._map, X)
            self._pca = pca

    def scores(self, X: np.ndarray) -> np.ndarray:
        """Return the scores of rows on the components."""
        pca, feature_map = self._readable()
        return np.concatenate([pca.transform(self._mapped(feature_map, part)) for part in self._parts(X)])

    @property
    def eigenvalues(self) -> np.ndarray:
        """Eigenvalues of the centred inner products of the mapped rows, in descending order."""
        return self._readable()[0].singular_values_ ** 2

    @property
    def rows_seen(self) -> int:
        """Number of rows so far."""
        return self._pca.n_samples_seen_ if self._first is None else len(self._first)

    def _readable(self) -> tuple[OnlinePCA, Any]:
        if self._first is None:
            return self._pca, self._map
        if self._early is None or self._early[0] != len(self._first):
            feature_map, pca = self._map_for(self._first), copy.deepcopy(self._pca)
            if pca.n_components is not None:
                pca.n_components = min(pca.n_components, len(self._first))
            self._learn(pca, feature_map, self._first)
            self._early = (len(self._first), pca, feature_map)
        return self._early[1:]

    def _map_for(self, rows: np.ndarray) -> Any:
        if self._kernel == "rbf":
            gamma = self._kernel_parameters["gamma"]
            return FourierFeatures(rows.shape[1], gamma, self._size, self._random_state)
        of_kernel = {} if callable(self._kernel) or self._kernel == "linear" else self._kernel_parameters
        return Nystroem(
            self._kernel, n_components=len(rows), random_state=self._random_state, **of_kernel
        ).fit(rows)

    def _learn(self, pca: OnlinePCA, feature_map: Any, X: np.ndarray) -> None:
        for part in self._parts(X):
            pca.partial_fit(self._mapped(feature_map, part))

    def _mapped(self, feature_map: Any, X: np.ndarray) -> np.ndarray:
        mapped = np.ascontiguousarray(feature_map.transform(X), self.dtype)
        bad = ~np.isfinite(mapped).all(axis=1)
        if bad.any():
            raise ValueError(f"kernel returned NaN or infinity for the row {X[bad.argmax()]}")
        return mapped

    def _parts(self, X: np.ndarray) -> list[np.ndarray]:
        step = max(1, _MAPPED // self._size)
        return [X[i : i + step] for i in range(0, len(X), step)]


class FourierFeatures:
    """cos(w.x) and sin(w.x) for normal frequencies w. Their inner products approximate exp(-gamma |x - y|^2).

    The frequencies are scrambled Sobol points instead of independent ones: in few dimensions their error is
    several times smaller, and in many it is no larger.
    """

    def __init__(self, features: int, gamma: float, size: int, random_state: Any) -> None:
        from scipy.stats import norm, qmc  # takes a second to import

        random = check_random_state(random_state)
        pairs = (size + 1) // 2
        if features <= qmc.Sobol.MAXDIM:
            sobol = qmc.Sobol(features, seed=random.randint(2**31))
            points = sobol.random_base2(int(np.ceil(np.log2(pairs))))[:pairs]
            normal = norm.ppf(np.clip(points, 1e-12, 1 - 1e-12))
        else:
            normal = random.standard_normal((pairs, features))
        self._frequencies = np.sqrt(2 * gamma) * normal.T

    def transform(self, X: np.ndarray) -> np.ndarray:
        """Return the features of rows."""
        phases = X @ self._frequencies
        return np.hstack([np.cos(phases), np.sin(phases)]) / np.sqrt(phases.shape[1])


def _check_kernel(kernel: Any, rows: np.ndarray, since: int) -> None:
    """Raise if a row, from `since` on, and the one before it show that the function is not a kernel."""
    for i in range(since, len(rows)):
        j = max(i - 1, 0)
        there, back = float(kernel(rows[i], rows[j])), float(kernel(rows[j], rows[i]))
        if not np.isfinite(there):
            raise ValueError(f"kernel returned {'NaN' if np.isnan(there) else there} for rows {i} and {j}")
        if abs(there - back) > _SYMMETRY * max(abs(there), abs(back)):
            raise ValueError(
                f"kernel is not symmetric: k(x, y) = {there}, k(y, x) = {back} for rows {i} and {j}"
            )
