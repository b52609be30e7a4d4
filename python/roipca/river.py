"""A transformer of river: PCA of dictionaries whose keys come and go, one at a time or in mini-batches."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from ._sources import optional
from ._types import AutoOrInt, Method, UpdateEvery
from .online_pca import OnlinePCA as _OnlinePCA

if TYPE_CHECKING:
    import pandas as pd

base: Any = optional("river.base", "river")

__all__ = ["OnlinePCA"]

_ROOM = 64  # minimum number of features to allocate
_FEW = 256  # largest number of features for which "auto" is exact
_IMPUTING = ("auto", "roipca", "ipca", "exact")


class OnlinePCA(base.MiniBatchTransformer):
    """Principal components of a stream of dictionaries, in constant memory.

    Features may come and go. A feature that a row does not have, or that is None or NaN, is replaced by the value that
    the model so far expects, given the other features of the row (`missing="impute"` of `roipca.OnlinePCA`). The mean
    of a feature is the mean of its present values. Rows without any value are left out. The order of the keys does not
    matter.

    Methods that update row by row (`update_every="row"`, "froipca", "ccipca", "gha", "oja" and "fd") cannot do that.
    With them, a missing feature counts as its mean over the earlier rows, and a feature that first appears later counts
    in the earlier rows as its first value. (Without centring, both count as 0.)

    Parameters
    ----------
    n_components : int, default=2
        Number of components.
    method : str, default="auto"
        As in `roipca.OnlinePCA`. "auto" is "exact" if there is room for up to 256 features, or else "roipca".
    oversampling, update_every, center, forgetting
        As in `roipca.OnlinePCA`.
    first_rows : int, default=100
        Number of first rows from which the first model of missing features is computed. They are held in memory until
        all of them have arrived, and reading results takes longer until then.
    max_features : int or None, default=None
        Number of different features for which there is room. None means twice as many as the first row has, at
        least 64.

    Examples
    --------
    >>> from river import datasets, linear_model, metrics, preprocessing
    >>> from roipca.river import OnlinePCA
    >>> model = preprocessing.StandardScaler() | OnlinePCA(3) | linear_model.LinearRegression()
    >>> error = metrics.MAE()
    >>> for x, y in datasets.TrumpApproval().take(300):
    ...     error.update(y, model.predict_one(x))
    ...     model.learn_one(x, y)
    >>> error.get() < 10
    True
    """

    def __init__(
        self,
        n_components: int = 2,
        *,
        method: Method = "auto",
        oversampling: AutoOrInt = "auto",
        update_every: UpdateEvery = "block",
        center: bool = True,
        forgetting: float = 1.0,
        first_rows: int = 100,
        max_features: int | None = None,
    ) -> None:
        self.n_components = n_components
        self.method = method
        self.oversampling = oversampling
        self.update_every = update_every
        self.center = center
        self.forgetting = forgetting
        self.first_rows = first_rows
        self.max_features = max_features
        self._columns: dict[Hashable, int] = {}
        self._room = 0
        self._weight = 0.0

    @property
    def loadings_(self) -> dict[Hashable, np.ndarray]:
        """The entries of the components (n_components,) of each feature seen."""
        components = self._pca.components_ if self._weight else np.zeros((self.n_components, len(self._columns)))
        return {name: components[:, column] for name, column in self._columns.items()}

    @property
    def explained_variance_ratio_(self) -> np.ndarray:
        """Variance along each component, divided by the total variance of all features (n_components,)."""
        return self._pca.explained_variance_ratio_ if self._weight else np.zeros(self.n_components)

    def learn_one(self, x: dict) -> None:
        """Add one row.

        Parameters
        ----------
        x : dict
            Numbers by the names of the features.

        Examples
        --------
        >>> from roipca.river import OnlinePCA
        >>> pca = OnlinePCA(1)
        >>> for load in range(5):
        ...     pca.learn_one({"pressure": 2.0 * load, "flow": 1.0 * load})
        >>> pca.explained_variance_ratio_
        array([1.])
        """
        self._meet(x.keys(), x)
        if self._room:
            row = self._row(x)
            self._pca.update(row)
            self._count(row[np.newaxis])

    def transform_one(self, x: dict) -> dict[int, float]:
        """Return the scores of one row, by the numbers of the components.

        Parameters
        ----------
        x : dict
            Numbers by the names of the features. Features that were never learned are ignored.

        Returns
        -------
        scores : dict
            All 0 before the first row was learned.

        Examples
        --------
        >>> from roipca.river import OnlinePCA
        >>> pca = OnlinePCA(1)
        >>> for load in range(5):
        ...     pca.learn_one({"pressure": 4.0 * load, "flow": 3.0 * load})
        >>> scores = pca.transform_one({"pressure": 16.0, "flow": 12.0})
        >>> round(abs(scores[0]), 6)             # the distance from the mean, 8 and 6
        10.0
        """
        if not self._weight:
            return dict.fromkeys(range(self.n_components), 0.0)
        return dict(enumerate(self._pca._shown.transform(self._row(x)[np.newaxis])[0].tolist()))  # needs no checks

    def learn_many(self, X: pd.DataFrame) -> None:
        """Add the rows of a frame: the same as `learn_one` with each of them.

        Parameters
        ----------
        X : pandas.DataFrame of shape (n_samples, n_features)
            Rows.

        Examples
        --------
        >>> import pandas as pd
        >>> from roipca.river import OnlinePCA
        >>> pca = OnlinePCA(1)
        >>> pca.learn_many(pd.DataFrame({"pressure": [0.0, 2.0, 4.0], "flow": [0.0, 1.0, 2.0]}))
        >>> sorted(pca.loadings_)
        ['flow', 'pressure']
        """
        if len(X) == 0:
            return
        if X.isna().to_numpy().any() and not self._imputes:  # the mean changes from row to row
            for x in X.to_dict("records"):
                self.learn_one(x)
            return
        present = X.notna().any()
        self._meet(X.columns[present], X.bfill().iloc[0])
        if not self._room:
            return
        rows = self._rows(X)
        self._pca.partial_fit(rows)
        self._count(rows)

    def transform_many(self, X: pd.DataFrame) -> pd.DataFrame:
        """Return the scores of the rows of a frame.

        Parameters
        ----------
        X : pandas.DataFrame of shape (n_samples, n_features)
            Rows. Features that were never learned are ignored.

        Returns
        -------
        scores : pandas.DataFrame of shape (n_samples, n_components)
            With the index of X, and the numbers of the components as columns.

        Examples
        --------
        >>> import pandas as pd
        >>> from roipca.river import OnlinePCA
        >>> pca = OnlinePCA(1)
        >>> rows = pd.DataFrame({"pressure": [0.0, 2.0, 4.0], "flow": [0.0, 1.0, 2.0]}, index=["a", "b", "c"])
        >>> pca.learn_many(rows)
        >>> pca.transform_many(rows).shape
        (3, 1)
        """
        has_scores = self._weight and len(X) > 0
        scores = self._pca.transform(self._rows(X)) if has_scores else np.zeros((len(X), self.n_components))
        return type(X)(scores, index=X.index, columns=range(self.n_components))

    def _meet(self, names: Iterable[Hashable], values: Any) -> None:
        """Gives a column to each new feature, in an order that does not depend on the order of the keys."""
        new = [name for name in names if name not in self._columns and not _is_missing(values[name])]
        if not new:
            return
        if not self._columns:
            self._room = self.max_features or max(_ROOM, 2 * len(new))
            is_few = self.method == "auto" and self._imputes and self._room <= _FEW
            self._pca = _OnlinePCA(
                self.n_components,
                method="exact" if is_few else self.method,
                oversampling=self.oversampling,
                update_every=self.update_every,
                center=self.center,
                forgetting=self.forgetting,
                missing="impute" if self._imputes else "error",
                first_rows=self.first_rows,
            )
            self._first = np.zeros(self._room)
            self._mean = np.full(self._room, np.nan) if self._imputes else np.zeros(self._room)
        if len(self._columns) + len(new) > self._room:
            raise ValueError(
                f"{len(self._columns) + len(new)} different features, but there is room for {self._room}: "
                "give a larger max_features"
            )
        for name in sorted(new, key=str):
            column = len(self._columns)
            if self.center and not self._imputes:
                self._first[column] = values[name]
            self._columns[name] = column

    @property
    def _imputes(self) -> bool:
        return self.update_every == "block" and self.method in _IMPUTING

    def _count(self, rows: np.ndarray) -> None:
        """Counts rows that were learned, and takes their mean where the core does not."""
        if self._imputes:
            self._weight += float((~np.isnan(rows)).any(axis=1).sum())
            return
        for row in rows:
            self._weight = self.forgetting * self._weight + 1.0
            if self.center:
                self._mean += (row - self._mean) / self._weight

    def _row(self, x: dict) -> np.ndarray:
        """Returns the row that the core learns: NaN where a value is missing, or the mean if it cannot impute.

        If it cannot, all are differences from the first values.
        """
        row = self._mean.copy()
        for name, value in x.items():
            column = self._columns.get(name)
            if column is not None and not _is_missing(value):
                row[column] = value - self._first[column]
        return row

    def _rows(self, X: pd.DataFrame) -> np.ndarray:
        rows = np.repeat(self._mean[np.newaxis], len(X), axis=0)
        known = [name for name in X.columns if name in self._columns]
        columns = [self._columns[name] for name in known]
        values = X[known].to_numpy(dtype=float, na_value=np.nan) - self._first[columns]
        rows[:, columns] = np.where(np.isnan(values), self._mean[columns], values)
        return rows


def _is_missing(value: Any) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value))
