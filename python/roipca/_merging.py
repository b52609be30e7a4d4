"""Merges models of parts of the rows into one of all, in a tree that depends only on the order of the parts."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from ._fitted import Fitted
from .online_pca import OnlinePCA

Part = TypeVar("Part")


def merge_tree(parts: Iterable[Part | None], merge: Callable[[Part, Part], Part]) -> Part | None:
    """Merge neighbours in pairs, the pairs in pairs, and so on. None stands for a part without rows.

    Parts are taken as they come. At most log2(parts) + 1 are held at a time, as the digits of a binary counter.
    """

    def join(left: Part | None, right: Part | None) -> Part | None:
        if left is None or right is None:
            return right if left is None else left
        return merge(left, right)

    waiting: list[tuple[int, Part | None]] = []
    for part in parts:
        height = 0
        joined: Part | None = part
        while waiting and waiting[-1][0] == height:
            joined = join(waiting.pop()[1], joined)
            height += 1
        waiting.append((height, joined))
    whole = None
    while waiting:
        whole = join(waiting.pop()[1], whole)
    return whole


def settled(pca: OnlinePCA) -> OnlinePCA:
    """Return a copy that begins from the model of the rows so far: the smallest to send, with no rows waiting."""
    learned = pca._learned
    return pca._copy_with(Fitted.from_model(learned.core.model(), learned.parameters))


def merge_all(models: Iterable[OnlinePCA]) -> OnlinePCA:
    """Return one estimator of the rows of all models, for parts fitted in other processes or on other machines.

    Neighbours are merged in pairs, the pairs in pairs, and so on. So the result depends only on the order of the
    models: it has the same bits however and whenever they were made.

    Parameters
    ----------
    models : iterable of OnlinePCA
        Estimators with the same parameters and the same features. They are taken as they come, and only a few are
        held at a time. Those that have seen no rows are skipped.

    Returns
    -------
    merged : OnlinePCA
        It has the parameters of the first model that has seen rows. Mean, variances and counts are exact. A pickle
        of it contains only components and means; `merge_all([pca])` returns such an estimator for a single model.

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
    parts = (None if model._fitted is None else settled(model) for model in models)
    merged = merge_tree(parts, OnlinePCA.merge)
    if merged is None:
        raise ValueError("None of the models to merge has seen rows.")
    return merged
