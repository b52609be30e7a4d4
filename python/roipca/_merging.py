"""Merges models of parts of the rows into one of all, in a tree that depends only on the order of the parts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from sklearn.base import clone

from ._fitted import Fitted, merge_parts
from .online_pca import OnlinePCA


def settled(pca: OnlinePCA) -> OnlinePCA:
    """Return a copy that begins from the model of the rows so far: the smallest to send, with no rows waiting."""
    learned = pca._learned
    return pca._copy_with(Fitted.from_model(learned.core.model(), learned.parameters))


def merge_all(models: Iterable[OnlinePCA], *, decay: float | None = None) -> OnlinePCA:
    """Return one estimator of the rows of all models, for parts fitted in other processes or on other machines.

    Neighbours are merged in pairs, the pairs in pairs, and so on. So the result depends only on the order of the
    models: it has the same bits however and whenever they were made.

    Parameters
    ----------
    models : iterable of OnlinePCA
        Estimators with the same parameters and the same features. They are taken as they come, and only a few are
        held at a time. Those that have seen no rows add nothing.
    decay : float, default=None
        Factor in (0, 1] on the weight of all rows before, at each model that has seen rows; estimators with forgetting
        need it. See `OnlinePCA.merge`.

    Returns
    -------
    merged : OnlinePCA
        It has the parameters of the first model that has seen rows. Mean, variances and counts are exact. A pickle
        of it contains only components and means, or the covariance if the method is "exact"; `merge_all([pca])`
        returns such an estimator for a single model. If no model has seen rows, it is a clone of the first one.

    Examples
    --------
    >>> import numpy as np
    >>> from roipca import OnlinePCA, merge_all
    >>> X = np.random.default_rng(0).standard_normal((100, 5))
    >>> parts = (OnlinePCA(2).partial_fit(part) for part in np.array_split(X, 7))
    >>> pca = merge_all(parts)
    >>> pca.n_samples_seen_, np.allclose(pca.mean_, X.mean(axis=0))
    (100, True)
    """
    first: OnlinePCA | None = None
    empty: OnlinePCA | None = None

    def parts() -> Iterator[Any]:
        nonlocal first, empty
        for pca in models:
            if not isinstance(pca, OnlinePCA):
                raise TypeError(f"merge_all takes OnlinePCA estimators, not {type(pca).__name__}")
            if pca._fitted is None:
                empty = empty or pca
                yield None
                continue
            model = pca._mergeable() if first is None else first._mergeable_with(pca)
            first = first or pca
            yield model

    merged = merge_parts(parts(), decay)
    if first is None and empty is not None:
        return clone(empty)
    if first is None:
        raise ValueError("merge_all needs at least one model.")
    return first._copy_with(Fitted.from_part(merged, first._learned.parameters))
